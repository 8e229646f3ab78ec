// Chooses the next command of a DRAM channel, and its time: the machine file's scheduling policy (policies/,
// one a file) over the admitted requests, and refresh.
//
// A policy is a type with one function, choose(banks, from): the best command at `from` or later. FIFO keeps
// the order of admission, too.
//
// Refresh is due every refi cycles. With refresh_unit = "rank" and one rank, a due refresh closes all rows
// and goes before everything else. With several ranks, or "bank", ranks (banks) take turns, refi cycles
// divided by their number apart: from the time a refresh is due, requests to its banks wait, and the others
// go on. Left out: postponing refresh.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "memory/dram/dram_banks.h"
#include "memory/dram/policies/fifo.h"

namespace duet::memory {

// A refresh interval (gpu.dram.timing.refi) has to be longer than this.
Cycle refresh_needs(const config::Dram& config);

class DramScheduler {
 public:
  // The caller keeps `requests`. Throws duet::Error for contradictory numbers.
  DramScheduler(const config::Dram& config, const RequestLists& requests);

  // The youngest request; `listed`: as RequestLists::admit() says.
  void admitted(std::uint32_t index, bool listed) {
    if (listed) banks_.added(index);
    if (fifo_ != nullptr) fifo_->admitted(index);
  }
  // A request of the bank is done and has left the lists.
  void removed(unsigned bank) {
    banks_.update(bank);
    if (fifo_ != nullptr) fifo_->removed(bank);
  }
  // As DramBanks has it.
  void block(std::uint64_t clients) {
    banks_.block(clients);
    if (fifo_ != nullptr) fifo_->block(clients);
  }
  // The best command at `from` or later as things stand.
  DramPlan choose(Cycle from);
  // Whether choose() could differ from its last result, from any cycle up to the cycle of its plan.
  bool outdated() const { return banks_.outdated; }
  // The command is issued. The caller updates the request's entry; rows are kept here.
  void issue(const DramPlan& plan) {
    banks_.issue(plan);
    free_at_ = plan.cycle + 1;
    if (plan.command == DramCommand::Refresh || plan.command == DramCommand::RefreshBank) refreshed();
  }
  // While there are no requests: issues the refreshes before `cycle`, and their PREs. Calls `on_command` for
  // each command, with the number of refreshes skipped before it.
  template <typename F>
  void refresh_before(Cycle cycle, F&& on_command) {
    while (refresh_due_ < cycle) {
      DramPlan plan = choose_refresh(std::max(free_at_, refresh_due_));
      if (plan.cycle >= cycle) return;
      std::uint64_t skipped = 0;
      if (banks_.open == 0 && plan.cycle == refresh_due_) {
        // Rows stay closed and a unit's turn is longer than its refresh: every one starts when it is due. The
        // last of each unit are issued.
        const std::uint64_t more = (cycle - 1 - refresh_due_) / refresh_interval_;
        skipped = more - std::min<std::uint64_t>(more, units_ - 1);
        refresh_due_ += skipped * refresh_interval_;
        unit_ = static_cast<unsigned>((unit_ + skipped) % units_);
        plan.cycle = refresh_due_;
        plan.bank = first_bank();
      }
      issue(plan);
      on_command(plan, skipped);
    }
  }

 private:
  enum class Policy : std::uint8_t { FrFcfs, Fcfs, Fifo };
  DramPlan choose_by_policy(Cycle from);
  DramPlan choose_refresh(Cycle from) const;
  void refreshed();
  std::uint32_t first_bank() const {
    return static_cast<std::uint32_t>(std::countr_zero(unit_banks_[unit_]));
  }

  DramBanks banks_;
  Policy policy_;
  std::unique_ptr<Fifo> fifo_;  // null: another policy
  // The parts of memory for one refresh command, in turn.
  DramCommand refresh_;
  unsigned units_, unit_ = 0;
  std::array<std::uint64_t, kMaxBanks> unit_banks_{};
  Cycle refresh_interval_;
  Cycle refresh_due_ = kNoCycle;
  Cycle free_at_ = 0;  // the cycle after the last command
};

}  // namespace duet::memory
