// Turns at the device heap: calls of all SMs, one after the other.
//
//     turns.ask(sm, now, 1400, [&](Cycle wait) { ... });   wait: cycles until the calls before it are served
//
// Calls of one cycle are served in the order of their SMs, so the order of ticks is not visible; they are
// answered after all ticks of the time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/engine.h"

namespace duet::gpu {

class HeapTurns {
 public:
  explicit HeapTurns(sim::Engine& engine) : engine_(engine) {}
  // In core cycles; `interval`: for how long the heap serves no other. Times never go back.
  void ask(std::uint32_t sm, Cycle now, Cycle interval, std::function<void(Cycle wait)> told);

 private:
  struct Call {
    std::uint32_t sm;
    Cycle interval;
    std::function<void(Cycle)> told;
  };
  void serve(Cycle now);

  sim::Engine& engine_;
  std::vector<Call> calls_;  // of this time
  Cycle free_ = 0;
};

}  // namespace duet::gpu
