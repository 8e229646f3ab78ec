// Operand collection and the arithmetic units of an SM, as reservations: a register bank delivers one operand
// a cycle (ExecutionUnits.EachFurtherOperandOfABankCostsACycle), a collector holds an instruction from its
// issue until its unit takes it, a unit takes an instruction every interval. Instructions of a unit start in
// the order of their issue. So the whole future of an instruction is known when it issues, and nothing is
// ticked. Source: hu2016 §2 (SM); operand collectors and banks as in Fermi-class SMs. Left out: the write
// ports of the register file.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "config/machine.h"
#include "gpu/sm/timed_kernel.h"
#include "sim/statistics.h"

namespace duet::gpu {

struct UnitStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter register_conflict_cycles{*this, "register_conflict_cycles", "cycles",
                                        "operand collection: waits for a register bank"};
};

class ExecutionUnits {
 public:
  // An instruction without conflicts starts to execute this many cycles after its issue: one to read its
  // operands, one to go to the unit.
  static constexpr Cycle kCollectCycles = 2;

  explicit ExecutionUnits(const config::Sm& sm)
      : bank_free_(sm.register_banks),
        bank_mask_(std::has_single_bit(sm.register_banks) ? static_cast<std::uint32_t>(sm.register_banks - 1)
                                                          : 0),
        unit_collectors_(static_cast<std::uint32_t>(sm.collector_units)) {
    const std::uint64_t counts[kArithmeticPipes] = {
        sm.sp_units, sm.sfu_units, sm.dp_units, sm.int_units, 1, 1};
    for (unsigned pipe = 0; pipe < kArithmeticPipes; ++pipe) {
      pipes_[pipe].first = pipes_[pipe].best = static_cast<std::uint32_t>(units_.size());
      units_.resize(units_.size() + counts[pipe]);
      pipes_[pipe].end = static_cast<std::uint32_t>(units_.size());
      pipes_[pipe].next_issue = counts[pipe] == 0 ? ~Cycle{0} : 0;
    }
    collectors_.resize(units_.size() * unit_collectors_);
  }

  // First cycle at which a collector of this pipe is free; at most `now` when an instruction can issue.
  Cycle next_issue(Pipe pipe) const { return pipes_[static_cast<unsigned>(pipe)].next_issue; }

  // When the registers of an instruction that issues at `now` have been read.
  Cycle collect(Cycle now, std::uint32_t warp, const std::uint16_t* registers, unsigned count) {
    Cycle last = now + 1;
    if (bank_free_.empty()) return last + 1;
    for (unsigned i = 0; i < count; ++i) {
      const std::uint32_t number = registers[i] + warp;
      Cycle& free = bank_free_[bank_mask_ != 0 ? number & bank_mask_
                                               : number % static_cast<std::uint32_t>(bank_free_.size())];
      const Cycle read = std::max(now + 1, free);
      free = read + 1;
      last = std::max(last, read);
    }
    statistics_.register_conflict_cycles += last - (now + 1);
    return last + 1;
  }

  // Issues one machine instruction whose operands are there at `collected`; returns when it starts to
  // execute. next_issue(pipe) must be at most `now`.
  Cycle start(Pipe pipe, Cycle collected, unsigned interval_cycles) {
    PipeState& state = pipes_[static_cast<unsigned>(pipe)];
    Unit& unit = units_[state.best];
    const Cycle start = std::max(collected, unit.free);
    unit.free = start + interval_cycles;
    Cycle* const collectors = &collectors_[std::size_t{state.best} * unit_collectors_];
    collectors[unit.next] = start;
    if (++unit.next == unit_collectors_) unit.next = 0;
    unit.collector_free = collectors[unit.next];
    std::uint32_t best = state.first;
    for (std::uint32_t other = best + 1; other < state.end; ++other) {
      const Cycle mine = units_[other].collector_free, its = units_[best].collector_free;
      if (mine < its || (mine == its && units_[other].free < units_[best].free)) best = other;
    }
    state.best = best;
    state.next_issue = units_[best].collector_free;
    return start;
  }

  UnitStatistics& statistics() { return statistics_; }

  // Calls f(Cycle&) for every time at which a unit, bank or collector is free, and g(number) for the rest of
  // the state: the next units and collectors.
  template <typename F, typename G>
  void for_each_time(const F& f, const G& g) {
    for (PipeState& pipe : pipes_) f(pipe.next_issue), g(pipe.best);
    for (Unit& unit : units_) f(unit.free), f(unit.collector_free), g(unit.next);
    for (Cycle& collector : collectors_) f(collector);
    for (Cycle& bank : bank_free_) f(bank);
  }

 private:
  struct Unit {
    Cycle free = 0;            // takes the next instruction then
    Cycle collector_free = 0;  // of its oldest collector: they are left in order
    std::uint32_t next = 0;    // the free collector
  };
  struct PipeState {
    Cycle next_issue = 0;
    std::uint32_t first = 0, end = 0;  // its units
    std::uint32_t best = 0;  // whose collector is free first; among these, that takes an instruction first
  };
  std::array<PipeState, kArithmeticPipes> pipes_;
  std::vector<Unit> units_;
  std::vector<Cycle> collectors_;  // of unit after unit: each free from then on
  std::vector<Cycle> bank_free_;
  std::uint32_t bank_mask_;  // of a power of two of banks; 0: another number
  std::uint32_t unit_collectors_;
  UnitStatistics statistics_{"sm."};
};

}  // namespace duet::gpu
