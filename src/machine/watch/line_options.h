// Whether a run tells what each instruction of a kernel counts.
#pragma once

#include <memory>
#include <vector>

#include "machine/option_field.h"

namespace duet::machine {

class Feature;
struct RunOptions;

struct LineOptions {
  std::optional<bool> asked;  // for it, or for none of it; timed GPU
  bool on() const { return asked.value_or(false); }
  std::vector<OptionField> fields();
  std::unique_ptr<Feature> feature(const RunOptions& run) const;  // null: it is not asked for
};

}  // namespace duet::machine
