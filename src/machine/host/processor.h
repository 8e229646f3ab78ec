// The processor of a machine: cores, the memory below them, and a timer. Its client, an operating system's
// part, assigns threads to cores.
//
//   Processor processor(engine, config.cpu, config.host);
//   SimulatedHost linux(processor, {{"./program"}, {}});   // serves it
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cpu/core.h"
#include "machine/host/cpu_memory.h"

namespace duet::machine {

// Who is asked when a core stands, and when the timer rings.
class ProcessorClient : public cpu::CoreClient {
 public:
  // In a tick, at the time for which the timer was set.
  virtual void rings() = 0;
};

// Has cores of a processor while its client leaves them idle.
class CoreBorrower : public ProcessorClient {
 public:
  // Whether the borrower may take core `i`, which executes nothing.
  virtual void lend_by(std::function<bool(std::size_t)> may_take) = 0;
  // Between ticks: cores may be free.
  virtual void start_waiting() = 0;
};

class Processor final : private cpu::CoreClient {
 public:
  // `shared`: what the cores have in common with the machine's GPU, if anything.
  Processor(sim::Engine& engine, const config::Cpu& cpu, const config::Host& dram,
            const SharedMemory* shared = nullptr);

  // Before any core is assigned.
  void serve(ProcessorClient& client) { client_ = &client; }

  sim::Engine& engine() { return engine_; }
  const config::Cpu& config() const { return config_; }
  CpuMemory& memory() { return memory_; }
  const std::vector<std::unique_ptr<cpu::Core>>& cores() const { return cores_; }
  // Tells cores whether one of them alone executes (cpu::Core::set_alone): between ticks, when one begins or
  // ends.
  void tell_alone();
  bool executes() const { return count_executing() != 0; }
  // Called then: what cores have written until now is to be looked at.
  std::function<void()> on_change = [] {};
  // The timer rings once, at the earliest time that was asked for since it last did.
  void ring_at(Picoseconds time) { engine_.wake(timer_, time); }

 private:
  class Timer final : public sim::Component {
   public:
    Timer(sim::Engine& engine, const sim::Component& parent, Processor& processor)
        : Component(engine, "timer", &parent, 2, sim::Role::None), processor_(processor) {}
    Picoseconds tick(Picoseconds) override {
      processor_.client_->rings();
      return kNever;
    }

   private:
    Processor& processor_;
  };

  void stands(cpu::Core& core) override { client_->stands(core); }
  Cycle trapped(cpu::Core& core, const rv64::Trap& trap, Picoseconds now) override {
    return client_->trapped(core, trap, now);
  }
  Cycle preempted(cpu::Core& core, Picoseconds now) override { return client_->preempted(core, now); }

  std::size_t count_executing() const;

  sim::Engine& engine_;
  const config::Cpu config_;
  ProcessorClient* client_ = nullptr;
  CpuMemory memory_;
  Timer timer_;
  std::vector<std::unique_ptr<cpu::Core>> cores_;
};

}  // namespace duet::machine
