// The names of kernels as a programmer wrote them.
#pragma once

#include <string>
#include <vector>

namespace duet {

// C++ names are demangled, without "(anonymous namespace)::" and a leading "void ".
std::string whole_name(const std::string& name);
// The same, and their parameters left out.
std::string readable_name(const std::string& name);

// The same for a table, each at most `width` (20 at least) characters long. A cut has "..." in its place.
// Different names have different results: overloads have their parameters, names with a common beginning are
// cut in their middle, and where this does not help they are numbered.
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width);

}  // namespace duet
