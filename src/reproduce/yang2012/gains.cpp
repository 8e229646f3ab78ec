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

void measure_figure_10(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Points off = run(experiments, "Y-F10, no pre-execution", with_all_starts(kOff), setup),
               adaptive = run(experiments, "Y-F10, adaptive", with_all_starts(kAdaptive), setup);
  std::map<std::string, unsigned> factors;
  const Points profiled = run_profiled(experiments, "Y-F10, profiled", setup, factors);
  const std::string why = failed({&off, &adaptive, &profiled});
  const auto keep = [&](const char* quantity, std::optional<double> value) {
    out.keep(quantity, value, why);
  };

  const auto adaptive_mean = mean_gain(adaptive, off), profiled_mean = mean_gain(profiled, off);
  keep("adaptive_mean", adaptive_mean);
  keep("profiled_mean", profiled_mean);
  keep("profiled_lead",
       adaptive_mean && profiled_mean ? std::optional(*profiled_mean - *adaptive_mean) : std::nullopt);
  const Best best = best_gain(adaptive, off), best_profiled = best_gain(profiled, off);
  keep("adaptive_best", best.most);
  keep("profiled_best", best_profiled.most);
  if (best.most) out.notes["adaptive_best"] = best.of;
  if (best_profiled.most) out.notes["profiled_best"] = best_profiled.of;
  const auto of_mc = gain(adaptive.at("MC"), off.at("MC"));
  keep("mc_lead", best.most && of_mc ? std::optional(*of_mc - (best.of == "MC" ? *best.next : *best.most))
                                     : std::nullopt);
  keep_gains("adaptive", adaptive, off, out);
  for (const auto& [quantity, with] : {std::pair("adaptive_mean", &adaptive), {"profiled_mean", &profiled}})
    if (const auto range = range_of_mean_gains(*with, off);
        range && adaptive.at("VD").cycles_of_starts.size() > 1)
      out.notes[quantity] = fmt::format("single starts from {:.1f} to {:.1f}", range->first, range->second);

  const auto rate = [](const Point& point) { return std::optional(point.l3_hit_rate()); };
  const auto rate_off = mean_of(off, rate), rate_on = mean_of(adaptive, rate);
  keep("l3_off", rate_off);
  keep("l3_adaptive", rate_on);
  keep("l3_rise", rate_off && rate_on ? std::optional(*rate_on - *rate_off) : std::nullopt);
  keep("accuracy", mean_of(adaptive, [](const Point& point) { return point.accuracy(); }));
  keep("instructions_adaptive", mean_of(adaptive, instruction_share));
  keep("instructions_profiled", mean_of(profiled, instruction_share));

  for (const Benchmark& one : benchmarks()) {
    const Point &without = off.at(one.name), &with = adaptive.at(one.name), &fixed = profiled.at(one.name);
    out.figures["10"][one.name] = {{"no-preex", figure_10_cell(without)},
                                   {"adaptive", figure_10_cell(with)},
                                   {"profiled", figure_10_cell(fixed)},
                                   {"skip_factor", factors[one.name]},
                                   {"adaptive_gain_percent", or_null(gain(with, without))},
                                   {"profiled_gain_percent", or_null(gain(fixed, without))},
                                   {"adaptive_gains_of_starts", gains(with, without)},
                                   {"profiled_gains_of_starts", gains(fixed, without)}};
    out.figures["11"][one.name] = {{"no-preex", without.l3_hit_rate()}, {"adaptive", with.l3_hit_rate()}};
    out.figures["12"][one.name] = {{"accuracy_percent", or_null(with.accuracy())},
                                   {"lines", with.count("l3.processor_fills")},
                                   {"lines_of_the_gpu", with.reads_at_l3("misses")}};
    out.figures["13"][one.name] = {{"adaptive", or_null(instruction_share(with))},
                                   {"profiled", or_null(instruction_share(fixed))}};
  }
}

void measure_perfect_l3(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Points off = run(experiments, "Y-F10, no pre-execution", with_all_starts(kOff), setup),
               perfect =
                   run(experiments, "Y-F10, perfect L3", {"off", {"level[0].perfect=true"}, {}, {}}, setup);
  keep_gains("perfect", perfect, off, out);
  out.keep("perfect_mean", mean_gain(perfect, off), failed({&off, &perfect}));
  for (const Benchmark& one : benchmarks()) {
    out.figures["10"][one.name]["perfect L3"] = figure_10_cell(perfect.at(one.name));
    out.figures["10"][one.name]["perfect_gain_percent"] =
        or_null(gain(perfect.at(one.name), off.at(one.name)));
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
