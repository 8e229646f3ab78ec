// PTX text to the compiler's form of a module.
#pragma once

#include <string>
#include <string_view>

#include "ptx/ir.h"

namespace duet::ptx {

// Throws duet::Error "name:LINE: what" for text that is not valid PTX. Instructions that are not modelled
// are recorded in Function::unsupported.
ir::ParsedModule parse_module(std::string_view text, const std::string& name);

}  // namespace duet::ptx
