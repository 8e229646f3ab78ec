// Figure 15: four programs after Rodinia's in three frameworks. Section 6.2.3 gives a cause for each result,
// so kernels are compared, too, and streamcluster of HSA runs with local memory as well.
#include <algorithm>
#include <array>
#include <map>

#include "reproduce/dashti2017/figures.h"
#include "reproduce/dashti2017/jobs.h"

namespace duet::reproduce::dashti2017 {

namespace {

struct Application {
  std::string name;
  Strings sizes, small;
};
const std::array<Application, 4>& applications() {
  static const std::array<Application, 4> all{{
      {"bfs", {"--nodes", "65536"}, {"--nodes", "8192"}},
      {"gaussian", {"--size", "256", "--columns", "12"}, {"--size", "128", "--columns", "6"}},
      {"kmeans", {"--points", "4096", "--iterations", "20"}, {"--points", "1024", "--iterations", "6"}},
      {"streamcluster",
       {"--points", "1024", "--dimensions", "64", "--gains", "10"},
       {"--points", "512", "--dimensions", "32", "--gains", "4"}},
  }};
  return all;
}

struct Run {
  std::string program, method;
  bool local = false;  // HSA with local memory
};
struct KernelsAndWhole {
  std::optional<double> kernels, whole;
};

std::vector<Run> runs_of(const Setup& setup) {
  std::vector<Run> runs;
  for (const Application& program : applications()) {
    const Strings& names = setup.benchmarks;
    if (!names.empty() && std::find(names.begin(), names.end(), program.name) == names.end()) continue;
    for (const char* method : {"cl-1.2", "svm-fine", "hsa-fine"}) runs.push_back({program.name, method});
    if (program.name == "streamcluster") runs.push_back({program.name, "hsa-fine", true});
  }
  return runs;
}

Strings arguments_of(const Run& run, bool quick) {
  const auto program = std::find_if(applications().begin(), applications().end(),
                                    [&](const Application& one) { return one.name == run.program; });
  Strings words = quick ? program->small : program->sizes;
  if (run.local) words.insert(words.end(), {"--local", "yes"});
  return words;
}

std::optional<double> least(std::optional<double> one, std::optional<double> other) {
  return one && other ? std::optional(std::min(*one, *other)) : std::nullopt;
}

}  // namespace

void measure_figure_15(Experiments& experiments, const Setup& setup, Measurements& out) {
  const std::vector<Run> runs = runs_of(setup);
  std::vector<Job> jobs;
  for (const Run& run : runs)
    jobs.push_back(framework_job_of(experiments, setup, ("kaveri/" + run.program).c_str(), run.method,
                                    arguments_of(run, experiments.options().quick)));
  const auto outcomes = experiments.runner().run("D-F15", jobs);
  std::map<std::string, std::map<std::string, KernelsAndWhole>> all;  // by program and method
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    const std::string method = run.local ? "hsa, local" : run.method;
    const KernelsAndWhole times{printed_us(*outcomes[i], "kernels"), printed_us(*outcomes[i], "whole")};
    all[run.program][method] = times;
    nlohmann::ordered_json& point = out.figures["15"].emplace_back();
    point = {{"program", run.program}, {"method", method}, {"kernels_us", nullptr}, {"whole_us", nullptr}};
    if (times.kernels) point["kernels_us"] = *times.kernels;
    if (times.whole) point["whole_us"] = *times.whole;
  }
  const std::string otherwise = why_without_time(outcomes);
  for (auto& [program, of] : all) {
    const KernelsAndWhole &cl = of["cl-1.2"], &svm = of["svm-fine"], &hsa = of["hsa-fine"];
    const auto svm_whole = ratio(svm.whole, cl.whole), hsa_whole = ratio(hsa.whole, cl.whole);
    const auto svm_kernels = ratio(svm.kernels, cl.kernels), hsa_kernels = ratio(hsa.kernels, cl.kernels);
    out.keep(program + "_svm_over_12", svm_whole, otherwise);
    out.keep(program + "_hsa_over_12", hsa_whole, otherwise);
    out.keep(program + "_least", least(svm_whole, hsa_whole), otherwise);
    out.keep(program + "_kernels_svm_over_12", svm_kernels, otherwise);
    out.keep(program + "_kernels_hsa_over_12", hsa_kernels, otherwise);
    out.keep(program + "_kernels_least", least(svm_kernels, hsa_kernels), otherwise);
    out.keep(program + "_kernels_hsa_over_svm", ratio(hsa.kernels, svm.kernels), otherwise);
    if (program == "streamcluster")
      out.keep("streamcluster_kernels_over_local", ratio(hsa.kernels, of["hsa, local"].kernels), otherwise);
  }
}

}  // namespace duet::reproduce::dashti2017
