// What a DRAM demands between two commands, as data: one table of rules and an engine that knows when a
// command is legal. A rule says that `next` comes at least `cycles` after the last `previous` (after the
// window-th last one for a window) to the same bank, the same bank group, or anywhere on the channel. Source:
// JESD212 (GDDR5) and JESD79-3 (names of the parameters); the numbers are config::DramTiming's. The data bus
// is a rule too: data of a column command lies cl (wl) to cl (wl) + burst_cycles after it.
// Left out: power-down, self-refresh, per-bank refresh, the extra command cycle of a masked GDDR5 write.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/address.h"
#include "config/machine.h"

namespace duet::memory {

enum class DramCommand : std::uint8_t { Activate, Precharge, Read, Write, Refresh };
inline constexpr unsigned kDramCommands = 5;
inline constexpr unsigned kMaxBanks = 64;  // of a channel: sets of banks are one machine word

enum class TimingScope : std::uint8_t { Bank, BankGroup, Channel };

struct TimingRule {
  DramCommand previous, next;
  TimingScope scope;
  Cycle cycles;
  unsigned window = 1;
};

// Every rule of the DRAM; Refresh is to all banks, which must be precharged.
std::vector<TimingRule> timing_rules(const config::Dram& dram);

class CommandTimer {
 public:
  // `banks` and `groups` are powers of two; a bank's group is its number modulo `groups`.
  CommandTimer(const std::vector<TimingRule>& rules, unsigned banks, unsigned groups);

  // Earliest cycle at which the rules allow the command. Whether the bank's row is open is the caller's.
  Cycle earliest(DramCommand command, unsigned bank) const {
    return std::max(earliest(command), earliest_of_bank(command, bank));
  }
  // Earliest cycle as far as the whole channel is concerned, and earliest() for whoever knows that already.
  Cycle earliest(DramCommand command) const { return ready_[first_of(command) + kChannel]; }
  Cycle earliest_of_bank(DramCommand command, unsigned bank) const {
    const Cycle* ready = &ready_[first_of(command)];
    return std::max(ready[bank], ready[kGroups + (bank & group_mask_)]);
  }
  // Cycles must not decrease from call to call.
  void record(DramCommand command, unsigned bank, Cycle cycle) {
    for (const Step& step : steps_[static_cast<unsigned>(command)]) {
      Cycle& ready = ready_[step.base + (bank & step.mask)];
      ready = std::max(ready, cycle + step.cycles);
    }
    for (Window& window : windows_[static_cast<unsigned>(command)]) record(window, bank, cycle);
  }

 private:
  // Of each next command: one entry a bank, one a group, one for the channel.
  static constexpr unsigned kGroups = kMaxBanks, kChannel = 2 * kMaxBanks, kInstances = kChannel + 1;
  static constexpr unsigned first_of(DramCommand next) { return static_cast<unsigned>(next) * kInstances; }
  struct Step {
    unsigned base, mask;
    Cycle cycles;
  };
  struct Window {
    Step step;
    unsigned length;
    std::vector<Cycle> cycles;            // the last `length` of each instance, a ring
    std::vector<std::uint32_t> recorded;  // of each instance
  };
  void record(Window& window, unsigned bank, Cycle cycle);

  std::array<Cycle, kDramCommands * kInstances> ready_{};
  std::array<std::vector<Step>, kDramCommands> steps_;
  std::array<std::vector<Window>, kDramCommands> windows_;
  unsigned group_mask_;
};

}  // namespace duet::memory
