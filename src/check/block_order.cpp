#include "check/block_order.h"

namespace duet::check {

void BlockOrder::join(std::vector<Stamp>& clock, unsigned warp) {
  clock.resize(warps_);
  raise(clock.data(), known(warp));
  clock[warp] = std::max(clock[warp], time_[warp]);
}

std::vector<BlockOrder::Stamp> BlockOrder::covered(unsigned warp) const {
  const Stamp* const of = known_.data() + std::size_t{warp} * warps_;
  std::vector<Stamp> clock(of, of + warps_);
  for (Stamp& stamp : clock) stamp = std::max(stamp, floor_);
  clock[warp] = std::max(clock[warp], time_[warp]);
  return clock;
}

std::vector<BlockOrder::Stamp> BlockOrder::covered_by_fence(unsigned warp) const {
  const Stamp* const of = fenced_.data() + std::size_t{warp} * warps_;
  return {of, of + warps_};
}

void BlockOrder::arrive(unsigned barrier, unsigned warp, bool waits) {
  Waiting& at = barriers_[barrier];
  at.arrived.resize(warps_);
  at.waits.resize(warps_);
  at.arrived[warp] = true;
  at.waits[warp] = at.waits[warp] || waits;
  at.all_wait &= waits;
  take_pending(warp);
  join(at.clock, warp);
  if (waits) return;
  time_[warp] = ++now_;  // the others do not wait for its later accesses
}

void BlockOrder::completed(unsigned barrier) {
  Waiting& at = barriers_[barrier];
  // Where warps only arrive and end, a waiting warp comes later: their clocks stay for it.
  if (std::none_of(at.waits.begin(), at.waits.end(), [](bool waits) { return waits; })) return;
  bool whole = at.all_wait;
  for (unsigned w = 0; w < warps_ && whole; ++w) whole = at.arrived[w] || exited_[w];
  if (whole) {
    floor_ = now_;
    ++now_;
    std::fill(time_.begin(), time_.end(), now_);
  } else {
    ++now_;
    for (unsigned w = 0; w < warps_; ++w) {
      if (!at.waits[w]) continue;
      raise(known(w), at.clock.data());
      time_[w] = now_;
    }
  }
  at.clear();
}

void BlockOrder::pass(unsigned warp, std::uint64_t address, const StrongAccess& access) {
  if (!access.writes && !passed_on_.contains(address)) return;
  std::vector<Stamp>& clock = passed_on_[address];
  if (access.reads && !clock.empty())
    raise(access.acquires ? known(warp) : row(pending_, warp), clock.data());
  if (!access.writes) return;
  if (access.releases) {
    join(clock, warp);
    time_[warp] = ++now_;
  } else if (!fenced_.empty()) {
    clock.resize(warps_);
    raise(clock.data(), row(fenced_, warp));
  }
}

void BlockOrder::fence(unsigned warp) {
  take_pending(warp);
  Stamp* const covers = row(fenced_, warp);
  raise(covers, covered(warp).data());
  time_[warp] = ++now_;
}

void BlockOrder::share_fences(const std::vector<unsigned>& warps) {
  if (fenced_.empty()) return;
  std::vector<Stamp> all(warps_);
  for (const unsigned warp : warps) raise(all.data(), row(fenced_, warp));
  for (const unsigned warp : warps) raise(row(fenced_, warp), all.data());
}

}  // namespace duet::check
