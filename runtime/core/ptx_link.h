// Links the PTX texts of relocatable device code (nvcc -rdc=true) into one: a definition for another text's
// .extern is put in front of its uses, weak definitions are kept once, and a text's local names are made
// unique where another text has them too. It knows statements and names, no meaning.
#pragma once

#include <string>
#include <vector>

namespace duet::core {

std::string link_ptx(const std::vector<std::string>& texts);

}  // namespace duet::core
