#include "machine/host/processor.h"

#include <algorithm>

namespace duet::machine {

Processor::Processor(sim::Engine& engine, const config::Cpu& cpu, const config::Host& dram,
                     const SharedMemory* shared)
    : engine_(engine),
      config_(cpu),
      memory_(engine, cpu, dram, shared),
      timer_(engine, memory_.node(), *this) {
  for (unsigned i = 0; i < cpu.cores; ++i) {
    cores_.push_back(std::make_unique<cpu::Core>(
        engine, &memory_.node(), config_, i,
        cpu::Core::Surroundings{memory_, memory_, static_cast<cpu::CoreClient&>(*this)}));
    memory_.connect(*cores_.back());
  }
  if (!cores_.empty()) timer_.tick_on_thread_of(*cores_.front());  // both tell the client
}

std::size_t Processor::count_executing() const {
  return static_cast<std::size_t>(std::count_if(
      cores_.begin(), cores_.end(), [](const auto& core) { return core->registers() != nullptr; }));
}

void Processor::tell_alone() {
  const std::size_t executing = count_executing();
  for (const auto& core : cores_) core->set_alone(executing == 1);
  on_change();
}

}  // namespace duet::machine
