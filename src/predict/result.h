// The result of `duet predict` for a run: the predictions of its launches, by kernel, beside the run's other
// times.
//   const PredictedRun run = read_predicted_run(report);
//   std::fputs(text_of(run, 20).c_str(), stdout);
#pragma once

#include <array>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "config/machine.h"
#include "predict/interval.h"
#include "predict/predictor.h"
#include "report/run_report.h"

namespace duet::predict {

inline constexpr std::size_t kBusy = report::PredictionRecord::kBusy;
static_assert(kLimits == report::PredictionRecord::kLimits);

// All launches of a kernel. Times without a limit were computed for some launches, and are scaled to all.
struct PredictedKernel {
  std::string name;
  std::uint64_t launches = 0, repeated = 0;  // repeated: launches that were not computed
  std::uint64_t partial = 0;                 // partially executed launches
  double time_us = 0;
  double computed_us = 0;  // of launches with `without_us`
  std::array<double, kLimits> without_us{};
  double roofline_us = 0, hong_kim_us = 0;
  std::array<double, kIssueSlots> slots{};  // shares, by time
  std::array<double, kBusy> busy{};
  double l1_hit_rate = 0, computed_share = 0;
  std::uint32_t doubts = 0;
  // The time saved without a limit, in % of the time.
  double saving(Limit limit) const {
    return computed_us == 0 ? 0 : 100 * (1 - without_us[static_cast<std::size_t>(limit)] / computed_us);
  }
};

struct PredictedRun {
  std::string machine, command;
  double run_us = 0;                             // from the program's first call to its end
  double kernels_us = 0;                         // sum of the launches
  double wall_seconds = 0, program_seconds = 0;  // the second: of the first, the program's own
  std::vector<report::TimePart> moments;
  std::vector<PredictedKernel> kernels;  // longest first
};

PredictedRun read_predicted_run(const report::RunReport& report);
// The bound of a kernel, in a word or two: "DRAM rate".
std::string bound_of(const PredictedKernel& kernel);
Interval interval_of(const PredictedKernel& kernel);
// The changes that would shorten it, longest first, as "without bank conflicts: -30 %"; empty: none by 5 % or
// more.
std::vector<std::string> changes_of(const PredictedKernel& kernel);
std::vector<std::string> doubts_of(const PredictedKernel& kernel);
// `rows`: of kernels.
std::string text_of(const PredictedRun& run, std::size_t rows);
// prediction.json (duet.prediction/1), with the parameters of the model by level (hu2016 §2) from the
// machine.
void write_json(std::ostream& out, const PredictedRun& run, const config::Machine& machine);

}  // namespace duet::predict
