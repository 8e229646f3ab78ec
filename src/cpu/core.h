// An out-of-order core for RV64GC: values in program order, times from a window.
//
//   lw  a0, 0(a1)      executed when it is dispatched: takes the bytes that are there now
//   add a2, a0, a3     executed next, with these bytes; starts when the load has completed in time
//   ...                the load's line comes with other bytes: the add and all later instructions are
//                      squashed, and executed again
//
// Guarantees: total store order, which is stronger than RISC-V's RVWMO. Traps are precise. In a tick the core
// goes on by as many cycles as nothing can arrive that is not there yet; results and statistics do not depend
// on the length of a tick (Core.HowFarATickGoesChangesNothing).
// values-and-time.md has the rules, the sources and the omissions; uncached.md has pages that no cache holds.
#pragma once

#include <string>

#include "config/machine.h"
#include "cpu/back_end.h"
#include "cpu/coherence_unit.h"
#include "cpu/core_client.h"
#include "cpu/core_state.h"
#include "cpu/device_unit.h"
#include "cpu/dispatcher.h"
#include "cpu/early_execution.h"
#include "cpu/front_end.h"
#include "cpu/line_prefetcher.h"
#include "cpu/load_unit.h"
#include "cpu/page_walker.h"
#include "cpu/serial_unit.h"
#include "cpu/store_unit.h"
#include "cpu/uncached_unit.h"
#include "sim/engine.h"

namespace duet::cpu {

class Core final : public sim::Component {
 public:
  // All of them outlive the core.
  struct Surroundings {
    rv64::Memory& memory;
    MemoryView& view;
    CoreClient& client;
  };
  Core(sim::Engine& engine, const sim::Component* parent, const config::Cpu& config, unsigned number,
       const Surroundings& surroundings);

  // The way to the directory, and back; requests of uncached accesses are from `pool`.
  void connect(sim::Queue<memory::CoherenceMessage>& requests, sim::Queue<memory::CoherenceMessage>& answers,
               memory::RequestPool& pool) {
    state_.port.connect(requests, answers);
    uncached_.connect(pool);
  }

  unsigned number() const { return state_.number; }
  // Whose instructions it executes from `now` on; null: nobody's. Only while nothing is in flight: before the
  // first assignment, in a CoreClient's call, or while it has none. Outside of a trap they begin `later`
  // cycles after the next one.
  void assign(rv64::Registers* registers, Picoseconds now, Cycle later = 0);
  rv64::Registers* registers() const { return state_.registers; }
  // Asks for CoreClient::preempted at `time`, or as soon after it as nothing is in flight; kNever: not at
  // all.
  void preempt_at(Picoseconds time);
  // No other agent acts until it is told otherwise: without requests of its own nothing will arrive.
  void set_alone(bool alone) { state_.alone = alone; }
  // From now on each write to a held line is told (MemoryView::about_to_write), alone or not.
  void tell_writes() { state_.tells_writes = true; }
  bool will_be_preempted() const { return serial_.will_be_preempted(); }
  // Pages were mapped or unmapped, or their rights changed.
  void forget_translations();
  // As assign(): from now on MemoryView has other pages for it, and no address is of both. So TLBs keep their
  // entries: address spaces are distinct in them.
  void change_address_space() { state_.translation.forget(); }
  // From now on faulting loads give 0 instead, and are counted: for programs whose loads are guesses
  // (yang2012 section 4). Loads answered by private caches are counted by MemoryView::Held. As assign().
  void suppress_load_faults(bool on) { state_.guesses = on; }

  // From now on: the client gets a sample every `period` cycles with registers.
  void sample_every(Cycle period, SampleSink& sink) { state_.sampling.every(period, sink); }

  // Gives up every line of the private caches; dirty ones are written back. The messages go to the directory
  // one after the other, before later requests of the core. As assign(), while it has no registers. Returns
  // their number.
  std::uint64_t drop_lines(Picoseconds now);

  // Somebody outside of simulated time has written to a line, between ticks, under whoever holds it: as if it
  // had been lost for a moment.
  void line_rewritten(PhysicalAddress line);

  // For the client (CoreClient::stands).
  void call_client();

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;
  Picoseconds next_opportunity(Picoseconds time) const override {
    return state_.ahead.first_edge_after(time);
  }

  // Slots are counted up to now, or as far as the core has gone.
  bool settle_statistics() override;

  const CoreStatistics& statistics() const { return state_.statistics; }

 private:
  void handle(const memory::CoherenceMessage& message);
  void uncached_answered(memory::RequestHandle request);
  Cycle reach_alone(Picoseconds now);
  void set_reach(Picoseconds now, Picoseconds arrival);
  void wait_with_held_probe();
  void work();

  CoreState state_;
  LinePrefetcher prefetcher_;
  FrontEnd front_end_;
  BackEnd back_end_;
  PageWalker walker_;
  LoadUnit loads_;
  StoreUnit stores_;
  UncachedUnit uncached_;
  EarlyExecution execution_;
  SerialUnit serial_;
  DeviceUnit device_;
  CoherenceUnit coherence_;
  Dispatcher dispatcher_;
};

}  // namespace duet::cpu
