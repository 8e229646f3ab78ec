#include "reproduce/lustig2013/processors.h"

#include <fmt/format.h>

#include <cmath>

#include "reproduce/lustig2013/offloads.h"

namespace duet::reproduce {

using Json = nlohmann::ordered_json;

namespace {

// Figure 1's own, and that of Table 1.
constexpr const char* kFigure1 = "xeon-x7560";
constexpr const char* kTable1 = "xeon-e3-1245";

std::vector<unsigned> sizes(unsigned first, unsigned last, unsigned factor) {
  std::vector<unsigned> result;
  for (unsigned size = first; size <= last; size *= factor) result.push_back(size);
  return result;
}

Job processor_job(const char* machine, const std::string& program, const Strings& compiler,
                  const Strings& arguments, unsigned size) {
  Job job{"lustig2013/cpu/" + program, compiler, arguments, machine, {}};
  job.arguments.insert(job.arguments.end(), {"--size", std::to_string(size)});
  job.on_processor = true;
  return job;
}

Job offload_job(const std::string& program, const std::string& variant, const Setup& setup, unsigned size) {
  return {"lustig2013/" + program,
          {},
          {"--variant", variant, "--size", std::to_string(size)},
          setup.machine,
          setup.sets};
}

// Runs a curve's jobs, by size; what failed leaves a 0, and is counted.
struct Curves {
  std::vector<unsigned> at;
  std::map<std::string, std::vector<double>> runtimes_us;
  unsigned wrong = 0, runs = 0;
  std::string first_wrong;

  void measure(Experiments& experiments, const std::string& title, const std::string& name,
               const std::vector<Job>& jobs) {
    std::vector<double>& curve = runtimes_us[name];
    for (const Outcome* outcome : experiments.runner().run(title, jobs)) {
      ++runs;
      curve.push_back(outcome->right() ? outcome->runtime_us() : 0);
      if (!outcome->right() && wrong++ == 0) first_wrong = outcome->error_line();
    }
  }
  Json json() const {
    Json result;
    result["sizes"] = at;
    for (const auto& [name, curve] : runtimes_us) result["runtime_us"][name] = curve;
    return result;
  }
  // The size from which on `second` is not slower than `first`, between two sizes where the ratio of the two,
  // drawn over both axes' logarithms, is 1; the largest where it is slower there too. Nothing where a run has
  // failed.
  std::optional<double> crossover(const std::string& first, const std::string& second) const {
    const std::vector<double>&a = runtimes_us.at(first), &b = runtimes_us.at(second);
    for (std::size_t i = at.size(); i-- > 0;) {
      if (a[i] == 0 || b[i] == 0) return std::nullopt;
      if (b[i] <= a[i]) continue;
      if (i + 1 == at.size()) return at.back();
      const double here = std::log(b[i] / a[i]), there = std::log(b[i + 1] / a[i + 1]);
      return at[i] * std::pow(double{1} * at[i + 1] / at[i], here / (here - there));
    }
    return at.front();
  }
  void tell(Measurements& out) const {
    out.values["wrong"] = wrong;
    out.notes["wrong"] = fmt::format("of {} runs{}", runs, wrong == 0 ? "" : ", first " + first_wrong);
  }
};

bool can_compile(Measurements& out) {
  if (Runner::has_processor_compiler()) return true;
  out.notes[""] = "riscv64-linux-gnu-g++ is not installed (Debian: g++-riscv64-linux-gnu)";
  return false;
}

void keep_crossover(const Curves& curves, const std::string& first, const std::string& second,
                    const std::string& quantity, Measurements& out) {
  const auto at = curves.crossover(first, second);
  out.keep(quantity, at, "a run failed: " + curves.first_wrong);
  if (at && *at == curves.at.back()) out.notes[quantity] = "or more: the processor is faster at every size";
}

}  // namespace

void measure_figure_1(Experiments& experiments, const Setup& setup, Measurements& out) {
  if (!can_compile(out)) return;
  Curves curves;
  curves.at = sizes(64, experiments.options().quick ? 4096 : 16384, 4);
  for (const char* const threads : {"0", "4"}) {
    std::vector<Job> jobs;
    for (const unsigned size : curves.at)
      jobs.push_back(processor_job(kFigure1, "BFS", {"-O2"}, {"--threads", threads}, size));
    curves.measure(experiments, "L-F1, BFS on a processor", threads[0] == '0' ? "one thread" : "OpenMP",
                   jobs);
  }
  std::vector<Job> jobs;
  for (const unsigned size : curves.at) jobs.push_back(offload_job("BFS", "baseline", setup, size));
  curves.measure(experiments, "L-F1, BFS on the GPU", "GPU", jobs);
  curves.tell(out);
  out.figures["1"] = curves.json();
  keep_crossover(curves, "one thread", "GPU", "crossover", out);
  const auto growth = [&](const char* curve) {  // over the first factor of 16 in size
    const std::vector<double>& times = curves.runtimes_us.at(curve);
    return times[0] == 0 ? 0 : times[2] / times[0];
  };
  out.values["thread_growth"] = growth("one thread");
  out.values["gpu_growth"] = growth("GPU");
  out.values["openmp_growth"] = growth("OpenMP");
}

void measure_break_even(Experiments& experiments, const Setup& setup, Measurements& out) {
  if (!can_compile(out)) return;
  Curves curves;
  curves.at = sizes(1024, experiments.options().quick ? 65536 : 1048576, 4);
  for (const char* const variant : {"baseline", "full-overlap"}) {
    std::vector<Job> jobs;
    for (const unsigned size : curves.at) jobs.push_back(offload_job("vectorAdd", variant, setup, size));
    curves.measure(experiments, "L-F12, vectorAdd on the GPU", variant, jobs);
  }
  for (const char* const level : {"-O0", "-O2"})
    for (const char* const state : {"fresh", "warm", "cold"}) {
      std::vector<Job> jobs;
      for (const unsigned size : curves.at)
        jobs.push_back(processor_job(kTable1, "vectorAdd", {level}, {"--state", state}, size));
      const std::string name = fmt::format("{} {}", level, state);
      curves.measure(experiments, "L-F12, vectorAdd on a processor", name, jobs);
    }
  curves.tell(out);
  Json& figure = out.figures["12, processor"];
  figure = curves.json();
  std::string table;
  for (const char* const level : {"-O0", "-O2"})
    for (const char* const state : {"fresh", "warm", "cold"}) {
      const std::string name = fmt::format("{} {}", level, state);
      table += fmt::format("{}{} {:.2f} ns an element", table.empty() ? "" : ", ", name,
                           1000 * curves.runtimes_us[name].back() / curves.at.back());
      for (const char* const variant : {"baseline", "full-overlap"}) {
        const auto at = curves.crossover(name, variant);
        figure["break_even"][name][variant] = at ? Json(*at) : Json();
        if (std::string(state) == "fresh")
          keep_crossover(curves, name, variant, fmt::format("{}{}", variant, level), out);
      }
    }
  for (const char* const level : {"-O0", "-O2"})
    for (const char* const variant : {"baseline", "full-overlap"}) {
      std::string& note = out.notes[fmt::format("{}{}", variant, level)];
      note += (note.empty() ? "" : "; ") + table;
    }
}

}  // namespace duet::reproduce
