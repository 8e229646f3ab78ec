// Who gives a core its threads: an operating system's part of the machine. A core calls it when what it
// executes stands at a trap, with everything before it retired and visible to all.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "rv64/interpreter.h"

namespace duet::cpu {

class Core;

class CoreClient {
 public:
  virtual ~CoreClient() = default;

  // From a tick of `core`, which stands at a trap or is to be preempted: when all that is due at this time
  // has been ticked, Core::call_client() is to be called, which calls one of the following. Of several cores
  // that stand at one time the client says which is first; here it is the one that was ticked first.
  virtual void stands(Core& core);
  // `core`'s registers stand at an instruction that traps (rv64::Trap). Afterwards the core goes on at
  // registers().pc, `cycles` later; or, without registers (Core::assign), it sleeps. Returns `cycles`.
  virtual Cycle trapped(Core& core, const rv64::Trap& trap, Picoseconds now) = 0;
  // Every Core::preempt_at that was asked for, at a moment when nothing is in flight.
  virtual Cycle preempted(Core& core, Picoseconds now) = 0;
};

}  // namespace duet::cpu
