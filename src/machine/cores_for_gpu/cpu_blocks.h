// Cores that execute thread blocks of the GPU's kernels, from the far end (yang2012 section 5.5): the GPU's
// work distributor hands out blocks from the lowest number on, a core asks for the highest one left. A kernel
// is complete when all its blocks are.
//
//   CpuBlocks blocks(system);
//   blocks.programs().sources().add(...); blocks.programs().prepare(kernel);   // before the launch
//   blocks.kernel_starts(grid);  ...  blocks.completed(command);
//   blocks.ended = [&](const BlocksOnCores& run) { ... };
//
// Guarantees: a core's blocks find all bytes written before the kernel, and their bytes are in the shared
// level when they are done. A line that two blocks share gets the bytes of both.
// cpu_blocks.md has claims, coherence, the choice of kernels and the omissions.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/driver.h"
#include "gpu/grid.h"
#include "machine/build/memory_system.h"
#include "machine/cores_for_gpu/block_programs.h"
#include "machine/host/processor.h"
#include "machine/system.h"
#include "rv64/hart.h"

namespace duet::machine {

// What cores did of one launch.
struct BlocksOnCores {
  std::uint64_t command = 0;
  std::string reason;  // why they did nothing; empty: they could
  std::uint64_t blocks = 0, claims = 0, instructions = 0;
  std::uint64_t lines_written = 0;               // of the GPU's memory, written back when a block was done
  std::optional<Picoseconds> first_ps, last_ps;  // a core has its first block; the last one is done
};

class CpuBlocks final : public sim::Component, private ProcessorClient {
 public:
  // Throws duet::Error with one line where the machine cannot do it.
  explicit CpuBlocks(System& system);

  BlockPrograms& programs() { return programs_; }

  // In a tick: a kernel's first block goes to an SM; a command is complete.
  void kernel_starts(const gpu::Grid& grid);
  void completed(const driver::CommandRecord& command);
  // Called after the ticks in which a kernel was complete.
  std::function<void(const BlocksOnCores&)> ended;

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;

 private:
  // Of a launch, until it is complete. Its steps in their order; cores take part from Open to Exhausted.
  enum class Stage : std::uint8_t { Told, CleaningL2, GivingUpLines, Open, Exhausted };
  struct Kernel {
    BlocksOnCores run;
    std::uint64_t launch_id = 0;
    const PlacedBlockProgram* program = nullptr;  // null: cores take no part
    std::string name;
    std::vector<std::byte> parameters;
    gpu::Dim3 grid, block;
    Bytes dynamic_shared_bytes = 0;
    Stage stage = Stage::Told;
    Picoseconds from_ps = 0;      // when the next step begins
    std::size_t outstanding = 0;  // answers that this stage waits for
    bool complete = false;
    Picoseconds last_claim_ps = 0;
    std::uint64_t claims_then = 0;
  };
  using KernelPointer = std::shared_ptr<Kernel>;
  // A block that is done but for its way to where the GPU sees it.
  struct Finished {
    KernelPointer kernel;
    gpu::BlockDone done;
    std::vector<PhysicalAddress> lines;
    Picoseconds from_ps = 0;
    bool begun = false, invalidating = false;
    std::size_t outstanding = 0;
  };
  struct CoreState {
    KernelPointer kernel;   // whose program it executes
    gpu::BlockGrant block;  // that it executes
    rv64::Registers registers;
    std::uint64_t counted = 0;           // instructions, of the core
    std::uint64_t generation = 0;        // of the GPU's pages, when it translated them last
    std::optional<Picoseconds> goes_on;  // with the block that it was granted
  };

  void stands(cpu::Core& core) override;
  Cycle trapped(cpu::Core& core, const rv64::Trap& trap, Picoseconds now) override;
  Cycle preempted(cpu::Core&, Picoseconds) override { return 0; }
  void rings() override {}

  // After the ticks of a time, once: all that this component does. cpu_blocks_cores.cpp has what concerns
  // cores.
  void act_after_ticks();
  void act();
  void take_answers(Picoseconds now);
  void answered(std::uint32_t tag);
  void go_on_with_kernels(Picoseconds now);
  void go_on_with_blocks(Picoseconds now);
  void clean_l2(Kernel& kernel);
  void invalidate(Finished& finished);
  std::uint32_t new_tag(std::size_t& outstanding, std::size_t answers);
  void send(Picoseconds now);
  void go_on_with_cores(Picoseconds now);
  void start_idle(Picoseconds now);
  void start(std::size_t core, const KernelPointer& kernel, Picoseconds now);
  void done(std::size_t core, Picoseconds now);
  void failed(std::size_t core, const rv64::Trap& trap, Picoseconds now);
  void count(std::size_t core);
  Picoseconds next_time(Picoseconds now) const;

  void give_up(const std::vector<PhysicalAddress>& lines, std::size_t& outstanding);
  void kernel_ended(driver::CommandId command);
  Picoseconds asks_from(Picoseconds now) const;
  std::string why_not(const gpu::Grid& grid, const PlacedBlockProgram& program) const;
  void write(VirtualAddress to, const void* from, std::size_t bytes);

  System& system_;
  Processor& processor_;
  CpuMemory& memory_;
  const Picoseconds latency_ps_, to_directory_ps_;
  BlockPrograms programs_;
  CpuMemory::Agent agent_;
  std::vector<MemorySystem::CommandPorts> l2_;
  sim::Queue<gpu::BlockClaim>* claims_ = nullptr;
  sim::Queue<gpu::BlockGrant>* grants_ = nullptr;
  sim::Queue<gpu::BlockDone>* done_ = nullptr;

  std::vector<CoreState> cores_;
  std::vector<cpu::Core*> standing_;
  std::list<KernelPointer> kernels_;  // in the order of their starts
  std::list<Finished> finished_;
  // Whose number of outstanding answers an answer lowers, by the tag that was asked with; tags by line, in
  // the order of asking.
  std::map<std::uint32_t, std::size_t*> waiting_;
  std::map<std::uint64_t, std::deque<std::uint32_t>> cleaning_;
  std::size_t lines_asked_for_ = 0;
  std::uint32_t next_tag_ = 1;
  // That queues have no room for yet.
  std::deque<std::pair<PhysicalAddress, std::uint32_t>> to_clean_;
  std::vector<std::deque<memory::CacheCommand>> to_l2_;
  std::deque<std::pair<Picoseconds, gpu::BlockClaim>> to_claim_;
  std::deque<gpu::BlockDone> to_tell_;
  std::deque<gpu::BlockReport> reports_;  // of blocks that failed
  bool acts_ = false;                     // act() is to come
};

}  // namespace duet::machine
