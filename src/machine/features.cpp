#include "machine/features.h"

#include <iterator>

#include "machine/cores_for_gpu/cpu_blocks_options.h"
#include "machine/cores_for_gpu/preexecution_options.h"
#include "machine/time_models/fast_forward.h"
#include "machine/time_models/predict_options.h"
#include "machine/time_models/sample_options.h"
#include "machine/watch/check_options.h"
#include "machine/watch/interval_options.h"
#include "machine/watch/line_options.h"
#include "machine/watch/outside_options.h"
#include "machine/watch/race_options.h"
#include "machine/watch/trace_options.h"

namespace duet::machine {

namespace {

template <typename... T>
struct List {
  template <typename F>
  static void each(F f) {
    (f.template operator()<T>(), ...);
  }
};

// The options of each feature; in the order in which features are attached and hear of what happens.
using All = List<PredictOptions, FastForwardOptions, SampleOptions, CheckOptions, RaceOptions, OutsideOptions,
                 PreexecutionOptions, CpuBlocksOptions, IntervalOptions, LineOptions, TraceOptions>;

}  // namespace

Features features_of(const RunOptions& options) {
  Features features;
  All::each([&]<typename T>() {
    if (auto feature = options.of<T>().feature(options)) features.push_back(std::move(feature));
  });
  return features;
}

std::vector<OptionField> fields_of(RunOptions& options) {
  std::vector<OptionField> fields = options.own_fields();
  All::each([&]<typename T>() {
    std::vector<OptionField> more = options.of<T>().fields();
    fields.insert(fields.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  });
  return fields;
}

}  // namespace duet::machine
