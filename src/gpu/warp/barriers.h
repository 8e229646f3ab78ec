// The barrier counters of a block. A warp arrives as a whole. A warp with lanes on several paths arrives with
// the last of them, but at barriers with a count of threads. Ended warps count as arrived at barriers of the
// whole block. Source: PTX ISA 9.0, bar / barrier.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/lane_mask.h"

namespace duet::gpu {

inline constexpr unsigned kBarriers = 16;

struct BarrierReduction {
  std::uint32_t count = 0;  // true predicates
  bool all = true, any = false;
};

struct Barrier {
  std::uint64_t arrived_threads = 0;
  std::uint64_t arrived_warps = 0;
  std::uint64_t gone_warps = 0;        // arrived without waiting, and ended since
  bool ahead = false;                  // some warps have arrived without waiting
  std::uint64_t expected_threads = 0;  // 0: the whole block
  BarrierReduction running, complete;  // of this phase and of the last one

  bool in_use() const { return arrived_threads != 0; }
  void arrive(std::uint64_t threads, std::uint64_t expected) {
    ++arrived_warps;
    arrived_threads += threads;
    expected_threads = expected;
  }
  // Part of a warp, at a barrier with a count of threads.
  void arrive_apart(std::uint64_t threads, std::uint64_t expected) {
    arrived_threads += threads;
    expected_threads = expected;
  }
  bool satisfied(std::uint64_t live_warps) const {
    return in_use() && (expected_threads == 0 ? arrived_warps >= live_warps + gone_warps
                                              : arrived_threads >= expected_threads);
  }
  // "1 of 2 warps"
  std::string arrivals(std::uint64_t live_warps) const {
    return expected_threads == 0
               ? std::to_string(arrived_warps) + " of " + std::to_string(live_warps) + " warps"
               : std::to_string(arrived_threads) + " of " + std::to_string(expected_threads) + " threads";
  }
  void next_phase() {
    complete = running;
    running = {};
    arrived_threads = arrived_warps = gone_warps = 0;
    ahead = false;
  }
};

}  // namespace duet::gpu
