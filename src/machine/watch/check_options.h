// What a run looks for in its program (docs/use/check.md), and in debug builds in the simulator itself.
#pragma once

#include <memory>
#include <vector>

#include "check/checks.h"
#include "machine/option_field.h"

namespace duet::machine {

class Feature;
struct RunOptions;

struct CheckOptions {
  check::Checks checks;
  std::vector<OptionField> fields();
  std::unique_ptr<Feature> feature(const RunOptions& run) const;  // null: it is not asked for
};

}  // namespace duet::machine
