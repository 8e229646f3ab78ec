// Whether only some launches are simulated in time (src/sample).
#pragma once

#include <memory>
#include <vector>

#include "machine/option_field.h"

namespace duet::machine {

class Feature;
struct RunOptions;

struct SampleOptions {
  bool on = false;
  double error_percent = 5;  // of the time that it finds so
  std::vector<OptionField> fields();
  std::unique_ptr<Feature> feature(const RunOptions& run) const;  // null: it is not asked for
};

}  // namespace duet::machine
