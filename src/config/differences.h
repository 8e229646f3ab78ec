// The differences of two machines.
//
//   for (const Difference& d : differences(a.values, b.values)) ...   // gpu.sm.count: "16", "8"
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/loader.h"

namespace duet::config {

struct Difference {
  std::string key, unit;
  std::optional<std::string> first, second;  // as TOML; nothing where the machine does not have the key
};

// Keys in the first machine's order; then the keys of the second one alone, in its order.
std::vector<Difference> differences(const std::vector<ResolvedValue>& first,
                                    const std::vector<ResolvedValue>& second);

}  // namespace duet::config
