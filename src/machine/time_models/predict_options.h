// Whether kernels take the time of a model (src/predict).
#pragma once

#include <memory>
#include <vector>

#include "machine/option_field.h"

namespace duet::machine {

class Feature;
struct RunOptions;

struct PredictOptions {
  bool on = false;       // with the functional GPU
  bool sampled = false;  // only what decides the kernels' time is executed
  std::vector<OptionField> fields();
  std::unique_ptr<Feature> feature(const RunOptions& run) const;  // null: it is not asked for
};

}  // namespace duet::machine
