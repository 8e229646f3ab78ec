#include "memory/dram/scheduler.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "config/names.h"
#include "memory/dram/policies/fcfs.h"
#include "memory/dram/policies/fr_fcfs.h"

namespace duet::memory {

// Every row closed, the refresh itself, and time to open a row and use it. Where units take turns, closing
// comes before the next one's turn, and the refresh before its own.
Cycle refresh_needs(const config::Dram& config) {
  const bool of_ranks = config.refresh_unit != "bank";
  const Cycle units = of_ranks ? config.ranks : config.banks;
  const config::DramTiming& t = config.timing;
  const Cycle closing =
      config.banks / units + std::max(t.rc, t.ras) + t.wl + config.burst_cycles + t.wr + t.rtp + t.rp;
  const Cycle needed = closing + t.rcd + (of_ranks ? t.rfc : t.rfc_pb);
  const Cycle between = units == 1 ? 0 : std::max(closing, t.rrefd);
  return std::max(needed, (between + 1) * units - 1);
}

DramScheduler::DramScheduler(const config::Dram& config, const RequestLists& requests)
    : banks_(config, requests),
      policy_(static_cast<Policy>(
          config::place_of("gpu.dram.scheduler", config.scheduler, config::kDramSchedulers))),
      fifo_(policy_ == Policy::Fifo ? std::make_unique<Fifo>(requests) : nullptr),
      refresh_(config::place_of("gpu.dram.refresh_unit", config.refresh_unit, config::kRefreshUnits) == 0
                   ? DramCommand::Refresh
                   : DramCommand::RefreshBank),
      units_(static_cast<unsigned>(refresh_ == DramCommand::Refresh ? config.ranks : config.banks)),
      refresh_interval_(config.timing.refi / units_) {
  const BankNumbering numbering(config);
  for (unsigned bank = 0; bank < numbering.banks; ++bank)
    unit_banks_[refresh_ == DramCommand::Refresh ? numbering.rank_of(bank) : bank] |= 1ull << bank;
  if (!config.refresh) return;
  const Cycle needed = refresh_needs(config);
  if (config.timing.refi <= needed)
    throw Error("gpu.dram.timing.refi = " + std::to_string(config.timing.refi) +
                " leaves no time between refreshes: more than " + std::to_string(needed) +
                " cycles are needed");
  refresh_due_ = refresh_interval_;
}

inline DramPlan DramScheduler::choose_by_policy(Cycle from) {
  if (policy_ == Policy::FrFcfs) return FrFcfs::choose(banks_, from);
  return fifo_ == nullptr ? Fcfs::choose(banks_, from) : fifo_->choose(banks_, from);
}

DramPlan DramScheduler::choose(Cycle from) {
  from = std::max(from, free_at_);
  if (fifo_ != nullptr) fifo_->fill_latches(from);
  if (banks_.held != 0 && from < refresh_due_) [[unlikely]]
    banks_.hold(0);
  banks_.outdated = false;
  if ((banks_.work | banks_.precharge.banks | banks_.held) == 0) return {};
  if (from < refresh_due_) {
    const DramPlan plan = choose_by_policy(from);
    if (plan.cycle < refresh_due_ || plan.cycle == kNoCycle) return plan;
  }
  from = std::max(from, refresh_due_);
  DramPlan plan = choose_refresh(from);
  if (units_ != 1) {
    banks_.hold(unit_banks_[unit_]);
    const DramPlan other = choose_by_policy(from);
    if (other.cycle < plan.cycle) plan = other;
  }
  banks_.outdated = true;  // requests that refresh puts off come earlier with fewer refreshes
  return plan;
}

DramPlan DramScheduler::choose_refresh(Cycle from) const {
  std::uint64_t open = banks_.open & unit_banks_[unit_];
  if (open == 0) {
    const std::uint32_t bank = first_bank();
    return {std::max(from, banks_.timer.earliest(refresh_, bank)), refresh_, bank};
  }
  DramPlan best;
  best.command = DramCommand::Precharge;
  for (; open != 0; open &= open - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(open));
    const Cycle cycle = std::max(from, banks_.timer.earliest(DramCommand::Precharge, bank));
    if (cycle < best.cycle) {
      best.cycle = cycle;
      best.bank = bank;
    }
  }
  return best;
}

void DramScheduler::refreshed() {
  refresh_due_ += refresh_interval_;
  unit_ = unit_ + 1 == units_ ? 0 : unit_ + 1;
  if (banks_.held != 0) banks_.hold(0);
}

}  // namespace duet::memory
