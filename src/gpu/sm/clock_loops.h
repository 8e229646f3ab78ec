// Loops of a kernel that do nothing but read a clock, compare and sleep: what a warp does in one is the same
// round after round, until the time changes how a comparison ends. An SM whose warps are all in such loops is
// not simulated cycle by cycle (sm_spin.cpp). Found are loops of one basic block whose rounds depend on
// nothing of the round before, and in which a clock's value, plus or minus something that does not change, is
// only compared by order. Left out: loops of several blocks, those that count their rounds or compare for
// equality.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/kernel.h"

namespace duet::gpu {

struct TimedKernel;

struct ClockLoop {
  // In Kernel::code; the branch goes back to the first instruction.
  std::uint32_t first = 0, branch = 0;
  // Which source of a comparison follows the clock, and whether it falls as the clock rises.
  struct Comparison {
    std::uint32_t op = 0;
    unsigned source = 0;
    bool falls = false;
  };
  std::vector<Comparison> comparisons;
};

std::vector<ClockLoop> find_clock_loops(const ptx::Kernel& kernel, const TimedKernel& timed);

}  // namespace duet::gpu
