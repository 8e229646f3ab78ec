// Which of the warps that may issue is tried first. One scheduler owns every n-th warp slot. A policy is a
// function of what is ready, who issued last and how old the warps are. Source: greedy-then-oldest and loose
// round-robin as in GPGPU-Sim's manual (Fermi: two schedulers).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace duet::gpu {

// The warp that issued last goes on; when it cannot, the one whose block was launched first.
struct GreedyThenOldest {
  static unsigned pick(std::uint64_t ready, unsigned last, const std::vector<std::uint64_t>& age) {
    if ((ready >> last) & 1) return last;
    unsigned best = static_cast<unsigned>(std::countr_zero(ready));
    for (std::uint64_t rest = ready & (ready - 1); rest != 0; rest &= rest - 1) {
      const auto warp = static_cast<unsigned>(std::countr_zero(rest));
      if (age[warp] < age[best]) best = warp;
    }
    return best;
  }
};

// The next warp after the one that issued last.
struct LooseRoundRobin {
  static unsigned pick(std::uint64_t ready, unsigned last, const std::vector<std::uint64_t>&) {
    const std::uint64_t above = last >= 63 ? 0 : ready & (~0ull << (last + 1));
    return static_cast<unsigned>(std::countr_zero(above != 0 ? above : ready));
  }
};

class WarpScheduler {
 public:
  WarpScheduler(std::uint64_t warps, const std::string& policy) : warps_(warps), greedy_(policy == "gto") {}

  std::uint64_t warps() const { return warps_; }  // the slots that it owns
  // `ready` is not empty.
  unsigned pick(std::uint64_t ready, const std::vector<std::uint64_t>& age) const {
    return greedy_ ? GreedyThenOldest::pick(ready, last_, age) : LooseRoundRobin::pick(ready, last_, age);
  }
  void issued(unsigned warp) { last_ = warp; }

 private:
  std::uint64_t warps_;
  bool greedy_;
  unsigned last_ = 0;
};

}  // namespace duet::gpu
