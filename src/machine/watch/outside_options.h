// What becomes of a kernel's accesses beside allocations.
#pragma once

#include <memory>
#include <vector>

#include "machine/option_field.h"

namespace duet::machine {

class Feature;
struct RunOptions;

struct OutsideOptions {
  bool strict_memory = false;  // they are faults
  std::vector<OptionField> fields();
  std::unique_ptr<Feature> feature(const RunOptions& run) const;
};

}  // namespace duet::machine
