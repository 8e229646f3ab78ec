#include "reproduce/dashti2017/jobs.h"

namespace duet::reproduce::dashti2017 {

Job job_of(Experiments& experiments, const Setup& setup, const char* program, const std::string& method,
           Strings arguments) {
  Job job;
  job.source = std::string("dashti2017/") + program;
  job.machine = setup.machine;
  job.on_cores = true;
  job.arguments = {"--method", method};
  const auto append = [](Strings& to, const Strings& words) {
    to.insert(to.end(), words.begin(), words.end());
  };
  append(job.arguments, arguments);
  for (const Choice& choice : experiments.choices()) {
    const ChoiceSide& side = setup.choice == choice.id ? choice.alternative : choice.value;
    if (!choice.concerns(program)) continue;
    append(job.sets, side.sets);
    append(job.arguments, side.options);
  }
  append(job.sets, setup.sets);
  append(job.arguments, setup.options);
  return job;
}

Job framework_job_of(Experiments& experiments, const Setup& setup, const char* program,
                     const std::string& method, Strings arguments) {
  Job job = job_of(experiments, setup, program, method, std::move(arguments));
  job.source = std::string("dashti2017/") + program;
  const bool is_hsa = method.starts_with("hsa");
  job.library = is_hsa ? "hsa-runtime64" : "OpenCL";
  if (is_hsa) job.defines.push_back("FRAMEWORK_HSA");
  return job;
}

std::optional<double> printed_us(const Outcome& outcome, const char* what) {
  const double us = outcome.processor_us(what);
  if (!outcome.right() || us <= 0) return std::nullopt;
  return us;
}

std::string why_without_time(const std::vector<const Outcome*>& outcomes) {
  for (const Outcome* const outcome : outcomes)
    if (!outcome->right()) return outcome->error_line();
  return "no time was measured";
}

std::optional<double> ratio(std::optional<double> of, std::optional<double> to) {
  if (!of || !to || *to == 0) return std::nullopt;
  return *of / *to;
}

}  // namespace duet::reproduce::dashti2017
