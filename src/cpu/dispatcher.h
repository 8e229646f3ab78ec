// The dispatch of a core: an instruction's way from the front end into the window, with its execution and its
// room.
//
//   while (dispatcher.dispatch()) {}   // as far as the tick goes
//
// Guarantees: dispatch is in program order, dispatch_width instructions a cycle. An instruction is dispatched
// in the first cycle with room for it in the window, the scheduler, and the load queue or the store buffer;
// cycles until then are counted as lost to the cause (dispatch_slots.h). Serial instructions go to
// serial_unit.h.
#pragma once

#include "cpu/core_state.h"

namespace duet::cpu {

class BackEnd;
class DeviceUnit;
class EarlyExecution;
class FrontEnd;
class LoadUnit;
class SerialUnit;
class StoreUnit;

class Dispatcher {
 public:
  // All of them outlive it.
  struct Units {
    FrontEnd& front_end;
    BackEnd& back_end;
    EarlyExecution& execution;
    LoadUnit& loads;
    StoreUnit& stores;
    SerialUnit& serial;
    DeviceUnit& device;
  };
  Dispatcher(CoreState& state, const Units& units) : state_(state), units_(units) {}

  // The next instruction. False: none can be dispatched in this tick, as far as is known.
  bool dispatch();
  // The cause that holds the next instruction back for an unknown time.
  Cause cause_of_waiting();

 private:
  bool room(const CodeEntry& code, Cycle& cycle, Cause& cause);
  static Cause cause_of(const WindowEntry& full_behind);
  void enter(const CodeEntry& code, Cycle cycle);

  CoreState& state_;
  const Units units_;
};

}  // namespace duet::cpu
