// The slots of dispatch: each cycle has so many, each used, or lost to the cause that held the next
// instruction back (the top-down method: Yasin, ISPASS 2014).
//
//   slots.move_to(120, Cause::MemoryBelow);   // the last instruction was dispatched in cycle 117
//   slots.use();                              // cycles 117 to 119 are counted: used slots, the rest to the
//   cause
//
// Guarantee: with a thread on the core, every cycle is counted once, and its slots add up to the width.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/core_statistics.h"
#include "cpu/lookahead.h"

namespace duet::cpu {

// Why nothing could be dispatched.
enum class Cause : std::uint8_t {
  FrontEnd,
  InstructionCache,
  Speculation,
  MemoryL2,
  MemoryBelow,
  Stores,
  Core,
  Serial
};

class DispatchSlots {
 public:
  DispatchSlots(std::uint64_t width, CoreStatistics& statistics) : width_(width), statistics_(statistics) {}

  // The cycle of the last dispatch.
  Cycle cycle() const { return cycle_; }
  bool is_full() const { return dispatched_ == width_; }
  // The next instruction is dispatched in `cycle`, or a serial one begins.
  void move_to(Cycle cycle, Cause cause) {
    if (cycle == cycle_) return;
    count(cycle, cause);
    cycle_ = cycle;
    dispatched_ = 0;
  }
  void use() {
    ++dispatched_;
    ++uncounted_;
  }
  // A thread has the core from the later of `cycle` and the last dispatch on: cycles before it are not
  // counted.
  void begin(Cycle cycle) {
    cycle_ = std::max(cycle_, cycle);
    dispatched_ = 0;
    counted_ = cycle_;
  }
  // Every slot before `end` is counted.
  void count(Cycle end, Cause cause);
  // The end of cycles with a dispatched instruction.
  Cycle end() const { return cycle_ + (uncounted_ != 0); }

 private:
  sim::Counter& lost_to(Cause cause);

  const std::uint64_t width_;
  CoreStatistics& statistics_;
  Cycle cycle_ = 0;
  unsigned dispatched_ = 0;      // in the cycle
  Cycle counted_ = 0;            // cycles before it are counted
  std::uint64_t uncounted_ = 0;  // instructions dispatched in other cycles
};

}  // namespace duet::cpu
