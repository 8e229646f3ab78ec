// Figure 4: eight programs after Rodinia's by each method, and hostalloc-cache, which only cores cache.
// Figure 7: four of them, half of whose work the cores do.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "reproduce/dashti2017/figures.h"
#include "reproduce/dashti2017/jobs.h"

namespace duet::reproduce::dashti2017 {

using Json = nlohmann::ordered_json;

namespace {

struct Program {
  const char* name;
  Strings sizes, small;
};
const Program kPrograms[] = {
    {"bfs", {"--nodes", "65536"}, {"--nodes", "8192"}},
    {"cfd", {"--cells", "6144", "--steps", "2"}, {"--cells", "1536", "--steps", "1"}},
    {"dwt2d", {"--width", "192", "--height", "192"}, {"--width", "96", "--height", "96"}},
    {"gaussian", {"--size", "96"}, {"--size", "48"}},
    {"kmeans", {"--points", "4096", "--iterations", "40"}, {"--points", "2048", "--iterations", "6"}},
    {"lud", {"--size", "256"}, {"--size", "96"}},
    {"particlefilter", {"--particles", "1000", "--frames", "4"}, {"--particles", "512", "--frames", "1"}},
    {"streamcluster",
     {"--points", "1024", "--dimensions", "64", "--gains", "10"},
     {"--points", "512", "--dimensions", "32", "--gains", "4"}},
};
// In the order of the machine's rows.
constexpr std::array<const char*, 5> kCompared = {"default", "hostalloc", "hostalloc-cache", "managed",
                                                  "sharedalloc"};
// The paper's threshold is not stated: what its text calls slower.
constexpr double kSlower = 1.05;

// Of a good run, us.
struct Times {
  std::optional<double> kernel, whole;
};

Times times_of(const Outcome& outcome) {
  const double whole = outcome.us_between("start", "finish");
  if (!outcome.right() || whole <= 0) return {};
  double begin = 0, end = 0, kernels = 0;
  for (const auto& mark : outcome.statistics["marks"]) {
    if (mark["name"] == "start") begin = mark["time_ps"].get<double>();
    if (mark["name"] == "finish") end = mark["time_ps"].get<double>();
  }
  for (const auto& kernel : outcome.statistics["kernels"]) {
    const double started = kernel["start_ps"].get<double>(), ended = kernel["end_ps"].get<double>();
    if (started >= begin && ended <= end) kernels += ended - started;
  }
  return {kernels / 1e6, whole};
}

// What a control changes of the programs, it changes of hostalloc's runs, and of a method's row, of its own:
// all are compared with the same default.
Job run_of(Experiments& experiments, Setup setup, const Program& program, std::size_t method) {
  const std::string name = kCompared[method];
  const bool uncached = name == "hostalloc" || name == "hostalloc-cache";
  if (!uncached) setup.options.clear();
  if (setup.control && setup.options.empty())
    std::erase_if(setup.sets, [&](const std::string& set) {
      return set.starts_with("method[") && !set.starts_with(fmt::format("method[{}]", method));
    });
  const bool quick = experiments.options().quick;
  Job job = job_of(experiments, setup, program.name, uncached ? "hostalloc" : name,
                   quick ? program.small : program.sizes);
  if (name == "hostalloc-cache") job.run_options = {"--method", name};
  return job;
}

// The largest and smallest of those that there are.
class Range {
 public:
  void add(std::optional<double> value) {
    if (!value) return;
    least_ = least_ ? std::min(*least_, *value) : *value;
    most_ = most_ ? std::max(*most_, *value) : *value;
  }
  std::optional<double> least() const { return least_; }
  std::optional<double> most() const { return most_; }

