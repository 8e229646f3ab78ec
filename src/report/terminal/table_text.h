// How the tables on the terminal write times and shares.
#pragma once

#include <cstddef>
#include <string>

#include "base/units.h"
#include "report/results/shares.h"

namespace duet::report {

std::string duration(Picoseconds ps);  // "12.345 us"

// Lines of words longer than `width` (50 at least) go on in the next line, under the words of the first:
// behind its indent, and the number of an item ("1. "). 0: as it is.
std::string wrapped(const std::string& text, std::size_t width);

}  // namespace duet::report
