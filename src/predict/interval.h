// The interval of a kernel's simulated time, by its bound in the model:
//   const Interval interval = interval_of("DRAM rate", false);
//   low = interval.low * predicted;  high = interval.high * predicted;
// Split conformal prediction (Lei et al., "Distribution-Free Predictive Inference for Regression", JASA
// 2018): the ratios of simulated to predicted time of other kernels. These are in the programs of
// docs/results/other-programs.md on four machines (tests/predict/programs.py --calibrate). The model's times
// do not use them.
#pragma once

#include <string>

namespace duet::predict {

inline constexpr int kIntervalPercent = 90;  // share of kernels in the interval

struct Interval {
  double low, high;        // of the predicted time
  unsigned calibrated_on;  // kernels
};

// `bound`: from bound_of() (result.h). `doubtful`: an assumption of the model does not hold.
Interval interval_of(const std::string& bound, bool doubtful);

}  // namespace duet::predict
