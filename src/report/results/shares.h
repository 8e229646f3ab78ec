// Parts of a whole as they are told.
#pragma once

#include <cstdint>
#include <vector>

namespace duet::report {

// Tenths of a percent with the sum 1000: cut-off rests go to the parts that lose most. All 0 where the parts
// are.
std::vector<std::uint64_t> tenths_of_percent(const std::vector<std::uint64_t>& parts);

}  // namespace duet::report
