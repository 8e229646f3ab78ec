// The part of a run to explain in depth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace duet::explain {

// The parts to show beyond the run as a whole.
struct Selection {
  std::string kernel;  // "#N": of command N; otherwise a regular expression for names; empty: all
  std::optional<std::uint64_t> block;  // of the shown launch
  bool chosen() const { return !kernel.empty() || block.has_value(); }
};
// Throws duet::Error where the text of `kernel` is neither a number nor a regular expression.
void check(const Selection& selection);

}  // namespace duet::explain
