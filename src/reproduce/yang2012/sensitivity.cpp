// Figures 14 to 17: the same gains on slower and faster GPUs and memories, on narrower and wider SMs, and
// with other parameters of the pre-execution program.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/cores_for_gpu/preexecution_options.h"
#include "reproduce/yang2012/figures.h"
#include "reproduce/yang2012/grid.h"

namespace duet::reproduce::yang2012 {

using Json = nlohmann::ordered_json;

namespace {

struct Variant {
  const char* name;
  Strings sets;     // of the machine
  Strings preexec;  // of the program
};

struct Pair {
  Points off, on;
  std::optional<double> mean() const { return mean_gain(on, off); }
  std::optional<double> of(const char* name) const { return gain(on.at(name), off.at(name)); }
  std::string why() const { return failed({&off, &on}); }
};

Pair run_pair(Experiments& experiments, const std::string& title, const Variant& variant,
              const Setup& setup) {
  return {run(experiments, fmt::format("{}, {}, no pre-execution", title, variant.name),
              {"off", variant.sets, {}, {}}, setup),
          run(experiments, fmt::format("{}, {}, adaptive", title, variant.name),
              {"adaptive", variant.sets, variant.preexec, {}}, setup)};
}

std::optional<double> difference(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a - *b) : std::nullopt;
}

// Of some benchmarks, how their gain changes: the least of the changes, or the most.
std::optional<double> extreme(const Pair& to, const Pair& from, std::initializer_list<const char*> names,
                              bool most) {
  std::optional<double> result;
  for (const char* name : names) {
    const auto change = difference(to.of(name), from.of(name));
    if (!change) return std::nullopt;
    result = !result ? change : most ? std::max(*result, *change) : std::min(*result, *change);
  }
  return result;
}

// Gains, and the time without pre-execution as a share of the unchanged machine's. `baseline_scale`: the
// length of a cycle there, in cycles of the unchanged machine.
void show(const char* figure, const Variant& variant, const Pair& pair, const Pair& own,
          double baseline_scale, Measurements& out) {
  for (const Benchmark& one : benchmarks()) {
    const auto own_gain = pair.of(one.name);
    const double own_cycles = own.off.at(one.name).cycles;
    out.figures[figure][variant.name][one.name] = {
        {"gain_percent", own_gain ? Json(*own_gain) : Json()},
        {"normalized_time",
         own_cycles == 0 ? Json() : Json(pair.off.at(one.name).cycles * baseline_scale / own_cycles)}};
  }
}

const Variant kOwn{"the machine itself", {}, {}};

// Of the units that an SM has half of: a warp instruction takes them twice as long.
Strings twice_the_intervals(const config::Sm& sm) {
  Strings sets;
  for (const auto& [name, timing] : {std::pair("integer", &sm.integer),
                                     {"floating", &sm.floating},
                                     {"half", &sm.half},
                                     {"conversion", &sm.conversion},
                                     {"control", &sm.control},
                                     {"integer_multiply", &sm.integer_multiply}})
    sets.push_back(fmt::format("gpu.sm.{}.interval_cycles={}", name, 2 * timing->interval_cycles));
  return sets;
}

// The claims of both clocks' figures: gains shrink at one end, and at the other three benchmarks gain more,
// three less.
void keep_trends(const Pair& low, const Pair& own, const Pair& high, Measurements& out) {
  const std::string why = low.why() + own.why() + high.why();
  out.keep("shrink", difference(own.mean(), low.mean()), why);
  out.keep("memory_bound_change", extreme(high, own, {"VD", "FFT", "BSc"}, false), why);
  out.keep("other_change", extreme(high, own, {"TMV", "MV", "MC"}, true), why);
}

}  // namespace

void measure_figure_14(Experiments& experiments, const Setup& setup, Measurements& out) {
  // Section 3 gives L3's latency in cycles of the GPU, 20.
  const Variant slow{
      "267 MHz",
      {"gpu.core_clock_khz=267000", "gpu.interconnect.clock_khz=267000", "level[0].wire_cycles=78"},
      {}},
      fast{"800 MHz",
           {"gpu.core_clock_khz=800000", "gpu.interconnect.clock_khz=800000", "level[0].wire_cycles=19"},
           {}};
  const Pair own = run_pair(experiments, "Y-F14", kOwn, setup),
             at_slow = run_pair(experiments, "Y-F14", slow, setup),
             at_fast = run_pair(experiments, "Y-F14", fast, setup);
  show("14", kOwn, own, own, 1, out);
  show("14", slow, at_slow, own, 480.0 / 267, out);
  show("14", fast, at_fast, own, 480.0 / 800, out);
  keep_trends(at_slow, own, at_fast, out);
}

