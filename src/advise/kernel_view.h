// One kernel's facts, for rules that read like their conditions.
//
//   if (kernel.waits_for(IssueSlot::Barrier) < kBarrier) return;
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "advise/rules.h"

namespace duet::advise {

constexpr double kTwice = 2;
constexpr double kExposed = 0.3;  // of issue slots: waits not covered by other warps

inline double percent(double share) { return 100 * share; }

class KernelView {
 public:
  using Sets = std::vector<std::string>;

  KernelView(const Facts& all_facts, const KernelFacts& its, Advices& out)
      : facts(all_facts), kernel(its), sm(all_facts.machine().gpu.sm), out_(out) {}

  const Facts& facts;
  const KernelFacts& kernel;
  const config::Sm& sm;

  double warps_of_block() const {
    return std::max(
        1.0, std::ceil(static_cast<double>(kernel.block_threads) / static_cast<double>(sm.warp_width)));
  }
  double count(std::string_view name) const { return static_cast<double>(facts.counter(kernel, name)); }
  double time() const { return static_cast<double>(kernel.time_ps); }
  // Shares of issue slots.
  double waits_for(IssueSlot slot) const { return kernel.share(slot); }
  double warps_wait_for(IssueSlot state) const { return kernel.warp_share(state); }
  // An issue slot belongs to the one warp that computes while all others wait for memory: where little
  // issues, the kernel is as long as its warps.
  double memory_waits() const {
    const double slots = waits_for(IssueSlot::Memory) + waits_for(IssueSlot::LoadStoreBusy);
    const double warps = warps_wait_for(IssueSlot::Memory) + warps_wait_for(IssueSlot::LoadStoreBusy);
    return std::max(slots, warps * (1 - waits_for(IssueSlot::Issued) - waits_for(IssueSlot::UnitBusy)));
  }
  double busy() const {
    return waits_for(IssueSlot::Issued) + waits_for(IssueSlot::UnitBusy) + waits_for(IssueSlot::Dependency);
  }
  // The share of the time of SMs in which they have a block: issue slots are counted then.
  double with_blocks() const {
    return 1 - std::min(1.0, static_cast<double>(kernel.tail_ps + kernel.few_blocks_ps) / time());
  }
  // Of the kernel's time; atomics of several words wait at once.
  double atomic_conflicts() const { return count("l2.atomic_conflict_ps") / time(); }

  // `share` of the kernel's time would be saved.
  void add(const char* rule, const char* bound_by, std::string because, std::string change, double share,
           Sets what_if, bool at_most = false) const {
    out_.push_back({rule, kernel.name, bound_by, std::move(because), std::move(change),
                    facts.on_path(share * time()), std::move(what_if)});
    out_.back().at_most = at_most;
  }

 private:
  Advices& out_;
};

inline std::string set(const char* key, std::uint64_t value) { return fmt::format("{}={}", key, value); }

// memory_rules.cpp, issue_rules.cpp
void advise_memory(const KernelView& kernel);
void advise_issue(const KernelView& kernel, bool takes_turns);

}  // namespace duet::advise
