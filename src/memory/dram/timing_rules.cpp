#include "memory/dram/timing_rules.h"

#include <bit>
#include <string>

#include "base/error.h"
#include "memory/dram/standards.h"

namespace duet::memory {

Cycle TimingSum::of(const config::Dram& dram) const {
  std::int64_t sum = times.back() * static_cast<std::int64_t>(dram.burst_cycles);
  for (std::size_t i = 0; i < kTimingParameters.size(); ++i)
    sum += times[i] * static_cast<std::int64_t>(dram.timing.*kTimingParameters[i]);
  return static_cast<Cycle>(std::max<std::int64_t>(sum, 0));
}

std::vector<TimingRule> timing_rules(const config::Dram& dram) {
  std::vector<TimingRule> rules;
  for (const auto table : {kRulesOfEveryStandard, standard_of(dram).rules})
    for (const StandardRule& rule : table)
      rules.push_back({rule.previous, rule.next, rule.scope, rule.time.of(dram), rule.window});
  return rules;
}

BankNumbering::BankNumbering(const config::Dram& dram)
    : banks(static_cast<unsigned>(dram.banks)),
      groups(static_cast<unsigned>(dram.bank_groups)),
      ranks(static_cast<unsigned>(dram.ranks)) {
  if (!std::has_single_bit(banks) || !std::has_single_bit(groups) || !std::has_single_bit(ranks) ||
      banks > kMaxBanks || groups * ranks > banks)
    throw Error("DRAM timing: " + std::to_string(banks) + " banks in " + std::to_string(groups) +
                " groups of each of " + std::to_string(ranks) + " ranks; powers of two up to " +
                std::to_string(kMaxBanks) + " are possible");
}

CommandTimer::CommandTimer(const std::vector<TimingRule>& rules, const BankNumbering& numbering)
    : numbering_(numbering), group_mask_(numbering.groups * numbering.ranks - 1) {
  for (const TimingRule& rule : rules) {
    if (rule.cycles == 0) continue;  // one command a cycle is the command bus's
    const auto previous = static_cast<unsigned>(rule.previous);
    if (rule.window != 1) {
      windows_[previous].push_back({steps_of(rule), rule.window,
                                    std::vector<Cycle>(numbering.ranks * rule.window),
                                    std::vector<std::uint32_t>(numbering.ranks)});
      continue;
    }
    // Of two rules that differ only in their cycles the longer one counts.
    auto& steps = steps_[previous];
    for (const Step& step : steps_of(rule)) {
      const auto same = std::find_if(steps.begin(), steps.end(), [&step](const Step& other) {
        return other.base == step.base && other.mask == step.mask;
      });
      if (same == steps.end())
        steps.push_back(step);
      else
        same->cycles = std::max(same->cycles, step.cycles);
    }
  }
}

// Where the rule's time is kept: entry base ^ (bank & mask), for the bank of the previous command.
std::vector<CommandTimer::Step> CommandTimer::steps_of(const TimingRule& rule) const {
  const auto [banks, groups, ranks] = numbering_;
  const unsigned first = first_of(rule.next), rank_mask = (ranks - 1) * groups;
  std::vector<Step> steps;
  const auto rank = [&](unsigned flipped) {
    for (unsigned group = 0; group < groups; ++group)
      steps.push_back({first + kGroups + (flipped * groups | group), rank_mask, rule.cycles});
  };
  switch (rule.scope) {
    case TimingScope::Bank:
      return {{first, kMaxBanks - 1, rule.cycles}};
    case TimingScope::BankGroup:
      return {{first + kGroups, group_mask_, rule.cycles}};
    case TimingScope::Rank:
      if (ranks == 1) return {{first + kChannel, 0, rule.cycles}};
      rank(0);
      break;
    case TimingScope::OtherRanks:
      for (unsigned flipped = 1; flipped < ranks; ++flipped) rank(flipped);
      break;
    case TimingScope::Channel:
      return {{first + kChannel, 0, rule.cycles}};
  }
  return steps;
}

void CommandTimer::record(Window& window, unsigned bank, Cycle cycle) {
  const unsigned instance = numbering_.rank_of(bank);
  Cycle* ring = &window.cycles[instance * window.length];
  std::uint32_t& recorded = window.recorded[instance];
  ring[recorded % window.length] = cycle;
  ++recorded;
  // The next command has this one as its last and the ring's next slot as its window-th last.
  if (recorded < window.length) return;
  if (recorded == 2 * window.length) recorded = window.length;  // the same slot, and no overflow
  const Cycle oldest = ring[recorded % window.length];
  for (const Step& step : window.steps) {
    Cycle& ready = ready_[step.base ^ (bank & step.mask)];
    ready = std::max(ready, oldest + step.cycles);
  }
}

}  // namespace duet::memory
