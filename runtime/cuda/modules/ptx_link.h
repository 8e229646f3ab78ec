// Links the PTX texts of relocatable device code (nvcc -rdc=true) into one: what one text declares .extern
// and another defines is put in front of its uses, weak definitions are kept once, and names that are local
// to a text are made its own where another text has them too. It knows statements and names, no meaning.
#pragma once

#include <string>
#include <vector>

namespace duet::cuda {

std::string link_ptx(const std::vector<std::string>& texts);

}  // namespace duet::cuda
