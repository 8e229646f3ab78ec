// The execution units of a core, and when they are taken (unit_reservations.h).
//
//   const Cycle start = units.start(Treatment::FloatAdd, ready);   // takes an issue slot and a unit
//   const Cycle result = start + units.latency(Treatment::FloatAdd);
//
// Loads and stores take a port each; a jump takes a branch unit. Their latencies are memory's.
#pragma once

#include <array>
#include <vector>

#include "config/machine.h"
#include "cpu/code_cache.h"
#include "cpu/unit_reservations.h"

namespace duet::cpu {

class ExecutionUnits {
 public:
  explicit ExecutionUnits(const config::Cpu& config);

  // The first cycle from `from` on with room; the room is taken.
  Cycle start_load(Cycle from) { return load_ports_.place(from, issue_slots_); }
  Cycle start_store(Cycle from) { return store_ports_.place(from, issue_slots_); }
  Cycle start(Treatment treatment, Cycle from) {
    return units_[unit_of(treatment)].place(from, issue_slots_);
  }
  Cycle latency(Treatment treatment) const { return latency_[unit_of(treatment)]; }

 private:
  static std::size_t unit_of(Treatment treatment) {
    return static_cast<std::size_t>(treatment == Treatment::Jump ? Treatment::Branch : treatment);
  }

  std::vector<Units> units_;  // by Treatment
  std::array<Cycle, kUnitTreatments> latency_{};
  Units load_ports_, store_ports_;
  SlotsPerCycle issue_slots_;
};

}  // namespace duet::cpu
