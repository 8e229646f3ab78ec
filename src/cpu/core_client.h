// The client of a core gives it its threads: an operating system's part of the machine. A core calls it when
// its thread stands at a trap, with all earlier instructions retired and visible to all.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "rv64/interpreter.h"

namespace duet::cpu {

class Core;

class CoreClient {
 public:
  virtual ~CoreClient() = default;

  // Called from a tick of `core`, at a trap or a preemption: when all components due at this time have been
  // ticked, Core::call_client() is to be called, and calls one of the following. The client orders several
  // cores at one time; the default is the order of ticks.
  virtual void stands(Core& core);
  // `core`'s registers stand at an instruction that traps (rv64::Trap). Afterwards the core goes on at
  // registers().pc, `cycles` later; or, without registers (Core::assign), it sleeps. Returns `cycles`.
  virtual Cycle trapped(Core& core, const rv64::Trap& trap, Picoseconds now) = 0;
  // For every Core::preempt_at, at a moment with nothing in flight.
  virtual Cycle preempted(Core& core, Picoseconds now) = 0;
};

}  // namespace duet::cpu
