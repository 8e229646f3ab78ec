// PTX text to the compiler's form of a module.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "ptx/ir.h"

namespace duet::ptx {

// PTX of a version that is not known yet.
class NewerVersion : public Error {
 public:
  using Error::Error;
};

// Throws duet::Error "name:LINE: what" for invalid PTX. Instructions outside the model are recorded in
// Function::unsupported. `first_function`: ParsedModule::first_function.
ir::ParsedModule parse_module(std::string_view text, const std::string& name,
                              std::uint64_t first_function = 0);

}  // namespace duet::ptx
