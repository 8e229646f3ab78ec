#include "sim/statistics.h"

#include <algorithm>
#include <cstring>

#include "sim/engine.h"

namespace duet::sim {

StatisticGroup::StatisticGroup(Component& owner, std::string prefix) : prefix_(std::move(prefix)) {
  owner.declare(*this);
}

Statistics::Statistics(const Engine& engine) {
  for (Component* component : engine.components()) {
    const std::size_t first = statistic_of_value_.size();
    for (const StatisticGroup* group : component->statistic_groups()) add(*group);
    if (!component->statistic_groups().empty()) counting_.push_back(component);
    parts_.push_back({component, first, statistic_of_value_.size() - first});
  }
}

void Statistics::add(const StatisticGroup& group) {
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
    if (!runs_.empty()) {
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

void Statistics::settle() {
  for (Component* component : counting_) component->settle_statistics();
}

Statistics::Values Statistics::totals(bool with_states) {
  settle();
  Values totals(declared_.size());
  for (const Run& run : runs_) {
    std::uint64_t* const sum = totals.data() + run.total;
    const auto value = [&](std::size_t i) {
      std::uint64_t result;
      std::memcpy(&result, run.values + i * sizeof result, sizeof result);
      return result;
    };
    if (run.most)
      for (std::size_t i = 0; i < run.count; ++i) sum[i] = std::max(sum[i], value(i));
    else
      for (std::size_t i = 0; i < run.count; ++i) sum[i] += value(i);
  }
  if (with_states)
    for (const NamedState& state : states_) totals[state.total] += state.state->now();
  return totals;
}

Statistics::Values Statistics::since(const Values& before, const Values& now) const {
  Values increase(declared_.size());
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (declared_[i].kind == StatisticKind::Count) increase[i] = now[i] - before[i];
  return increase;
}

void Statistics::of_components(std::uint64_t* values) const {
  for (const Run& run : runs_) {
    std::memcpy(values, run.values, run.count * sizeof *values);
    values += run.count;
  }
}

}  // namespace duet::sim
