#include "cli/run/otherwise.h"

#include <vector>

#include "machine/cores_for_gpu/cpu_blocks_options.h"
#include "machine/cores_for_gpu/preexecution_options.h"
#include "machine/time_models/fast_forward.h"
#include "machine/time_models/predict_options.h"
#include "machine/time_models/sample_options.h"
#include "machine/watch/check_options.h"
#include "machine/watch/line_options.h"
#include "machine/watch/race_options.h"

namespace duet::cli {

std::string otherwise(const RunOptions& options) {
  const machine::RunOptions& run = options.run;
  const auto& predict = run.of<machine::PredictOptions>();
  std::vector<std::string> words;
  if (options.simulated_host) return "";
  const bool cores_help =
      run.of<machine::PreexecutionOptions>().on() || run.of<machine::CpuBlocksOptions>().on;
  const bool checks = run.of<machine::CheckOptions>().checks.any();
  const bool forwards = run.of<machine::FastForwardOptions>().any();
  const bool samples = run.of<machine::SampleOptions>().on;
  if (predict.on) {
    if (!predict.sampled) words.emplace_back("--sampled");
  } else if (!cores_help && !checks) {
    words.emplace_back(run.functional ? "`duet predict --sampled`" : "`duet predict`");
  }
  const bool timed = !run.functional;
  if (timed && !samples && !cores_help && !checks && !forwards && !run.two_threads &&
      !run.of<machine::RaceOptions>().on)
    words.emplace_back("--sample");
  if (timed && !run.two_threads && !run.of<machine::RaceOptions>().on && !forwards && !samples)
    words.emplace_back("--functional");
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

}  // namespace duet::cli
