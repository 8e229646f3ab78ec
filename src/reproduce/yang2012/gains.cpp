// Figures 10 to 13, the gain of a perfect L3, the source of MonteCarlo's gain, and the GPU's own prefetcher.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "reproduce/yang2012/figures.h"
#include "reproduce/yang2012/grid.h"

namespace duet::reproduce::yang2012 {

using Json = nlohmann::ordered_json;

namespace {

Json or_null(std::optional<double> value) { return value ? Json(*value) : Json(); }

// Arithmetic mean over the benchmarks with a value.
template <typename Value>
std::optional<double> mean_of(const Points& points, const Value& value) {
  double sum = 0;
  unsigned count = 0;
  for (const auto& [name, point] : points) {
    if (!point.right) return std::nullopt;
    const std::optional<double> one = value(point);
    if (!one) continue;
    sum += *one;
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / count);
}

std::optional<double> instruction_share(const Point& point) {
  if (point.thread_instructions == 0) return std::nullopt;
  return 100 * point.processor_instructions / point.thread_instructions;
}

struct Best {
  std::optional<double> most, next;
  std::string of;
};
Best best_gain(const Points& with, const Points& without) {
  Best best;
  for (const auto& [name, point] : with) {
    const auto one = gain(point, without.at(name));
    if (!one) return {};
    if (best.most && *one <= *best.most) {
      best.next = std::max(best.next.value_or(*one), *one);
      continue;
    }
    best.next = best.most;
    best.most = one;
    best.of = name;
  }
  return best;
}

// Every benchmark's gain as a quantity of its own.
void keep_gains(const std::string& prefix, const Points& with, const Points& without, Measurements& out) {
  for (const auto& [name, point] : with)
    out.keep(prefix + "_" + name, gain(point, without.at(name)), failed({&with, &without}));
}

Json figure_10_cell(const Point& point) {
  if (!point.right) return {{"error", point.outcome->error_line()}};
  return {{"ipc", point.ipc()}, {"cycles", point.cycles}};
}

Way with_all_starts(Way way) {
  way.starts = kStarts;
  return way;
}

}  // namespace

// The means over starts of a way to run all benchmarks, and how they lie apart.
void keep_mean_gain(const char* quantity, const Points& with, const Points& without, Measurements& out) {
  out.keep(quantity, mean_gain(with, without), failed({&without, &with}));
  const auto range = range_of_mean_gains(with, without);
  if (range && with.begin()->second.cycles_of_starts.size() > 1)
    out.notes[quantity] = fmt::format("single starts from {:.1f} to {:.1f}", range->first, range->second);
}

void measure_figure_10(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Points off = run(experiments, "Y-F10, no pre-execution", with_all_starts(kOff), setup),
               adaptive = run(experiments, "Y-F10, adaptive", with_all_starts(kAdaptive), setup);
  const std::string why = failed({&off, &adaptive});
  const auto keep = [&](const char* quantity, std::optional<double> value) {
    out.keep(quantity, value, why);
  };

  keep_mean_gain("adaptive_mean", adaptive, off, out);
  const Best best = best_gain(adaptive, off);
  keep("adaptive_best", best.most);
  if (best.most) out.notes["adaptive_best"] = best.of;
  const auto mc = adaptive.find("MC");
  const auto of_mc = mc == adaptive.end() ? std::nullopt : gain(mc->second, off.at("MC"));
  const auto others = best.of == "MC" ? best.next : best.most;
  keep("mc_lead", of_mc && others ? std::optional(*of_mc - *others) : std::nullopt);
  keep_gains("adaptive", adaptive, off, out);

  const auto rate = [](const Point& point) { return std::optional(point.l3_hit_rate()); };
  const auto rate_off = mean_of(off, rate), rate_on = mean_of(adaptive, rate);
  keep("l3_off", rate_off);
  keep("l3_adaptive", rate_on);
  keep("l3_rise", rate_off && rate_on ? std::optional(*rate_on - *rate_off) : std::nullopt);
  keep("accuracy", mean_of(adaptive, [](const Point& point) { return point.accuracy(); }));
  keep("instructions_adaptive", mean_of(adaptive, instruction_share));

  for (const auto& [name, without] : off) {
    const Point& with = adaptive.at(name);
    Json& figure_10 = out.figures["10"][name];
    figure_10["no-preex"] = figure_10_cell(without);
    figure_10["adaptive"] = figure_10_cell(with);
    figure_10["adaptive_gain_percent"] = or_null(gain(with, without));
    figure_10["adaptive_gains_of_starts"] = gains(with, without);
    out.figures["11"][name] = {{"no-preex", without.l3_hit_rate()}, {"adaptive", with.l3_hit_rate()}};
    out.figures["12"][name] = {{"accuracy_percent", or_null(with.accuracy())},
                               {"lines", with.count("l3.processor_fills")},
                               {"lines_of_the_gpu", with.reads_at_l3("misses")}};
    out.figures["13"][name]["adaptive"] = or_null(instruction_share(with));
  }
}

void measure_figure_10_profiled(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Points off = run(experiments, "Y-F10, no pre-execution", with_all_starts(kOff), setup),
               adaptive = run(experiments, "Y-F10, adaptive", with_all_starts(kAdaptive), setup);
  std::map<std::string, unsigned> factors;
  const Points profiled = run_profiled(experiments, "Y-F10, profiled", setup, factors);
  const std::string why = failed({&off, &adaptive, &profiled});

  keep_mean_gain("profiled_mean", profiled, off, out);
  const auto adaptive_mean = mean_gain(adaptive, off), profiled_mean = mean_gain(profiled, off);
  out.keep("profiled_lead",
           adaptive_mean && profiled_mean ? std::optional(*profiled_mean - *adaptive_mean) : std::nullopt,
           why);
  const Best best = best_gain(profiled, off);
  out.keep("profiled_best", best.most, why);
  if (best.most) out.notes["profiled_best"] = best.of;
  out.keep("instructions_profiled", mean_of(profiled, instruction_share), why);

  for (const auto& [name, without] : off) {
    const Point& fixed = profiled.at(name);
    Json& figure_10 = out.figures["10"][name];
    figure_10["profiled"] = figure_10_cell(fixed);
    figure_10["skip_factor"] = factors[name];
    figure_10["profiled_gain_percent"] = or_null(gain(fixed, without));
    figure_10["profiled_gains_of_starts"] = gains(fixed, without);
    out.figures["13"][name]["profiled"] = or_null(instruction_share(fixed));
  }
}

void measure_perfect_l3(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Points off = run(experiments, "Y-F10, no pre-execution", with_all_starts(kOff), setup),
               perfect =
                   run(experiments, "Y-F10, perfect L3", {"off", {"level[0].perfect=true"}, {}, {}}, setup);
  keep_gains("perfect", perfect, off, out);
  out.keep("perfect_mean", mean_gain(perfect, off), failed({&off, &perfect}));
  for (const auto& [name, with] : perfect) {
    out.figures["10"][name]["perfect L3"] = figure_10_cell(with);
    out.figures["10"][name]["perfect_gain_percent"] = or_null(gain(with, off.at(name)));
  }
}

// MonteCarlo on the machine, and on one whose channels are a hash of the address, where no stride meets the
// same channel again and again.
void measure_partition_conflicts(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Benchmark& mc = benchmark("MC");
  const Strings hashed = {"gpu.dram.hash_channels=true"};
  const auto outcomes = experiments.runner().run(
      "Y-mc", {job_of(experiments, mc, kOff, setup), job_of(experiments, mc, kAdaptive, setup),
               job_of(experiments, mc, {"off", hashed, {}, {}}, setup),
               job_of(experiments, mc, {"adaptive", hashed, {}, {}}, setup)});
  const Point off(*outcomes[0]), on(*outcomes[1]), hashed_off(*outcomes[2]), hashed_on(*outcomes[3]);
  const auto own = gain(on, off), without_conflicts = gain(hashed_on, hashed_off);
  if (!own || !without_conflicts) {
    for (const Outcome* outcome : outcomes)
      if (!outcome->right()) out.notes["points_lost"] = "a run failed: " + outcome->error_line();
    return;
  }
  out.values["points_lost"] = *own - *without_conflicts;
  out.notes["points_lost"] =
      fmt::format("gain {:.2f} %, with hashed channels {:.2f} %, which alone gives {:.2f} %", *own,
                  *without_conflicts, *gain(hashed_off, off));
}

void measure_stride_prefetcher(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Points off = run(experiments, "Y-strd, no prefetcher", kOff, setup),
               on = run(experiments, "Y-strd, stride prefetcher",
                        {"off", {"gpu.l1.prefetcher=stride"}, {}, {}}, setup);
  out.keep("mean_gain", mean_gain(on, off), failed({&off, &on}));
  for (const Benchmark& one : benchmarks())
    out.figures["stride prefetcher"][one.name] = or_null(gain(on.at(one.name), off.at(one.name)));
}

}  // namespace duet::reproduce::yang2012
