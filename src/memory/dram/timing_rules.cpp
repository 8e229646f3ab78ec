#include "memory/dram/timing_rules.h"

#include <bit>
#include <string>

#include "base/error.h"

namespace duet::memory {

std::vector<TimingRule> timing_rules(const config::Dram& dram) {
  using enum DramCommand;
  using enum TimingScope;
  const config::DramTiming& t = dram.timing;
  const Cycle burst = dram.burst_cycles;
  const auto less = [](Cycle a, Cycle b) { return a > b ? a - b : 0; };
  return {
      {Activate, Read, Bank, t.rcd},
      {Activate, Write, Bank, t.rcd},
      {Activate, Precharge, Bank, t.ras},
      {Activate, Activate, Bank, t.rc},
      {Precharge, Activate, Bank, t.rp},
      {Read, Precharge, Bank, t.rtp},
      {Write, Precharge, Bank, t.wl + burst + t.wr},
      {Read, Read, BankGroup, t.ccd_l},
      {Write, Write, BankGroup, t.ccd_l},
      {Read, Read, Channel, t.ccd},
      {Write, Write, Channel, t.ccd},
      {Read, Write, Channel, t.rtw},
      {Write, Read, Channel, t.wl + burst + t.wtr},
      {Activate, Activate, Channel, t.rrd},
      {Activate, Activate, Channel, t.faw, 4},
      // The data bus: a burst starts when the last one has ended.
      {Read, Read, Channel, burst},
      {Write, Write, Channel, burst},
      {Read, Write, Channel, less(t.cl + burst, t.wl)},
      {Write, Read, Channel, less(t.wl + burst, t.cl)},
      // Refresh.
      {Activate, Refresh, Channel, t.rc},
      {Precharge, Refresh, Channel, t.rp},
      {Refresh, Activate, Channel, t.rfc},
      {Refresh, Refresh, Channel, t.rfc},
  };
}

CommandTimer::CommandTimer(const std::vector<TimingRule>& rules, unsigned banks, unsigned groups)
    : group_mask_(groups - 1) {
  if (!std::has_single_bit(banks) || !std::has_single_bit(groups) || banks > kMaxBanks || groups > banks)
    throw Error("DRAM timing: " + std::to_string(banks) + " banks in " + std::to_string(groups) +
                " groups; powers of two up to " + std::to_string(kMaxBanks) + " are possible");
  for (const TimingRule& rule : rules) {
    Step step{first_of(rule.next), 0, rule.cycles};
    unsigned instances = 1;
    switch (rule.scope) {
      case TimingScope::Bank:
        step.mask = kMaxBanks - 1;
        instances = banks;
        break;
      case TimingScope::BankGroup:
        step.base += kGroups;
        step.mask = group_mask_;
        instances = groups;
        break;
      case TimingScope::Channel:
        step.base += kChannel;
        break;
    }
    const auto previous = static_cast<unsigned>(rule.previous);
    if (rule.window == 1) {
      // Of two rules that differ only in their cycles the longer one counts.
      auto& steps = steps_[previous];
      const auto same = std::find_if(steps.begin(), steps.end(), [&step](const Step& other) {
        return other.base == step.base && other.mask == step.mask;
      });
      if (same == steps.end())
        steps.push_back(step);
      else
        same->cycles = std::max(same->cycles, step.cycles);
    } else {
      windows_[previous].push_back({step, rule.window, std::vector<Cycle>(instances * rule.window),
                                    std::vector<std::uint32_t>(instances)});
    }
  }
}

void CommandTimer::record(Window& window, unsigned bank, Cycle cycle) {
  const unsigned instance = bank & window.step.mask;
  Cycle* ring = &window.cycles[instance * window.length];
  std::uint32_t& recorded = window.recorded[instance];
  ring[recorded % window.length] = cycle;
  ++recorded;
  // The next command has this one as its last and the ring's next slot as its window-th last.
  if (recorded < window.length) return;
  if (recorded == 2 * window.length) recorded = window.length;  // the same slot, and no overflow
  Cycle& ready = ready_[window.step.base + instance];
  ready = std::max(ready, ring[recorded % window.length] + window.step.cycles);
}

}  // namespace duet::memory
