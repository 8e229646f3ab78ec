// What a run may have: the one list is in features.cpp.
#pragma once

#include <vector>

#include "machine/feature.h"
#include "machine/option_field.h"
#include "machine/run_options.h"

namespace duet::machine {

// Those that the options ask for, in their order.
Features features_of(const RunOptions& options);
// All options of a run, its own and its features'. They lie in `options`, which must stay.
std::vector<OptionField> fields_of(RunOptions& options);

}  // namespace duet::machine