void measure_figure_15(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Variant slow{"300 MHz", {"gpu.dram.command_clock_khz=300000"}, {}},
      fast{"1200 MHz", {"gpu.dram.command_clock_khz=1200000"}, {}};
  const Pair own = run_pair(experiments, "Y-F15", kOwn, setup),
             at_slow = run_pair(experiments, "Y-F15", slow, setup),
             at_fast = run_pair(experiments, "Y-F15", fast, setup);
  show("15", kOwn, own, own, 1, out);
  show("15", slow, at_slow, own, 1, out);
  show("15", fast, at_fast, own, 1, out);
  keep_trends(at_fast, own, at_slow, out);
}

void measure_figure_16(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Variant narrow{"16 SPs", twice_the_intervals(experiments.resolved(setup).gpu.sm), {}},
      dual{"64 SPs, two warp instructions a cycle",
           {"gpu.sm.schedulers=2", "gpu.sm.sp_units=2", "gpu.sm.fetch_instructions=4",
            "gpu.sm.instruction_buffer=4"},
           {}},
      wide{"64 SPs, warps of 64 threads",
           {"gpu.sm.warp_width=64", "gpu.sm.max_warps=12", "gpu.sm.warp_allocation_unit=1"},
           {}};
  const Pair own = run_pair(experiments, "Y-F16", kOwn, setup);
  show("16", kOwn, own, own, 1, out);
  for (const auto& [quantity, variant] :
       {std::pair("mean_16", narrow), {"mean_64", dual}, {"mean_64_wide", wide}}) {
    const Pair pair = run_pair(experiments, "Y-F16", variant, setup);
    show("16", variant, pair, own, 1, out);
    out.keep(quantity, pair.mean(), pair.why());
  }
  out.keep("mean_32", own.mean(), own.why());
}

void measure_figure_17(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Points off = run(experiments, "Y-F17, no pre-execution", kOff, setup);
  std::map<std::string, Points> on;
  const auto measure = [&](const char* key, unsigned value, unsigned own) {
    const std::string set = fmt::format("{}={}", key, value);
    const Way way{"adaptive", {}, value == own ? Strings{} : Strings{set}, {}};
    const Points& points = on.emplace(set, run(experiments, "Y-F17, " + set, way, setup)).first->second;
    for (const auto& [name, point] : points) out.figures["17"][set][name] = {{"ipc", point.ipc()}};
  };
  const machine::PreexecutionOptions options;  // those of all other figures
  for (const unsigned batch_size : {8, 16, 32}) measure("batch_size", batch_size, options.batch_size);
  for (const unsigned threshold : {10, 20, 50}) measure("threshold", threshold, options.threshold);
  const auto mean = [&](const char* set) { return mean_gain(on.at(set), off); };
  // As a share of the gain itself, in percent: where there is none, nothing can be said to matter little.
  const auto spread = [&](std::initializer_list<const char*> sets, const char* of) -> std::optional<double> {
    std::optional<double> least, most;
    for (const char* set : sets) {
      const auto one = mean(set);
      if (!one) return std::nullopt;
      least = std::min(least.value_or(*one), *one);
      most = std::max(most.value_or(*one), *one);
    }
    return 100 * (*most - *least) / std::max(std::abs(*mean(of)), 0.01);
  };
  std::string why = failed({&off});
  for (const auto& [set, points] : on) why = why.empty() ? failed({&points}) : why;
  out.keep("batch_spread", spread({"batch_size=8", "batch_size=16", "batch_size=32"}, "batch_size=16"), why);
  out.keep("threshold_spread", spread({"threshold=10", "threshold=20", "threshold=50"}, "threshold=10"), why);
  const auto small = mean("batch_size=8"), own = mean("batch_size=16"), large = mean("batch_size=32");
  out.keep("batch_16_lead",
           small && own && large ? std::optional(*own - std::max(*small, *large)) : std::nullopt, why);
  out.keep("bsc_likes_large",
           difference(gain(on.at("batch_size=32").at("BSc"), off.at("BSc")),
                      gain(on.at("batch_size=8").at("BSc"), off.at("BSc"))),
           why);
  if (small && own && large)
    out.notes["batch_spread"] =
        fmt::format("mean gains {:.2f}, {:.2f} and {:.2f} % with 8, 16 and 32", *small, *own, *large);
}

}  // namespace duet::reproduce::yang2012
