// Clock loops of a kernel only read a clock, compare and sleep: every round of a warp is alike, until the
// time changes the result of a comparison. An SM with all warps in such loops is not simulated cycle by cycle
// (clock_skip.cpp). The analysis finds loops of one basic block. Their rounds must not depend on the round
// before, and a clock's value, plus or minus a constant of the loop, may only be compared by order. Left out:
// loops of several blocks, loops with a count of rounds or a comparison for equality.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/kernel.h"

namespace duet::gpu {

struct TimedKernel;

struct ClockLoop {
  // In Kernel::code; the branch goes back to the first instruction.
  std::uint32_t first = 0, branch = 0;
  // The source of a comparison that follows the clock, and whether it falls as the clock rises.
  struct Comparison {
    std::uint32_t op = 0;
    unsigned source = 0;
    bool falls = false;
  };
  std::vector<Comparison> comparisons;
};

std::vector<ClockLoop> find_clock_loops(const ptx::Kernel& kernel, const TimedKernel& timed);

}  // namespace duet::gpu
