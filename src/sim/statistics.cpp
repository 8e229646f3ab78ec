#include "sim/statistics.h"

#include <algorithm>
#include <cstring>

#include "sim/engine.h"

namespace duet::sim {

StatisticGroup::StatisticGroup(Component& owner, std::string prefix) : prefix_(std::move(prefix)) {
  owner.declare(*this);
}

std::vector<std::uint64_t> StatisticGroup::counts() const {
  std::vector<std::uint64_t> values;
  for (const std::uint64_t* counter : counters_) values.push_back(*counter);
  return values;
}

void StatisticGroup::add(const std::vector<std::uint64_t>& counts, std::uint64_t times) {
  for (std::size_t i = 0; i < counters_.size(); ++i) *counters_[i] += counts[i] * times;
}

Statistics::Statistics(const Engine& engine) : engine_(engine) {
  for (Component* component : engine.components()) {
    const std::size_t first = statistic_of_value_.size(), first_run = runs_.size();
    for (const StatisticGroup* group : component->statistic_groups()) add(*group, first_run);
    parts_.push_back({component, first, statistic_of_value_.size() - first});
    known_.push_back({component, component->number(), component->settle_statistics(),
                      static_cast<std::uint32_t>(first_run),
                      static_cast<std::uint32_t>(runs_.size() - first_run), 0});
  }
  values_.resize(statistic_of_value_.size());
  totals_.resize(declared_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) read(known_[i], parts_[i].first);
}

void Statistics::add(const StatisticGroup& group, std::size_t first_run) {
  for (const StatisticGroup::Declared& one : group.declared()) {
    const std::string name = group.prefix() + one.name;
    const auto found = std::find_if(declared_.begin(), declared_.end(),
                                    [&](const Statistic& known) { return known.name == name; });
    const auto total = static_cast<std::uint32_t>(found - declared_.begin());
    if (found == declared_.end()) declared_.push_back({name, one.unit, one.description, one.kind});
    if (one.kind == StatisticKind::State) {
      states_.push_back({static_cast<const State*>(one.value), total});
      continue;
    }
    statistic_of_value_.push_back(total);
    const auto* value = static_cast<const std::byte*>(one.value);
    const bool most = one.kind == StatisticKind::Most;
    if (runs_.size() > first_run) {
      Run& last = runs_.back();
      if (last.values + last.count * sizeof(std::uint64_t) == value && last.total + last.count == total &&
          last.most == most) {
        ++last.count;
        continue;
      }
    }
    runs_.push_back({value, total, 1, most});
  }
}

void Statistics::read(Known& known, std::size_t first_value) {
  std::uint64_t* old = values_.data() + first_value;
  for (std::uint32_t r = known.first_run; r < known.first_run + known.run_count; ++r) {
    const Run& run = runs_[r];
    std::uint64_t* const total = totals_.data() + run.total;
    for (std::size_t i = 0; i < run.count; ++i, ++old) {
      std::uint64_t value;
      std::memcpy(&value, run.values + i * sizeof value, sizeof value);
      total[i] = run.most ? std::max(total[i], value) : total[i] + (value - *old);
      if (value != *old) known.changed = reads_;
      *old = value;
    }
  }
}

Statistics::Values Statistics::totals(bool with_states) {
  ++reads_;
  const std::vector<std::uint64_t>& ticks = engine_.ticks();
  for (std::size_t i = 0; i < known_.size(); ++i) {
    Known& known = known_[i];
    const std::uint64_t own = ticks[known.number];
    if (known.ticks == own && !known.settles) continue;
    known.ticks = own;
    known.settles = known.component->settle_statistics();
    read(known, parts_[i].first);
  }
  Values totals = totals_;
  if (with_states)
    for (const NamedState& state : states_) totals[state.total] += state.state->now();
  return totals;
}

void Statistics::look() {
  ++reads_;
  for (std::size_t i = 0; i < known_.size(); ++i) read(known_[i], parts_[i].first);
}

Statistics::Values Statistics::since(const Values& before, const Values& now) const {
  Values increase(declared_.size());
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (declared_[i].kind == StatisticKind::Count) increase[i] = now[i] - before[i];
  return increase;
}

void Statistics::of_components(std::uint64_t* values, std::uint64_t unchanged_since) const {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (known_[i].changed > unchanged_since)
      std::copy_n(values_.data() + parts_[i].first, parts_[i].count, values + parts_[i].first);
}

}  // namespace duet::sim
