#include "check/block_order.h"

namespace duet::check {

void BlockOrder::join(std::vector<Stamp>& clock, unsigned warp) {
  clock.resize(warps_);
  const Stamp* const of = known(warp);
  for (unsigned v = 0; v < warps_; ++v) clock[v] = std::max(clock[v], of[v]);
  clock[warp] = std::max(clock[warp], time_[warp]);
}

void BlockOrder::take_in(unsigned warp, const std::vector<Stamp>& clock) {
  Stamp* const to = known(warp);
  for (unsigned v = 0; v < warps_; ++v) to[v] = std::max(to[v], clock[v]);
}

void BlockOrder::arrive(unsigned barrier, unsigned warp, bool waits) {
  Waiting& at = barriers_[barrier];
  at.arrived.resize(warps_);
  at.waits.resize(warps_);
  at.arrived[warp] = true;
  at.waits[warp] = at.waits[warp] || waits;
  at.all_wait &= waits;
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
      take_in(w, at.clock);
      time_[w] = now_;
    }
  }
  at.clear();
}

void BlockOrder::pass(unsigned warp, std::uint64_t address, bool reads, bool writes) {
  std::vector<Stamp>& clock = passed_on_[address];
  if (reads && !clock.empty()) take_in(warp, clock);
  if (!writes) return;
  join(clock, warp);
  time_[warp] = ++now_;
}

}  // namespace duet::check
