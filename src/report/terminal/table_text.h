// How the tables on the terminal write times and shares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace duet::report {

std::string duration(Picoseconds ps);  // "12.345 us"

// Tenths of a percent with the sum 1000: cut-off rests go to the parts that lose most. All 0 where the parts
// are.
std::vector<std::uint64_t> tenths_of_percent(const std::vector<std::uint64_t>& parts);

// Lines of words longer than `width` (50 at least) go on in the next line, under the words of the first:
// behind its indent, and the number of an item ("1. "). 0: as it is.
std::string wrapped(const std::string& text, std::size_t width);

}  // namespace duet::report
