// Pre-execution beside the kernels of a machine (yang2012 section 4): when a launch goes to the GPU, a core
// begins to execute the program that runs ahead of its kernel; when the kernel has ended, a word that the
// program polls tells it to stop.
//
//   Preexecution preexecution(system, options, occupancy);
//   preexecution.programs().sources().add(...); preexecution.programs().prepare(kernel);   // before the
//   launch driver.on_launch = [&](const auto& command) { preexecution.launched(command); };
//   preexecution.ended = [&](const PreexecutionRun& run) { ... };
//
// Programs run one to a core, in the order of their launches; one whose kernel has ended before a core was
// free never runs. A program's loads that would fault give 0 (cpu::Core::suppress_load_faults); of the GPU's
// memory it can only read. What a program is told (preexec/context.h) lies there when it begins, and costs
// nothing. Left out: the operating system that would start it; programs on a host that is simulated.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "driver/driver.h"
#include "gpu/occupancy.h"
#include "machine/preexecution_programs.h"
#include "machine/processor.h"
#include "machine/stop_word.h"
#include "machine/system.h"
#include "rv64/hart.h"

namespace duet::machine {

// What became of the program of one launch, as of its kernel's end.
struct PreexecutionRun {
  driver::CommandId command = 0;
  const PreexecutionProgram* program = nullptr;
  std::optional<Picoseconds> started_ps, ended_ps;  // ended: by itself
  // That the core has counted since the start.
  std::uint64_t instructions = 0, loads = 0, suppressed_loads = 0, requests = 0, l3_hits = 0,
                lines_from_memory = 0;
  std::uint64_t polls = 0;
  struct Sample {
    Picoseconds time_ps;
    std::uint64_t skip_factor;
  };
  std::vector<Sample> skip_factors;  // whenever it was another one, looked at once a microsecond
};

class Preexecution final : private ProcessorClient {
 public:
  using Occupancy = std::function<gpu::Occupancy(const gpu::Grid&)>;
  // Throws duet::Error with one line where the machine has no level of cache that its cores share with its
  // GPU.
  Preexecution(System& system, const PreexecutionOptions& options, Occupancy occupancy);

  PreexecutionPrograms& programs() { return programs_; }

  // In a tick: the driver has sent a launch to the GPU; a kernel is complete.
  void launched(const driver::CommandRecord& command);
  void completed(const driver::CommandRecord& command);
  // Called after the ticks in which a kernel was complete.
  std::function<void(const PreexecutionRun&)> ended;

 private:
  struct Job {
    PreexecutionRun run;
    std::vector<std::byte> parameters;
    gpu::Dim3 grid, block;
    std::uint32_t concurrent_blocks = 1;
  };
  struct CoreState {
    std::optional<Job> job;  // that it executes
    bool ended = false;      // its kernel has
    bool stopping = false;   // the word is about to be set
    rv64::Registers registers;
    std::vector<std::uint64_t> before;  // what the core had counted at the start
    std::uint64_t generation = 0;       // of the GPU's pages, when it translated them last
  };

  void stands(cpu::Core& core) override;
  Cycle trapped(cpu::Core& core, const rv64::Trap& trap, Picoseconds now) override;
  Cycle preempted(cpu::Core&, Picoseconds) override { return 0; }
  void rings() override;

  void start_waiting();
  void start(std::size_t core, Job job);
  void kernel_ended(driver::CommandId command);
  void count(std::size_t core);
  void look();
  VirtualAddress area(std::size_t core) const;
  template <typename T>
  T context_value(std::size_t core, std::size_t offset);
  void write(VirtualAddress to, const void* from, std::size_t bytes);

  System& system_;
  sim::Engine& engine_;
  Processor& processor_;
  CpuMemory& memory_;
  const PreexecutionOptions options_;
  const Occupancy occupancy_;
  PreexecutionPrograms programs_;
  StopWord stop_;
  std::deque<Job> waiting_;    // for a core
  std::vector<Job> finished_;  // for their kernels' end
  std::vector<CoreState> cores_;
  std::vector<cpu::Core*> standing_;
  bool looks_ = false;  // the timer is set
};

}  // namespace duet::machine
