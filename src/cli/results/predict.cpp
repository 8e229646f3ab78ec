// `duet predict PROGRAM`: a run whose kernels take the time of a model (src/predict).
#include <cstdio>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/options/json_output.h"
#include "cli/run/run_folder.h"
#include "machine/cores_for_gpu/cpu_blocks_options.h"
#include "machine/cores_for_gpu/preexecution_options.h"
#include "machine/time_models/fast_forward.h"
#include "machine/time_models/predict_options.h"
#include "machine/time_models/sample_options.h"
#include "machine/watch/check_options.h"
#include "machine/watch/line_options.h"
#include "predict/result.h"

namespace duet::cli {

namespace {

constexpr const char* kFile = "prediction.json";

// Options unknown to the functional GPU, or to the model.
void refuse(const RunOptions& run) {
  const auto no = [](bool given, const char* option, const char* why) {
    if (given)
      throw Error(std::string("predict: ") + option + " " + why + ": leave it out, or use `duet run`");
  };
  no(run.run.of<machine::CheckOptions>().checks.any(), "--check", "is for a run");
  no(run.run.of<machine::PreexecutionOptions>().on(), "--preexec", "is not in the model");
  no(run.run.of<machine::CpuBlocksOptions>().on, "--cpu-blocks", "is not in the model");
  no(run.simulated_host, "--host simulated", "is not in the model");
  no(run.run.of<machine::FastForwardOptions>().any(), "--skip-kernels, --kernels and --count-kernels",
     "are for kernels in time");
  no(run.run.of<machine::SampleOptions>().on, "--sample", "is for kernels in time");
  no(run.run.of<machine::LineOptions>().on(), "--lines", "counts what kernels do in time");
}

}  // namespace

int predict_run(const PredictOptions& options, RunOptions& run, const std::function<int()>& make) {
  refuse(run);
  run.run.functional = true;
  run.run.of<machine::PredictOptions>() = {true, options.sampled};
  const JsonOutput output(run.json, JsonOutput::Rest::StandardError);
  std::vector<std::string> all;
  run.words.options = without(run.words.options, {"--rows"}, {"--sampled"});
  const bool quiet = run.quiet;
  run.quiet = true;
  unsigned processes = 0;
  std::optional<std::string> failure, written;
  run.on_report = [&](const RunFolder& folder, const std::string& into, const report::RunReport& report,
                      const config::Machine& machine) {
    try {
      const predict::PredictedRun result = predict::read_predicted_run(report);
      const auto write = [&](std::ostream& out) { predict::write_json(out, result, machine); };
      folder.write_result(into + kFile, write);
      if (processes++ == 0) written = folder.name() + "/" + into + kFile;
      if (output.wanted()) {
        std::ostringstream text;
        write(text);
        all.push_back(text.str());
      }
      const std::string table = predict::text_of(result, options.rows);
      folder.write_result(into + kTable, [&](std::ostream& out) { out << table; });
      if (!quiet && !output.on_standard_output()) std::fputs(table.c_str(), stdout);
      std::fflush(stdout);  // before later lines on standard error
    } catch (const Error& error) {
      failure = error.what();
    }
  };
  const int status = make();
  if (failure) throw Error(*failure);
  output.write(all);
  if (written && !quiet) std::fprintf(stderr, "duet: with all numbers: %s\n", written->c_str());
  return processes == 0 && status == 0 ? 125 : status;
}

}  // namespace duet::cli
