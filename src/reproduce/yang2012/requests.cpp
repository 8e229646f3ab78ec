// Figure 4 (requests of processor and GPU), Figure 6 (skip_factor over time), Table 1, and the compiler's
// coverage.
#include <fmt/format.h>

#include <algorithm>

#include "reproduce/yang2012/figures.h"
#include "reproduce/yang2012/grid.h"

namespace duet::reproduce::yang2012 {

using Json = nlohmann::ordered_json;

namespace {

constexpr double kPicosecondsOf100000 = 100000 * 1e12 / 2.4e9;  // cycles of the processor

struct Rates {
  double processor = 0, gpu = 0;  // lines of 64 bytes for every 100,000 cycles of the processor
};

// Of the one relevant kernel, while its program ran.
std::optional<Rates> rates_of(const Outcome& outcome) {
  if (!outcome.right()) return std::nullopt;
  const Point point(outcome);
  for (const auto& kernel : outcome.statistics["kernels"]) {
    if (!kernel.contains("preexecution") || kernel["name"] == "cold_stream") continue;
    const auto& program = kernel["preexecution"];
    if (!program.contains("started_ps") || program["started_ps"].is_null()) return std::nullopt;
    const double begin = program["started_ps"].get<double>(), kernel_end = kernel["end_ps"].get<double>(),
                 end = program.value("ended_ps", nlohmann::json()).is_null()
                           ? kernel_end
                           : program["ended_ps"].get<double>(),
                 kernel_begin = kernel["start_ps"].get<double>();
    if (end <= begin || kernel_end <= kernel_begin) return std::nullopt;
    const double gpu = point.reads_at_l3("hits") + point.reads_at_l3("merges") + point.reads_at_l3("misses");
    return Rates{program["requests"].get<double>() * kPicosecondsOf100000 / (end - begin),
                 gpu * kPicosecondsOf100000 / (kernel_end - kernel_begin)};
  }
  return std::nullopt;
}

std::optional<double> ratio(double a, double b) { return b == 0 ? std::nullopt : std::optional(a / b); }

// How often skip_factor changed in the second half of the kernel, as a share of its time: 0 when it settled.
struct Trace {
  Json points = Json::array();
  bool any = false, settled = true;
};
Trace trace_of(const Outcome& outcome) {
  Trace trace;
  if (!outcome.right()) return trace;
  for (const auto& kernel : outcome.statistics["kernels"]) {
    if (!kernel.contains("preexecution") || kernel["name"] == "cold_stream") continue;
    const auto& changes = kernel["preexecution"]["skip_factor"];
    const double half = (kernel["end_ps"].get<double>() - kernel["start_ps"].get<double>()) / 2;
    Json points = Json::array();
    for (const auto& change : changes) {
      points.push_back({change[0].get<double>() / 1000, change[1]});
      trace.any = true;
      // The first sample is the initial value and no change of it.
      if (change != changes.front() && change[0].get<double>() > half) trace.settled = false;
    }
    trace.points.push_back(std::move(points));
  }
  return trace;
}

}  // namespace

void measure_figure_4(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Benchmark& vecadd = benchmark("VD");
  static constexpr unsigned kUnrolls[] = {1, 2, 4, 8, 16};
  std::vector<Job> jobs;
  const auto way = [](unsigned unroll, const char* prefetcher, unsigned lines) {
    return Way{
        "adaptive",
        {fmt::format("cpu.l2.prefetcher={}", prefetcher), fmt::format("cpu.l2.prefetch_lines={}", lines)},
        {fmt::format("unroll_factor={}", unroll)},
        {}};
  };
  for (const char* prefetcher : {"none", "next-line"})
    for (const unsigned unroll : kUnrolls)
      jobs.push_back(job_of(experiments, vecadd, way(unroll, prefetcher, 1), setup));
  for (const unsigned lines : {2u, 4u})
    jobs.push_back(job_of(experiments, vecadd, way(8, "next-line", lines), setup));
  const auto outcomes = experiments.runner().run("Y-F4, VecAdd", jobs);

  std::map<std::string, Rates> rates;
  for (std::size_t i = 0; i < 10; ++i) {
    const auto one = rates_of(*outcomes[i]);
    const std::string name = fmt::format("un_{}{}", kUnrolls[i % 5], i < 5 ? "" : "_pref");
    if (!one) {
      out.notes[""] = name + " has no rate: " + outcomes[i]->error_line();
      return;
    }
    rates[name] = *one;
    out.figures["4"][name] = {{"processor", one->processor}, {"gpu", one->gpu}};
  }
  out.keep("unroll_16", ratio(rates["un_16"].processor, rates["un_1"].processor), "no request");
  out.keep("gpu_share", ratio(rates["un_8_pref"].gpu, rates["un_8_pref"].processor), "no request");
  double most_unrolled = 0;
  for (const unsigned unroll : kUnrolls)
    most_unrolled = std::max(most_unrolled, rates[fmt::format("un_{}", unroll)].processor);
  out.keep("prefetcher_share", ratio(rates["un_8_pref"].processor, most_unrolled), "no request");
  const Point next_line(*outcomes[8]);
  std::optional<double> more;
  for (std::size_t i = 10; i < 12; ++i)
    if (const auto one = gain(Point(*outcomes[i]), next_line)) more = std::max(more.value_or(*one), *one);
  out.keep("more_lines", more, outcomes[10]->error_line());
}

void measure_figure_6(Experiments& experiments, const Setup& setup, Measurements& out) {
  std::vector<Job> jobs;
  for (const Benchmark& one : benchmarks()) jobs.push_back(job_of(experiments, one, kAdaptive, setup));
  const auto outcomes = experiments.runner().run("Y-F6", jobs);
  double settled = 0, moving = 0;
  std::string moved;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::string name = benchmarks()[i].name;
    const Trace trace = trace_of(*outcomes[i]);
    if (!trace.any) {
      out.notes[""] = name + " has no skip factors: " + outcomes[i]->error_line();
      return;
    }
    out.figures["6"][name] = trace.points;
    if (!trace.settled) moved += (moved.empty() ? "moving: " : ", ") + name;
    if (name == "BS" || name == "MV")
      moving += !trace.settled;
    else
      settled += trace.settled;
  }
  out.values["settled"] = settled;
  out.values["moving"] = moving;
  out.notes["settled"] = out.notes["moving"] = moved.empty() ? "none moves" : moved;
}

