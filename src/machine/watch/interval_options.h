// In which intervals of simulated time a run tells what the machine counts.
#pragma once

#include <memory>
#include <vector>

#include "machine/option_field.h"

namespace duet::machine {

class Feature;
struct RunOptions;

struct IntervalOptions {
  std::uint64_t ps = 0;      // the journal gets what was counted in each; 0: not asked for
  std::uint64_t cycles = 0;  // the same in core cycles
  bool any() const { return ps != 0 || cycles != 0; }
  std::vector<OptionField> fields();
  std::unique_ptr<Feature> feature(const RunOptions& run) const;  // null: it is not asked for
};

}  // namespace duet::machine
