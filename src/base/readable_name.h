// The names of kernels as a programmer wrote them.
#pragma once

#include <string>
#include <vector>

namespace duet {

// C++ names are demangled and their parameters left out.
std::string readable_name(const std::string& name);

// The same for a table, each at most `width` (20 at least) characters long. What is cut has "..." in its
// place. The results of names that differ, differ: overloads have their parameters, and what begins alike is
// cut in its middle. Where that does not help they are numbered.
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width);

}  // namespace duet
