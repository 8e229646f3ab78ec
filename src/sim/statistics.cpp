#include "sim/statistics.h"

#include <algorithm>
#include <cstring>
#include <string_view>

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
    const auto part = static_cast<std::uint32_t>(parts_.size());
    part_of_number_.resize(component->number() + 1, kNoPart);
    part_of_number_.back() = part;
    parts_.push_back({component, first, statistic_of_value_.size() - first});
    known_.push_back({component, component->settle_statistics(), static_cast<std::uint32_t>(first_run),
                      static_cast<std::uint32_t>(runs_.size() - first_run)});
    if (known_.back().settles) settling_.push_back(part);
  }
  ticks_.resize(part_of_number_.size());
  values_.resize(statistic_of_value_.size());
  totals_.resize(declared_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) read(known_[i], parts_[i].first);
}

void Statistics::add(const StatisticGroup& group, std::size_t first_run) {
  std::size_t next = declared_.size();
  for (const StatisticGroup::Declared& one : group.declared()) {
    // Mostly the group is of a kind that is known: its statistics follow each other.
    const auto is_named = [&](std::string_view name) {
      return name.starts_with(group.prefix()) && name.substr(group.prefix().size()) == one.name;
    };
    const auto has_name = [&](const Statistic& known) { return is_named(known.name); };
    if (next >= declared_.size() || !has_name(declared_[next])) {
      const auto found = std::find_if(declared_.begin(), declared_.end(), has_name);
      next = static_cast<std::size_t>(found - declared_.begin());
      if (found == declared_.end())
        declared_.push_back({group.prefix() + one.name, one.unit, one.description, one.kind});
    }
    const auto total = static_cast<std::uint32_t>(next++);
    if (one.kind == StatisticKind::State) {
      states_.push_back({static_cast<const State*>(one.value), total});
      continue;
    }
    statistic_of_value_.push_back(total);
    const auto* value = static_cast<const std::byte*>(one.value);
    if (runs_.size() > first_run) {
      Run& last = runs_.back();
      if (last.values + last.count * sizeof(std::uint64_t) == value && last.total + last.count == total) {
        ++last.count;
        continue;
      }
    }
    runs_.push_back({value, total, 1});
  }
}

void Statistics::read(Known& known, std::size_t first_value) {
  std::uint64_t* old = values_.data() + first_value;
  for (std::uint32_t r = known.first_run; r < known.first_run + known.run_count; ++r) {
    const Run& run = runs_[r];
    std::size_t i = 0;
    const auto value = [&](std::size_t of) {
      std::uint64_t result;
      std::memcpy(&result, run.values + of * sizeof result, sizeof result);
      return result;
    };
    const auto look_at = [&](std::size_t end) {
      for (; i < end; ++i) {
        const std::uint64_t now = value(i);
        if (now == old[i]) continue;
        std::uint64_t& total = totals_[run.total + i];
        const bool most = declared_[run.total + i].kind == StatisticKind::Most;
        total = most ? std::max(total, now) : total + (now - old[i]);
        known.changed = reads_;
        old[i] = now;
      }
    };
    // Few of them have changed.
    constexpr std::size_t kStep = 4;
    for (std::size_t next = kStep; next <= run.count; i = next, next += kStep)
      if (((value(i) ^ old[i]) | (value(i + 1) ^ old[i + 1]) | (value(i + 2) ^ old[i + 2]) |
           (value(i + 3) ^ old[i + 3])) != 0)
        look_at(next);
    look_at(run.count);
    old += run.count;
  }
}

void Statistics::read_anew(std::uint32_t part) {
  Known& known = known_[part];
  known.read = reads_;
  known.settles = known.component->settle_statistics();
  read(known, parts_[part].first);
}

void Statistics::read_ticked(std::size_t from, std::size_t end) {
  const std::vector<std::uint64_t>& ticks = engine_.ticks();
  for (std::size_t number = from; number < end; ++number) {
    if (ticks_[number] == ticks[number]) continue;
    ticks_[number] = ticks[number];
    const std::uint32_t part = part_of_number_[number];
    if (part == kNoPart) continue;
    const bool settled = known_[part].settles;
    read_anew(part);
    if (known_[part].settles && !settled) settling_.push_back(part);
  }
}

Statistics::Values Statistics::totals(bool with_states) {
  ++reads_;
  const std::uint64_t* const ticks = engine_.ticks().data();
  constexpr std::size_t kTogether = 16;
  std::size_t number = 0;
  for (; number + kTogether <= ticks_.size(); number += kTogether)
    if (std::memcmp(ticks_.data() + number, ticks + number, kTogether * sizeof *ticks) != 0)
      read_ticked(number, number + kTogether);
  read_ticked(number, ticks_.size());
  std::erase_if(settling_, [this](std::uint32_t part) {
    if (known_[part].read != reads_) read_anew(part);
    return !known_[part].settles;
  });
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
