#include "machine/watch/interval_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "machine/feature.h"
#include "machine/run_options.h"
#include "machine/watch/interval_options.h"
#include "sim/engine.h"

namespace duet::machine {

namespace {

// What is told of each component.
constexpr std::array<std::string_view, 8> kOfComponents = {
    "dram.read_bytes",      "dram.written_bytes", "dram.data_bus_busy_cycles", "dram.queued",
    "sm.warp_instructions", "sm.slots_issued",    "sm.resident_warps",         "copy_engine.bytes"};

// What all components have counted. Of a core what it owes is missing: to which of its slots a wait belongs
// it says when the wait is over.
sim::Statistics::Values totals_of(System& system) {
  sim::Statistics& statistics = system.statistics();
  const std::vector<sim::Statistic>& declared = statistics.declared();
  sim::Statistics::Values totals(declared.size());
  std::vector<std::size_t> states;
  for (std::size_t i = 0; i < declared.size(); ++i)
    if (declared[i].kind == sim::StatisticKind::State) states.push_back(i);
  for (sim::Component* component : system.engine().components()) {
    const std::vector<sim::StatisticGroup*>& groups = component->statistic_groups();
    if (groups.empty() || groups.front()->prefix() != "core.") component->settle_statistics();
    for (const sim::StatisticGroup* group : groups)
      for (const sim::StatisticGroup::Declared& one : group->declared()) {
        if (one.kind != sim::StatisticKind::State) continue;
        const std::string name = group->prefix() + one.name;
        for (const std::size_t i : states)
          if (declared[i].name == name) totals[i] += static_cast<const sim::State*>(one.value)->now();
      }
  }
  statistics.look();
  const std::vector<std::uint32_t>& statistic_of_value = statistics.statistic_of_value();
  sim::Statistics::Values values(statistic_of_value.size());
  statistics.of_components(values.data());
  for (std::size_t i = 0; i < values.size(); ++i) totals[statistic_of_value[i]] += values[i];
  return totals;
}

}  // namespace

IntervalSampler::IntervalSampler(System& system, report::JournalWriter& journal, Picoseconds interval_ps,
                                 Cycle cycles)
    : system_(system),
      journal_(journal),
      interval_ps_(interval_ps),
      interval_cycles_(cycles),
      core_(system.config().gpu.core_clock_khz * 1000) {
  describe();
  before_.resize(system.statistics().declared().size() + of_components_.size());
  increase_.resize(before_.size());
  system.engine().observe(*this, end_of(next_));
}

void IntervalSampler::describe() {
  std::string lines;
  const auto add = [&](const std::string& statistic, const std::string& component, sim::StatisticKind kind) {
    lines += statistic + '\t' + component + '\t' +
             (kind == sim::StatisticKind::Count   ? "count"
              : kind == sim::StatisticKind::State ? "state"
                                                  : "most") +
             '\n';
  };
  for (const sim::Statistic& statistic : system_.statistics().declared())
    add(statistic.name, "", statistic.kind);
  for (const sim::Statistics::Part& part : system_.statistics().parts())
    for (const sim::StatisticGroup* group : part.component->statistic_groups())
      for (const sim::StatisticGroup::Declared& one : group->declared()) {
        const std::string name = group->prefix() + one.name;
        if (std::find(kOfComponents.begin(), kOfComponents.end(), name) == kOfComponents.end()) continue;
        of_components_.push_back({one.kind, one.value});
        add(name, part.component->name(), one.kind);
      }
  journal_.append(report::RecordType::IntervalColumns, lines.data(), 0, lines);
}

Picoseconds IntervalSampler::end_of(std::uint64_t interval) const {
  return interval_ps_ != 0 ? interval * interval_ps_ : core_.edge(interval * interval_cycles_);
}

// The last interval that ends before this time.
std::uint64_t IntervalSampler::last_before(Picoseconds time) const {
  return interval_ps_ != 0 ? (time - 1) / interval_ps_ : core_.cycle_at(time - 1) / interval_cycles_;
}

Picoseconds IntervalSampler::look(Picoseconds next) {
  const Picoseconds now = system_.engine().now();
  const std::vector<sim::Statistic>& declared = system_.statistics().declared();
  const sim::Statistics::Values totals = totals_of(system_);
  const auto tell = [&](std::size_t i, sim::StatisticKind kind, std::uint64_t value) {
    increase_[i] = kind == sim::StatisticKind::State   ? value
                   : kind == sim::StatisticKind::Count ? value - before_[i]
                                                       : 0;
    before_[i] = value;
  };
  for (std::size_t i = 0; i < declared.size(); ++i) tell(i, declared[i].kind, totals[i]);
  for (std::size_t i = 0; i < of_components_.size(); ++i) {
    const Value& one = of_components_[i];
    std::uint64_t value = 0;
    if (one.kind == sim::StatisticKind::State)
      value = static_cast<const sim::State*>(one.at)->now();
    else
      std::memcpy(&value, one.at, sizeof value);
    tell(declared.size() + i, one.kind, value);
  }
  const report::IntervalRecord interval{start_ps_, now};
  record_.resize(sizeof interval);
  std::memcpy(record_.data(), &interval, sizeof interval);
  report::add_increases(record_, increase_);
  journal_.append(report::RecordType::Interval, record_.data(), record_.size());
  start_ps_ = now;
  // The machine stands as it does until `next`: of a longer time one more interval is told, at its end.
  next_ = std::max(next_ + 1, last_before(next));
  return end_of(next_);
}

namespace {

class Intervals final : public Feature {
 public:
  explicit Intervals(const IntervalOptions& options) : options_(options) {}
  const char* option() const override { return "--interval"; }
  void attach(System& system, report::JournalWriter* journal) override {
    if (journal != nullptr) sampler_.emplace(system, *journal, options_.ps, options_.cycles);
  }

 private:
  const IntervalOptions options_;
  std::optional<IntervalSampler> sampler_;
};

// "10us", "500ns", "1000cycles": a whole number and a unit, an hour of simulated time at most.
void set_interval(IntervalOptions& options, const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const Picoseconds ps = unit == "ns" ? 1000 : unit == "us" ? 1'000'000 : unit == "ms" ? 1'000'000'000 : 1;
  constexpr Picoseconds kMost = 3600 * kPicosecondsPerSecond;
  if (error != std::errc() || number == 0 || (ps == 1 && unit != "cycles") || number > kMost / ps)
    throw Error(
        fmt::format("--interval {}: give a whole number from 1 and a unit: 500ns, 10us, 1ms or "
                    "1000cycles (of the GPU's core clock)",
                    text));
  options.ps = ps == 1 ? 0 : number * ps;
  options.cycles = ps == 1 ? number : 0;
}

std::string text_of(const IntervalOptions& options) {
  return options.ps != 0       ? fmt::format("{}ns", options.ps / 1000)
         : options.cycles != 0 ? fmt::format("{}cycles", options.cycles)
                               : "";
}

}  // namespace

std::vector<OptionField> IntervalOptions::fields() {
  return {{.key = "interval",
           .place = TextPlace{[this] { return text_of(*this); },
                              [this](const std::string& text) { set_interval(*this, text); }, "500ns"},
           .word = "--interval",
           .text = "what the machine counts in each such interval of simulated time, in stats.json and as "
                   "counter tracks in timeline.pftrace; changes no result",
           .type_name = "N(ns|us|ms|cycles)"}};
}

std::unique_ptr<Feature> IntervalOptions::feature(const RunOptions&) const {
  return any() ? std::make_unique<Intervals>(*this) : nullptr;
}

}  // namespace duet::machine
