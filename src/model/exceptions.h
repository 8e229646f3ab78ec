// What a run does and no rule asks about: where hu2016 itself makes an exception, and where Duet or CUDA does
// what the paper has not. docs/design/model.md has the same list; tests/unit/model compares the two.
#pragma once

#include <vector>

#include "model/rules.h"

namespace duet::model {

struct Exception {
  const char* name;    // "PE_D"
  Rule rule;           // that it is an exception of
  const char* reason;  // why, and what is done instead
  const char* source;  // "hu2016, section 2.5"; or that the paper has it not
};
const std::vector<Exception>& exceptions();

}  // namespace duet::model
