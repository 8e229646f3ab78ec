// Pre-execution beside the kernels of a machine (yang2012 section 4).
//
//   Preexecution preexecution(system, options, occupancy);
//   preexecution.programs().sources().add(...); preexecution.programs().prepare(grid);   // before a launch
//   preexecution.launched(command);                                          // when the driver has sent it
//   preexecution.ended = [&](const PreexecutionRun& run) { ... };
//
// A launch goes to the GPU: a core begins the program that runs ahead of its kernel. The kernel has ended: a
// polled word stops the program. One program runs on a core, in the order of launches; it never runs if its
// kernel ends first. With threads of a program on the cores (simulated_host.h) it gets idle ones,
// cpu.context_switch_cycles after they are free; without its core it keeps its registers, and goes on later.
// A program only reads the GPU's memory; its faulting loads give 0 (cpu::Core::suppress_load_faults). Its
// input (preexec/context.h) is there at its beginning, at no cost; ids of blocks: preexecution_blocks.cpp.
// Left out: the operating system that would start it; a program's move to another core.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "driver/driver.h"
#include "gpu/block_order.h"
#include "gpu/occupancy.h"
#include "machine/cores_for_gpu/preexecution_programs.h"
#include "machine/host/processor.h"
#include "machine/host/stop_word.h"
#include "machine/system.h"
#include "preexec/context.h"
#include "rv64/hart.h"

namespace duet::machine {

// What became of the program of one launch, as of its kernel's end.
struct PreexecutionRun {
  driver::CommandId command = 0;
  const PreexecutionProgram* program = nullptr;
  std::optional<Picoseconds> started_ps, ended_ps;  // ended: by itself
  Picoseconds on_core_ps = 0;                       // so long it had a core
  std::uint64_t interruptions = 0;                  // its core was taken back
  // That the core has counted since the start.
  std::uint64_t instructions = 0, loads = 0, suppressed_loads = 0, requests = 0, l3_hits = 0,
                lines_from_memory = 0;
  std::uint64_t private_hits = 0, stale_hits = 0, wrong_hits = 0;
  std::uint64_t lines_dropped = 0;  // of the private caches, when it began
  std::uint64_t polls = 0;
  std::uint64_t block_writes = 0;  // of ids and counts of blocks, while it ran
  struct Sample {
    Picoseconds time_ps;
    std::uint64_t skip_factor;
  };
  std::vector<Sample> skip_factors;  // whenever it was another one, looked at once a microsecond
};

class Preexecution final : public CoreBorrower {
 public:
  using Occupancy = std::function<gpu::Occupancy(const gpu::Grid&)>;
  // `lent`: somebody else serves the processor, and lends cores (lend_by). Throws duet::Error with one line
  // where the machine has no level of cache that its cores share with its GPU.
  Preexecution(System& system, const PreexecutionOptions& options, Occupancy occupancy, bool lent = false);

  PreexecutionPrograms& programs() { return programs_; }

  // In a tick: the driver has sent a launch to the GPU; a kernel is complete.
  void launched(const driver::CommandRecord& command);
  void completed(const driver::CommandRecord& command);
  // The same: a block goes to an SM.
  void block_started(const gpu::Grid& grid);
  // Called after the ticks in which a kernel was complete.
  std::function<void(const PreexecutionRun&)> ended;

  // Whether it may take a core that executes nothing.
  void lend_by(std::function<bool(std::size_t)> may_take) override { may_take_ = std::move(may_take); }
  // Between ticks: cores may be free. Programs begin, or go on.
  void start_waiting() override;
  // Of cores that programs have.
  Cycle trapped(cpu::Core& core, const rv64::Trap& trap, Picoseconds now) override;
  // The core is taken back.
  Cycle preempted(cpu::Core& core, Picoseconds now) override;

 private:
  // Blocks that have been dispatched. What is done at a time does not depend on those of that very time.
  struct Begun {
    std::uint32_t now = 0, before = 0;
    Picoseconds last = 0;
    void count(Picoseconds time);
    std::uint32_t at(Picoseconds time) const { return last < time ? now : before; }
  };
  struct Job {
    PreexecutionRun run;
    std::optional<gpu::BlockOrder> order;  // where ids are forwarded
    Begun begun;
    std::vector<std::byte> parameters;
    gpu::Dim3 grid, block;
    std::uint32_t concurrent_blocks = 1;
  };
  struct CoreState {
    std::optional<Job> job;  // that it executes
    bool ended = false;      // its kernel has
    bool stopping = false;   // the word is about to be set
    rv64::Registers registers;
    std::vector<std::uint64_t> before;       // what the core had counted at the start, and others since
    std::vector<std::uint64_t> left;         // what it had counted when the program lost it
    Picoseconds since = 0, had_core_ps = 0;  // the program has it; had it before
    std::uint64_t generation = 0;            // of the GPU's pages, when it translated them last
    // Of blocks: what it has been told, and how many ids are there; when the last write was done; kNever: it
    // is not.
    std::uint32_t told_begun = 0, told_known = 0, ids = 0;
    Picoseconds written = 0;
    bool writing() const { return written == kNever; }
  };

  void stands(cpu::Core& core) override;
  void rings() override {}

  void start(std::size_t core, Job job);
  void write_context(std::size_t core, const Job& job);
  void enter(std::size_t core);
  void leave(std::size_t core, Picoseconds now);
  void show_programs(std::size_t core, bool on);
  void look_later();
  void kernel_ended(driver::CommandId command);
  void count(std::size_t core);
  void look();
  Job* job_of(driver::CommandId command);
  void begin_blocks(std::size_t core, preexec::Context& context, const Job& job);
  static std::uint32_t known_of(const Job& job, std::uint32_t begun);
  void forward_later() { engine_.wake(forward_timer_, engine_.now() + 1); }
  void forward_all();
  bool forward_ids(std::size_t core, std::uint32_t known);
  void forward_counts(std::size_t core, std::uint32_t begun);
  void forward(std::size_t core, PhysicalAddress place, std::span<const std::byte> bytes);
  // Does its action when all that is due at a time has been ticked.
  class Timer final : public sim::Component {
   public:
    Timer(const char* name, Preexecution& owner, std::function<void()> action)
        : Component(owner.engine_, name, &owner.memory_.node(), 2, sim::Role::None),
          engine_(owner.engine_),
          action_(std::move(action)) {}
    Picoseconds tick(Picoseconds) override {
      engine_.after_ticks(action_);
      return kNever;
    }

   private:
    sim::Engine& engine_;
    const std::function<void()> action_;
  };
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
  const bool lent_;
  const VirtualAddress base_;  // of the programs' addresses
  std::function<bool(std::size_t)> may_take_;
  PreexecutionPrograms programs_;
  StopWord stop_;
  std::optional<StopWord> forwarder_;  // of blocks' ids
  std::deque<Job> waiting_;            // for a core
  std::vector<Job> finished_;          // for their kernels' end
  std::vector<CoreState> cores_;
  std::vector<cpu::Core*> standing_;
  bool looks_ = false;  // the timer is set
  Timer timer_, forward_timer_;
};

}  // namespace duet::machine
