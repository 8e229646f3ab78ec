// The state of a core, shared by its units: window, queues, lines, and how far the tick goes.
//
//   state.window.add();                      // the dispatcher
//   state.misses.ask(line, false, cycle);    // load unit, store unit, page walker, ...
//
// Every member keeps its own invariants, and knows no unit. Decisions are the units'. Left out: state of one
// unit alone, which the unit has.
#pragma once

#include "cpu/address_translation.h"
#include "cpu/code_cache.h"
#include "cpu/core_statistics.h"
#include "cpu/directory_port.h"
#include "cpu/dispatch_slots.h"
#include "cpu/execution_units.h"
#include "cpu/line_misses.h"
#include "cpu/load_queue.h"
#include "cpu/lookahead.h"
#include "cpu/private_caches.h"
#include "cpu/register_status.h"
#include "cpu/reorder_window.h"
#include "cpu/reservation.h"
#include "cpu/sampling.h"
#include "cpu/scheduler.h"
#include "cpu/store_buffer.h"
#include "cpu/wakeup.h"
#include "rv64/hart.h"

namespace duet::cpu {

struct CoreState {
  CoreState(sim::Component& core, const config::Cpu& cpu, unsigned core_number, rv64::Memory& of_core,
            MemoryView& below)
      : config(cpu),
        number(core_number),
        line_mask(cpu.line_bytes - 1),
        memory(of_core),
        view(below),
        statistics(core, "core."),
        port(ahead, core_number),
        code(of_core, &below, core_number),
        translation(below, core_number, cpu.line_bytes),
        slots(cpu.dispatch_width, statistics),
        sampling(core_number),
        scheduler(cpu.scheduler_entries),
        units(cpu),
        window(cpu.rob_entries, cpu.retire_width),
        loads(cpu.load_entries),
        stores(cpu.store_entries),
        misses(port, statistics),
        caches(cpu) {}

  WindowEntry& entry(std::uint64_t sequence) { return window.entry(sequence); }
  std::uint64_t line_of(std::uint64_t physical) const { return physical & ~line_mask; }
  bool touches(const Access& access, std::uint64_t line) const {
    for (unsigned i = 0; i < access.count; ++i)
      if (line_of(access.pieces[i].physical) == line) return true;
    return false;
  }
  // The instruction at registers->pc is dispatched in `cycle`, or begins as a serial one.
  void dispatch_in(Cycle cycle, Cause cause) {
    sampling.reach(cycle, cycle - slots.cycle(), cause);
    slots.move_to(cycle, cause);
  }
  // 0: there is no L2.
  Cycle l2_latency() { return caches.l2().exists() ? config.l2.latency_cycles : 0; }

  const config::Cpu config;
  const unsigned number;
  const std::uint64_t line_mask;  // address within a line
  rv64::Memory& memory;
  MemoryView& view;
  rv64::Registers* registers = nullptr;  // null: it executes nobody's instructions
  bool alone = false;                    // no other agent acts
  bool tells_writes = false;             // to the memory, alone too
  bool guesses = false;                  // faulting loads give 0 (Core::suppress_load_faults)
  CoreStatistics statistics;
  Lookahead ahead{config};
  DirectoryPort port;
  CodeCache code;
  AddressTranslation translation;
  DispatchSlots slots;
  Sampling sampling;
  Scheduler scheduler;
  ExecutionUnits units;
  ReorderWindow window;
  RegisterStatus status;
  Wakeup wakeup{window};
  LoadQueue loads;
  StoreBuffer stores;
  LineMisses misses;
  PrivateCaches caches;
  Reservation reservation;
};

}  // namespace duet::cpu
