#include "check/barrier_arrivals.h"

#include <algorithm>

#include "base/lane_mask.h"

namespace duet::check {

void BarrierArrivals::start(unsigned warps) {
  ends_.assign(std::size_t{warps} * 64, kNone);
  for (std::vector<Arrival>& arrivals : arrivals_) arrivals.clear();
}

void BarrierArrivals::arrived(const Arrival& arrival, unsigned barrier) {
  std::vector<Arrival>& there = arrivals_[barrier];
  const auto same = std::find_if(there.begin(), there.end(), [&](const Arrival& one) {
    return one.warp == arrival.warp && one.op == arrival.op;
  });
  if (same == there.end())
    there.push_back(arrival);
  else
    same->lanes |= arrival.lanes;
}

const BarrierArrivals::Arrival* BarrierArrivals::elsewhere(const Arrival& arrival, unsigned barrier) const {
  const auto waits = [](const Arrival& one) {
    return one.op->uniform_branch && static_cast<ptx::BarrierMode>(one.op->mode) != ptx::BarrierMode::Arrive;
  };
  if (!waits(arrival)) return nullptr;
  for (unsigned other = 0; other < arrivals_.size(); ++other)
    for (const Arrival& one : arrivals_[other])
      if (other != barrier && one.warp == arrival.warp && waits(one) && (one.lanes & arrival.lanes) == 0)
        return &one;
  return nullptr;
}

void BarrierArrivals::ended(unsigned warp, std::uint64_t lanes, std::uint32_t pc) {
  LaneMask(lanes).for_each([&](unsigned lane) { ends_[std::size_t{warp} * 64 + lane] = pc; });
}

}  // namespace duet::check