void measure_table_1(Experiments& experiments, const Setup& setup, Measurements& out) {
  std::vector<Job> jobs;
  for (const Benchmark& one : benchmarks()) {
    Way way;
    way.run_options = {"--functional"};
    Job job = job_of(experiments, one, way, setup);
    // The table's sizes, also with --quick; the geometry is every launch's.
    job.arguments = setup.options;
    if (std::string(one.name) == "FFT") job.arguments.insert(job.arguments.end(), {"--passes", "1"});
    if (std::string(one.name) == "BS") job.arguments.insert(job.arguments.end(), {"--launches", "1"});
    jobs.push_back(std::move(job));
  }
  const auto outcomes = experiments.runner().run("Y-tab1", jobs);
  double wrong = 0;
  std::string names;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Benchmark& one = benchmarks()[i];
    bool right = outcomes[i]->right();
    if (right) {
      const auto& kernel = outcomes[i]->statistics["kernels"][0];
      double blocks = 1, threads = 1;
      for (const auto& side : kernel["grid"]) blocks *= side.get<double>();
      for (const auto& side : kernel["block"]) threads *= side.get<double>();
      out.figures["table 1"][one.name] = {{"threads", blocks * threads}, {"threads_per_block", threads}};
      right = blocks * threads == one.threads && threads == one.threads_per_block;
    }
    wrong += !right;
    if (!right) names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  out.values["wrong"] = wrong;
  out.notes["wrong"] = names;
}

void measure_algorithm(Experiments& experiments, const Setup& setup, Measurements& out) {
  Setup plain = setup;
  plain.options.clear();
  std::vector<Job> jobs;
  for (const Benchmark& one : benchmarks()) {
    jobs.push_back(job_of(experiments, one, kAdaptive, plain));
    jobs.back().arguments = experiments.options().quick ? one.quick : Strings{};
    if (std::string(one.name) == "FFT") jobs.back().arguments = {"--passes", "1"};
    if (std::string(one.name) == "BS") jobs.back().arguments = {"--launches", "1"};
  }
  for (const std::string& source : setup.options) {
    Job job{source, {}, {}, setup.machine, setup.sets};
    job.run_options = {"--preexec", "adaptive"};
    jobs.push_back(std::move(job));
  }
  const auto outcomes = experiments.runner().run("Y-alg", jobs);
  double missing = 0, accesses = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Point point(*outcomes[i]);
    if (!point.right || point.accesses == 0) {
      out.notes[""] = jobs[i].source + ": " + (point.right ? "no program" : outcomes[i]->error_line());
      return;
    }
    accesses += point.accesses;
    missing += point.accesses - point.covered;
  }
  out.values["missing"] = missing;
  out.notes["missing"] = fmt::format("of {} accesses, each launch counted", accesses);
}

}  // namespace duet::reproduce::yang2012
