// The names of kernels as a programmer wrote them.
#pragma once

#include <string>

namespace duet {

// C++ names are demangled and their parameters left out.
std::string readable_name(const std::string& name);

}  // namespace duet
