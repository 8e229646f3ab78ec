// Whether a run looks for bytes that two commands touch with nothing that orders the two.
#pragma once

#include <memory>
#include <vector>

#include "machine/option_field.h"

namespace duet::machine {

class Feature;
struct RunOptions;

struct RaceOptions {
  bool on = false;  // memory/race_detector.h; timed GPU
  std::vector<OptionField> fields();
  std::unique_ptr<Feature> feature(const RunOptions& run) const;  // null: it is not asked for
};

}  // namespace duet::machine