 private:
  std::optional<double> least_, most_;
};

using Ratios = std::map<std::pair<std::string, std::string>, Times>;  // to default, by program and method

void keep_quantities(const Ratios& all, bool complete, const std::string& failed, Measurements& out) {
  const auto of = [&](const std::string& program, const char* method) {
    const auto found = all.find({program, method});
    return found == all.end() ? Times() : found->second;
  };
  double slower = 0;
  Range managed_kernel, managed_whole, shared_kernel, shared_whole;
  for (const Program& program : kPrograms) {
    const std::string name = program.name;
    const Times hostalloc = of(name, "hostalloc");
    if (!all.contains({name, "default"})) continue;
    out.keep(name + "_kernel", hostalloc.kernel, failed);
    out.keep(name + "_whole", hostalloc.whole, failed);
    slower += hostalloc.kernel && *hostalloc.kernel > kSlower;
    if (hostalloc.kernel && hostalloc.whole)
      out.values[name + "_less"] = std::min(*hostalloc.kernel, *hostalloc.whole);
    else
      out.notes[name + "_less"] = failed;
    if (name == "dwt2d") continue;  // its default has memory of cudaHostAlloc on the host, too
    managed_kernel.add(of(name, "managed").kernel);
    managed_whole.add(of(name, "managed").whole);
    shared_kernel.add(of(name, "sharedalloc").kernel);
    shared_whole.add(of(name, "sharedalloc").whole);
  }
  if (of("kmeans", "default").whole) {
    out.keep("kmeans_cache_whole", of("kmeans", "hostalloc-cache").whole, failed);
    out.keep("kmeans_over_cache_whole",
             ratio(of("kmeans", "hostalloc").whole, of("kmeans", "hostalloc-cache").whole), failed);
  }
  const auto of_all = [&](std::optional<double> value) { return complete ? value : std::nullopt; };
  out.keep("slower", of_all(slower), failed);
  out.keep("managed_kernel_most", of_all(managed_kernel.most()), failed);
  out.keep("managed_whole_most", of_all(managed_whole.most()), failed);
  out.keep("sharedalloc_kernel_least", of_all(shared_kernel.least()), failed);
  out.keep("sharedalloc_whole_least", of_all(shared_whole.least()), failed);
}

}  // namespace

void measure_figure_4(Experiments& experiments, const Setup& setup, Measurements& out) {
  const auto wanted = [&](const Program& program) {
    const Strings& names = setup.benchmarks;
    return names.empty() || std::find(names.begin(), names.end(), program.name) != names.end();
  };
  std::vector<std::pair<const Program*, std::string>> points;
  std::vector<Job> jobs;
  for (const Program& program : kPrograms)
    for (std::size_t method = 0; method < kCompared.size(); ++method) {
      if (!wanted(program)) continue;
      points.emplace_back(&program, kCompared[method]);
      jobs.push_back(run_of(experiments, setup, program, method));
    }
  const auto outcomes = experiments.runner().run("D-F4", jobs);
  Ratios ratios;
  Times base;
  std::string failed;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [program, method] = points[i];
    const Times own = times_of(*outcomes[i]);
    if (!own.whole && failed.empty()) failed = outcomes[i]->error_line();
    if (method == "default") base = own;
    const Times over = {ratio(own.kernel, base.kernel), ratio(own.whole, base.whole)};
    ratios[{program->name, method}] = over;
    const auto json = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
    out.figures["4"].push_back({{"program", program->name},
                                {"method", method},
                                {"kernel_us", json(own.kernel)},
                                {"kernel_over_default", json(over.kernel)},
                                {"whole_us", json(own.whole)},
                                {"whole_over_default", json(over.whole)}});
  }
  keep_quantities(ratios, failed.empty() && setup.benchmarks.empty(), failed, out);
}

void measure_figure_7_programs(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Program programs[] = {
      {"bfs", {"--nodes", "32768"}, {"--nodes", "4096"}},
      {"cfd", {"--cells", "6144", "--steps", "1"}, {"--cells", "1536", "--steps", "1"}},
      {"gaussian", {"--size", "128"}, {"--size", "48"}},
      {"kmeans", {"--points", "4096", "--iterations", "8"}, {"--points", "1024", "--iterations", "4"}},
  };
  Strings methods = setup.benchmarks;
  if (methods.empty()) methods = {"default", "hostalloc", "managed", "sharedalloc"};
  std::vector<Job> jobs;
  for (const Program& program : programs)
    for (const std::string& method : methods) {
      Strings words = experiments.options().quick ? program.small : program.sizes;
      words.insert(words.end(), {"--cpus", "4"});
      jobs.push_back(job_of(experiments, setup, program.name, method, words));
    }
  const auto outcomes = experiments.runner().run("D-F7", jobs);
  for (std::size_t i = 0; i < jobs.size(); i += methods.size()) {
    const char* const name = programs[i / methods.size()].name;
    std::map<std::string, std::optional<double>> times;
    std::string failed;
    for (std::size_t j = 0; j < methods.size(); ++j) {
      const Outcome& outcome = *outcomes[i + j];
      const auto own = times_of(outcome).whole;
      if (!own && failed.empty()) failed = outcome.error_line();
      times[methods[j]] = own;
      out.figures["7, programs"].push_back(
          {{"program", name}, {"method", methods[j]}, {"us", own ? Json(*own) : Json()}});
    }
    out.keep(std::string(name) + "_over_managed", ratio(times["managed"], times["sharedalloc"]), failed);
  }
}

}  // namespace duet::reproduce::dashti2017
