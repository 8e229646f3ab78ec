#include "cpu/back_end.h"

#include <algorithm>

#include "cpu/front_end.h"
#include "cpu/page_walker.h"
#include "cpu/uncached_unit.h"

namespace duet::cpu {

void BackEnd::dispatched(std::uint64_t sequence, WindowEntry& made) {
  if (made.awaited_count == 0)
    issue(sequence, made);
  else
    state_.wakeup.link(sequence);
  tell_waiters();
  retire_known();
}

// All its operands are known.
void BackEnd::issue(std::uint64_t sequence, WindowEntry& made) {
  const Cycle from = std::max(made.ready, made.dispatched + 1);
  const Treatment treatment = made.treatment;
  switch (treatment) {
    case Treatment::Load:
      made.start = state_.units.start_load(from);
      state_.scheduler.leave(made.start);
      walker_.start_access(sequence, made.start);
      return;
    case Treatment::Store:
      made.start = state_.units.start_store(from);
      state_.scheduler.leave(made.start);
      walker_.start_access(sequence, made.start);
      return;
    case Treatment::Nothing:
      uncached_.note_fence(sequence);
      made.start = from;
      state_.scheduler.leave(from);
      complete(sequence, from);
      return;
    default:
      made.start = state_.units.start(treatment, from);
      state_.scheduler.leave(made.start);
      complete(sequence, made.start + state_.units.latency(treatment));
  }
}

void BackEnd::complete(std::uint64_t sequence, Cycle cycle) {
  WindowEntry& made = state_.entry(sequence);
  made.complete = cycle;
  state_.status.produced(made.destination, sequence, cycle);
  front_end_.executed(sequence, cycle);
  state_.wakeup.completed(sequence, made);
}

void BackEnd::retire_known() {
  state_.window.retire([this](const WindowEntry& first) {
    if (first.treatment == Treatment::Store) state_.stores.retired(first.store, first.retire);
  });
}

void BackEnd::undo(WindowEntry& gone) {
  rv64::Registers& registers = *state_.registers;
  registers.fflags = gone.old_fflags;
  if (gone.destination != kNoRegister) {
    (gone.destination < 32 ? registers.x[gone.destination] : registers.f[gone.destination - 32]) =
        gone.old_value;
    state_.status.undo(gone, state_.window);
  }
  if (gone.treatment == Treatment::Load) state_.loads.remove_last();
  if (gone.treatment == Treatment::Store) uncached_.undo_fence(state_.stores.remove_last());
}

void BackEnd::squash_from(std::uint64_t sequence, Cycle cycle) {
  ReorderWindow& window = state_.window;
  if (sequence >= window.next()) return;
  window.begin_squash();
  state_.registers->pc = window.entry(sequence).pc;
  state_.statistics.squashed += window.next() - sequence;
  while (window.next() > sequence) undo(window.remove_last());
  window.end_squash(sequence);
  state_.stores.set_due(0);
  rebuild_after_squash(cycle);
}

// Rebuilds the state beside the window from the window.
void BackEnd::rebuild_after_squash(Cycle cycle) {
  const std::uint64_t next = state_.window.next();
  state_.loads.forget_waiting(next);
  state_.misses.forget_loads(next);
  uncached_.forget_loads(next);
  walker_.forget_accesses(next);
  front_end_.squashed(cycle);
  state_.wakeup.rebuild();
  state_.scheduler.clear();
  for (std::uint64_t i = state_.window.first(); i < next; ++i) {
    const Cycle start = state_.entry(i).start;
    if (start != kUnknown && !state_.scheduler.holds(start)) continue;
    state_.scheduler.enter();
    if (start != kUnknown) state_.scheduler.leave(start);
  }
}

}  // namespace duet::cpu
