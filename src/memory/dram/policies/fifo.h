// FIFO with a latch a bank: the scheduler of GPGPU-Sim 2.1.1b (its dram.cc, scheduler_fifo). Requests leave
// the queue in the order of their admission, one a command cycle, each into the latch of its bank. While that
// latch is taken the first of the queue waits, and everything behind it. A latch is free from the cycle after
// the last column command of its request.
//
// Latched requests get their commands side by side: the command with the earliest legal cycle goes first; at
// one cycle a column command goes before ACT and PRE; among equals the older request goes first (there: banks
// in turn, whatever the command). A latched request waits while one is latched that was admitted kOvertaken
// or more requests before it; so nobody starves. Rows of banks without requests are closed last.
//
// Requests of blocked clients are as if they were not there: they go back into the queue, to their place by
// age. A bank's latch is filled while it is refreshed. Latched requests keep their entry of queue_entries
// (there: they do not). The write of an atomic is a request of its own, the youngest.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>

#include "memory/dram/dram_banks.h"

namespace duet::memory {

class Fifo {
 public:
  static constexpr std::uint64_t kOvertaken = 64;

  explicit Fifo(const RequestLists& requests) : requests_(requests) {}

  void admitted(std::uint32_t index) { waiting_.push_back(index); }
  // The latched request of the bank is done.
  void removed(unsigned bank) { empty(bank); }
  void block(std::uint64_t clients) {
    blocked_ = clients;
    reblocked_ = true;
  }
  // Before each choice: `from` is the next cycle for a command. Until something changes nothing else is
  // latched, so cycles of latching later than `from` are known, too.
  void fill_latches(Cycle from);
  DramPlan choose(const DramBanks& b, Cycle from) const;

 private:
  struct Latch {
    std::uint32_t entry = kNoEntry;
    Cycle since = 0;
  };
  void empty(unsigned bank) {
    latches_[bank] = {};
    taken_ &= ~(1ull << bank);
  }
  void give_back(Cycle from);

  const RequestLists& requests_;
  std::deque<std::uint32_t> waiting_;  // by age
  std::array<Latch, kMaxBanks> latches_;
  std::uint64_t taken_ = 0;  // banks
  Cycle next_ = 0;           // when the next one can be latched
  std::uint64_t blocked_ = 0;
  bool reblocked_ = false;
};

// What has not been latched by `from` is latched anew, with the other clients.
inline void Fifo::give_back(Cycle from) {
  reblocked_ = false;
  next_ = std::min(next_, from);
  for (std::uint64_t banks = taken_; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    const Latch latch = latches_[bank];
    const DramEntry& entry = requests_[latch.entry];
    if (latch.since < from && (blocked_ >> entry.client & 1) == 0) continue;
    empty(bank);
    const auto younger = std::find_if(waiting_.begin(), waiting_.end(), [&](std::uint32_t other) {
      return requests_[other].sequence > entry.sequence;
    });
    waiting_.insert(younger, latch.entry);
  }
}

inline void Fifo::fill_latches(Cycle from) {
  if (reblocked_) give_back(from);
  for (auto first = waiting_.begin(); first != waiting_.end();) {
    const DramEntry& entry = requests_[*first];
    if ((blocked_ >> entry.client & 1) == 0) {
      if ((taken_ >> entry.bank & 1) != 0) return;
      if (entry.listed) {
        next_ = std::max(next_, from);
        latches_[entry.bank] = {*first, next_++};
        taken_ |= 1ull << entry.bank;
        first = waiting_.erase(first);
        continue;
      }
    }
    ++first;  // its client is blocked, or that of an older request to its line
  }
}

inline DramPlan Fifo::choose(const DramBanks& b, Cycle from) const {
  const std::uint64_t usable = taken_ & ~b.held;
  std::uint64_t oldest = DramBanks::kNoSequence;
  for (std::uint64_t banks = usable; banks != 0; banks &= banks - 1)
    oldest = std::min(oldest, requests_[latches_[std::countr_zero(banks)].entry].sequence);
  DramPlan best;
  std::uint64_t best_sequence = 0;
  bool best_is_column = false;
  for (std::uint64_t banks = usable; banks != 0; banks &= banks - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(banks));
    const DramBanks::Bank& bank = b.banks[number];
    const Latch& latch = latches_[number];
    const DramEntry& entry = requests_[latch.entry];
    if (entry.sequence >= oldest + kOvertaken) continue;
    const bool column = bank.open && bank.row == entry.row;
    const DramCommand command = column      ? column_command(entry.direction)
                                : bank.open ? DramCommand::Precharge
                                            : DramCommand::Activate;
    const Cycle cycle = std::max({from, latch.since, b.timer.earliest(command, number)});
    if (cycle > best.cycle) continue;
    if (cycle == best.cycle && (column != best_is_column ? best_is_column : entry.sequence > best_sequence))
      continue;
    best = {cycle, command, number, latch.entry};
    best_sequence = entry.sequence;
    best_is_column = column;
  }
  for (std::uint64_t idle = b.precharge.banks & ~b.work; idle != 0; idle &= idle - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(idle));
    const Cycle cycle = std::max(from, b.timer.earliest(DramCommand::Precharge, number));
    if (cycle < best.cycle) best = {cycle, DramCommand::Precharge, number, kNoEntry};
  }
  return best;
}

}  // namespace duet::memory
