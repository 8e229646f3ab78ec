#include "cpu/dispatcher.h"

#include <algorithm>

#include "cpu/back_end.h"
#include "cpu/device_unit.h"
#include "cpu/early_execution.h"
#include "cpu/front_end.h"
#include "cpu/load_unit.h"
#include "cpu/serial_unit.h"
#include "cpu/store_unit.h"

namespace duet::cpu {

bool Dispatcher::dispatch() {
  FrontEnd& front_end = units_.front_end;
  if (state_.registers == nullptr || units_.serial.is_trapped() || front_end.is_stalled()) return false;
  rv64::Registers& registers = *state_.registers;
  const ReorderWindow& window = state_.window;
  Lookahead& ahead = state_.ahead;
  const std::uint64_t pc = registers.pc, before = window.squashes();
  const Cycle last = state_.slots.cycle();
  if (units_.serial.is_preempted(last)) return units_.serial.preempt();
  const CodeEntry* const code = state_.code.find(pc);
  if (code == nullptr) {
    state_.translation.set_fault(state_.code.fault());
    return units_.serial.execute(nullptr);
  }
  // A store may drain meanwhile and end in a squash: then another instruction is the next one.
  const bool fetched = front_end.fetch(pc, std::max({front_end.enter(window.next()), last, ahead.now()}));
  if (window.squashes() != before) return true;
  if (!fetched) return false;
  if (code->treatment >= Treatment::DrainStores) return units_.serial.execute(code);
  Cycle cycle = std::max(front_end.dispatch_cycle(), last);
  Cause cause = cycle > last ? front_end.cause() : Cause::FrontEnd;
  if (cycle == last && state_.slots.is_full()) ++cycle;
  const bool has_room = room(*code, cycle, cause);
  if (window.squashes() != before) return true;
  if (!has_room) return false;
  cycle = std::max(cycle, ahead.now());
  if (cycle <= ahead.limit()) units_.stores.drain(cycle);
  if (window.squashes() != before) return true;
  if (cycle > ahead.limit()) {
    ahead.wake_for(cycle);
    return false;
  }
  if (code->execute != nullptr) {
    // The overwritten values, before it executes.
    WindowEntry& made = state_.entry(window.next());
    made.old_fflags = registers.fflags;
    if (code->destination < 32)
      made.old_value = registers.x[code->destination];
    else if (code->destination < kNoRegister)
      made.old_value = registers.f[code->destination - 32];
    if (!units_.execution.run(*code)) {
      if (units_.device.take_standing()) return units_.device.begin(*code);
      return units_.serial.execute(units_.execution.is_illegal() ? code : nullptr);
    }
  }
  state_.dispatch_in(cycle, cause);
  enter(*code, cycle);
  return true;
}

Cause Dispatcher::cause_of(const WindowEntry& full_behind) {
  if (full_behind.treatment != Treatment::Load || full_behind.level == Level::L1) return Cause::Core;
  return full_behind.level == Level::L2 ? Cause::MemoryL2 : Cause::MemoryBelow;
}

// Moves `cycle` to the first one with room in all buffers; false while it is not known.
bool Dispatcher::room(const CodeEntry& code, Cycle& cycle, Cause& cause) {
  ReorderWindow& window = state_.window;
  StoreBuffer& stores = state_.stores;
  const auto after = [&](Cycle free, Cause why) {
    if (free < cycle) return;
    cycle = free + 1;
    cause = why;
  };
  if (const WindowEntry* const first = window.last_before_room()) {
    if (first->retire == kUnknown) return false;
    after(first->retire, cause_of(*first));
  }
  if (code.treatment == Treatment::Load) {
    const std::uint64_t number = state_.loads.last_before_room();
    if (number != 0 && !window.is_gone(number)) {
      const WindowEntry& first = window.entry(number);
      if (first.retire == kUnknown) return false;
      after(first.retire, cause_of(first));
    }
  }
  if (code.treatment == Treatment::Store) {
    const std::uint64_t place = stores.last_before_room();
    if (place != kNoStore) {
      if (stores.at(place).drained == kUnknown) units_.stores.drain(state_.ahead.limit(), place);
      if (stores.at(place).drained == kUnknown) return false;
      after(stores.at(place).drained, Cause::Stores);
    }
  }
  const Cycle before = cycle;
  if (!state_.scheduler.find_room(cycle)) return false;
  if (cycle != before) cause = cause_of(window.oldest(cycle - 1));
  return true;
}

Cause Dispatcher::cause_of_waiting() {
  if (units_.device.is_waiting()) return Cause::Serial;
  if (units_.front_end.is_stalled()) return units_.front_end.stall_cause();
  if (units_.serial.is_waiting()) return Cause::Serial;
  if (!state_.window.is_empty()) return cause_of(state_.entry(state_.window.retired() + 1));
  return state_.stores.is_empty() ? units_.front_end.cause() : Cause::Stores;
}

void Dispatcher::enter(const CodeEntry& code, Cycle cycle) {
  rv64::Registers& registers = *state_.registers;
  const std::uint64_t sequence = state_.window.next();
  WindowEntry& made = state_.window.add();
  made.pc = registers.pc;
  made.dispatched = cycle;
  made.start = made.complete = made.retire = made.bound = kUnknown;
  made.ready = 0;
  made.awaited_count = 0;
  made.first_waiter = made.next_waiter = 0;
  made.destination = code.destination;
  made.treatment = code.treatment;
  made.forwarded = false;
  made.behind = kNoStore;
  made.level = Level::L1;
  made.lines_missing = 0;
  state_.slots.use();
  units_.front_end.dispatched(sequence, cycle);
  for (const std::uint8_t source : code.sources)
    if (source != kNoRegister) state_.status.source(made, source);
  const bool jumps = code.treatment == Treatment::Jump || code.treatment == Treatment::Branch;
  bool taken = false;
  Prediction prediction = Prediction::Right;
  if (jumps) {
    made.old_fflags = registers.fflags;
    std::uint64_t next = 0;
    if (code.destination != kNoRegister) made.old_value = registers.x[code.destination];
    prediction = units_.front_end.follow(code, next, taken);
    registers.pc = next;
  } else {
    if (code.execute == nullptr) made.old_fflags = registers.fflags;
    registers.pc += code.instruction.length;
  }
  if (code.destination != kNoRegister) state_.status.claim(made, sequence);
  if (code.treatment == Treatment::Load) {
    units_.loads.dispatched(sequence, made);
  } else if (code.treatment == Treatment::Store) {
    made.access = units_.execution.access();
    made.access.value = units_.execution.stored();
    units_.stores.dispatched(sequence, made);
  }
  state_.scheduler.enter();
  units_.back_end.dispatched(sequence, made);
  if (jumps) units_.front_end.resume(sequence, prediction, taken);
}

}  // namespace duet::cpu
