// Exceptions from the rules: hu2016's own, and the ones of Duet or CUDA, beyond the paper.
// docs/design/model.md has the same list; tests/unit/model compares the two.
#pragma once

#include <vector>

#include "model/rules.h"

namespace duet::model {

struct Exception {
  const char* name;    // "PE_D"
  Rule rule;           // the rule it is an exception of
  const char* reason;  // the reason, and the behaviour instead
  const char* source;  // "hu2016, section 2.5"; or a remark that the paper has none
};
const std::vector<Exception>& exceptions();

}  // namespace duet::model
