// The arrivals of a block's threads at its barriers, and their ends. At a barrier each thread of a warp with
// arrivals is expected, in any order: CUDA's rule where threads are independent (sm_70 and
// later).
//   arrivals.start(warps); arrivals.arrived({0, &op, 0xffff}, id); ...; arrivals.completed(id, f);
// Left out: two arrivals of a thread while others wait count once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "check/block_order.h"
#include "ptx/micro_op.h"

namespace duet::check {

class BarrierArrivals {
 public:
  struct Arrival {  // lanes of a warp at one instruction
    unsigned warp = 0;
    const ptx::MicroOp* op = nullptr;
    std::uint64_t lanes = 0;
  };
  void start(unsigned warps);
  void arrived(const Arrival& arrival, unsigned barrier);
  // Other lanes of the warp, in wait at another barrier, although each is for the whole warp; null: none.
  const Arrival* elsewhere(const Arrival& arrival, unsigned barrier) const;
  void ended(unsigned warp, std::uint64_t lanes, std::uint32_t pc);
  // The instruction with which a lane has ended; kNone: it has not.
  static constexpr std::uint32_t kNone = ~0u;
  std::uint32_t end_of(unsigned warp, unsigned lane) const { return ends_[std::size_t{warp} * 64 + lane]; }
  // Calls found(arrival, missing lanes), and met(arrival, other arrival) where the lanes of a warp are at two
  // instructions and one of the two is for the whole warp. `all`: by warp.
  template <typename All, typename Found, typename Met>
  void completed(unsigned barrier, const All& all, const Found& found, const Met& met) {
    std::vector<Arrival>& there = arrivals_[barrier];
    for (const Arrival& one : there) {
      std::uint64_t lanes = 0;
      for (const Arrival& other : there) {
        if (other.warp != one.warp) continue;
        lanes |= other.lanes;
        if (&other > &one && other.op != one.op && (one.op->uniform_branch || other.op->uniform_branch))
          met(one, other);
      }
      if (const std::uint64_t missing = all(one.warp) & ~lanes; missing != 0) found(one, missing);
    }
    there.clear();
  }

 private:
  std::array<std::vector<Arrival>, BlockOrder::kBarriers> arrivals_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace duet::check
