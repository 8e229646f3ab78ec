#include "cpu/execution_units.h"

namespace duet::cpu {

ExecutionUnits::ExecutionUnits(const config::Cpu& config)
    : load_ports_(static_cast<unsigned>(config.load_ports), 1),
      store_ports_(static_cast<unsigned>(config.store_ports), 1),
      issue_slots_(static_cast<unsigned>(config.issue_width)) {
  for (const config::Cpu::Unit* const unit :
       {&config.integer, &config.multiply, &config.divide, &config.float_add, &config.float_multiply,
        &config.float_fused, &config.float_divide, &config.float_square_root, &config.float_move,
        &config.float_convert, &config.branch}) {
    latency_[units_.size()] = unit->latency_cycles;
    units_.emplace_back(static_cast<unsigned>(unit->count), unit->interval_cycles);
  }
}

}  // namespace duet::cpu
