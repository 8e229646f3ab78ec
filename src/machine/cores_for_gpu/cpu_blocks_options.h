// Whether cores that share a level of cache with the GPU execute blocks too (cpu_blocks.h).
#pragma once

#include <memory>
#include <vector>

#include "machine/option_field.h"

namespace duet::machine {

class Feature;
struct RunOptions;

struct CpuBlocksOptions {
  bool on = false;
  std::vector<OptionField> fields();
  std::unique_ptr<Feature> feature(const RunOptions& run) const;  // null: it is not asked for
};

}  // namespace duet::machine
