// The time that a DRAM demands between two commands, as data, and the engine with the legal time of each
// command. A rule says that `next` comes at least `time` after the last `previous` (after the window-th last
// one for a window) in the same bank, bank group or rank, in the other ranks, or anywhere on the channel.
// Times are sums and differences of JEDEC's parameters; the numbers are config::DramTiming's. Each standard
// has its table (standards.h). The data bus is a rule too: data of a column command lies cl (wl) to cl (wl) +
// burst after it. Left out: power-down, self-refresh, the extra command cycle of a masked GDDR5 write.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/address.h"
#include "config/machine.h"

namespace duet::memory {

// Refresh is of all banks of a rank, RefreshBank of one; the banks must be precharged.
enum class DramCommand : std::uint8_t { Activate, Precharge, Read, Write, Refresh, RefreshBank };
inline constexpr unsigned kDramCommands = 6;
inline constexpr unsigned kMaxBanks = 64;  // of a channel: sets of banks are one machine word

enum class TimingScope : std::uint8_t { Bank, BankGroup, Rank, OtherRanks, Channel };

// How often each parameter counts: first the members of config::DramTiming, then the cycles of a burst.
inline constexpr std::array kTimingParameters{
    &config::DramTiming::rcd, &config::DramTiming::rp,     &config::DramTiming::ras,
    &config::DramTiming::rc,  &config::DramTiming::rrd,    &config::DramTiming::rrd_l,
    &config::DramTiming::faw, &config::DramTiming::aw32,   &config::DramTiming::cl,
    &config::DramTiming::wl,  &config::DramTiming::ccd,    &config::DramTiming::ccd_l,
    &config::DramTiming::wtr, &config::DramTiming::wtr_l,  &config::DramTiming::wr,
    &config::DramTiming::rtp, &config::DramTiming::rtw,    &config::DramTiming::rtrs,
    &config::DramTiming::rfc, &config::DramTiming::rfc_pb, &config::DramTiming::rrefd};
struct TimingSum {
  std::array<std::int8_t, kTimingParameters.size() + 1> times{};

  constexpr TimingSum operator+(const TimingSum& other) const { return plus(other, 1); }
  constexpr TimingSum operator-(const TimingSum& other) const { return plus(other, -1); }
  // Not below 0.
  Cycle of(const config::Dram& dram) const;

 private:
  constexpr TimingSum plus(TimingSum other, int sign) const {
    for (std::size_t i = 0; i < times.size(); ++i)
      other.times[i] = static_cast<std::int8_t>(times[i] + sign * other.times[i]);
    return other;
  }
};

struct StandardRule {
  DramCommand previous, next;
  TimingScope scope;
  TimingSum time;
  unsigned window = 1;
};

struct TimingRule {
  DramCommand previous, next;
  TimingScope scope;
  Cycle cycles;
  unsigned window = 1;
};

// The rules of the machine file's standard, with the file's numbers.
std::vector<TimingRule> timing_rules(const config::Dram& dram);

// The order of banks in a channel: a bank's number counts bank groups in its low bits, then ranks, then the
// banks of a group, each a power of two.
struct BankNumbering {
  unsigned banks = 1, groups = 1, ranks = 1;  // banks: of the channel; groups: of a rank

  // Throws duet::Error for impossible numbers.
  explicit BankNumbering(const config::Dram& dram);
  unsigned rank_of(unsigned bank) const { return bank / groups % ranks; }
};

class CommandTimer {
 public:
  CommandTimer(const std::vector<TimingRule>& rules, const BankNumbering& numbering);

  // Earliest cycle at which the rules allow the command. Whether the bank's row is open is the caller's.
  Cycle earliest(DramCommand command, unsigned bank) const {
    return std::max(earliest(command), earliest_of_bank(command, bank));
  }
  // Earliest cycle by the rules of the whole channel, and earliest() for a caller with that cycle.
  Cycle earliest(DramCommand command) const { return ready_[first_of(command) + kChannel]; }
  Cycle earliest_of_bank(DramCommand command, unsigned bank) const {
    const Cycle* ready = &ready_[first_of(command)];
    return std::max(ready[bank], ready[kGroups + (bank & group_mask_)]);
  }
  // Cycles must not decrease from call to call.
  void record(DramCommand command, unsigned bank, Cycle cycle) {
    for (const Step& step : steps_[static_cast<unsigned>(command)]) {
      Cycle& ready = ready_[step.base ^ (bank & step.mask)];
      ready = std::max(ready, cycle + step.cycles);
    }
    for (Window& window : windows_[static_cast<unsigned>(command)]) record(window, bank, cycle);
  }

 private:
  // For each next command: one entry a bank, one a group of each rank, one for the channel. Rules of one rank
  // among several lie in the entries of its groups.
  static constexpr unsigned kGroups = kMaxBanks, kChannel = 2 * kMaxBanks, kInstances = 3 * kMaxBanks;
  static constexpr unsigned first_of(DramCommand next) { return static_cast<unsigned>(next) * kInstances; }
  struct Step {
    unsigned base, mask;
    Cycle cycles;
  };
  struct Window {
    std::vector<Step> steps;
    unsigned length;
    std::vector<Cycle> cycles;            // the last `length` of each rank, a ring
    std::vector<std::uint32_t> recorded;  // of each rank
  };
  std::vector<Step> steps_of(const TimingRule& rule) const;
  void record(Window& window, unsigned bank, Cycle cycle);

  std::array<Cycle, kDramCommands * kInstances> ready_{};
  std::array<std::vector<Step>, kDramCommands> steps_;
  std::array<std::vector<Window>, kDramCommands> windows_;
  BankNumbering numbering_;
  unsigned group_mask_;
};

}  // namespace duet::memory
