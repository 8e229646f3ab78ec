// The inside of a timed SM, for lane arrays of one width. See sm.h for what it models; sm_core.cpp holds
// the cycle and the blocks, sm_issue.cpp issue and execution, sm_control.cpp control flow and barriers.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gpu/sm/execution_units.h"
#include "gpu/sm/instruction_cache.h"
#include "gpu/sm/load_store_unit.h"
#include "gpu/sm/sm.h"
#include "gpu/sm/texture_unit.h"
#include "gpu/sm/timed_kernel.h"
#include "gpu/sm/wake_wheel.h"
#include "gpu/sm/warp_scheduler.h"
#include "gpu/warp/barriers.h"
#include "gpu/warp/fault_text.h"
#include "gpu/warp/grid_arrays.h"
#include "gpu/warp/independent_threads.h"
#include "gpu/warp/reconvergence_stack.h"
#include "sim/clock_cursor.h"

namespace duet::gpu {

class SmCore {
 public:
  virtual ~SmCore() = default;
  virtual void connect(const TimedSm::Ports& ports) = 0;
  virtual Picoseconds tick(Picoseconds now) = 0;
  virtual std::string waits_for() const = 0;
  virtual std::uint64_t command_of(std::uint32_t requester, std::uint32_t pc) const = 0;
  virtual SmStatistics statistics() const = 0;
  const sim::ClockCursor& clock() const { return clock_; }

 protected:
  explicit SmCore(std::uint64_t hertz) : clock_(hertz) {}
  sim::ClockCursor clock_;
};

template <unsigned W>
class SmCoreOf final : public SmCore {
 public:
  SmCoreOf(std::uint32_t number, const config::Gpu& config, memory::RequestPool& pool,
           memory::AddressSpace& address_space, const DeviceServices& services);

  void connect(const TimedSm::Ports& ports) override;
  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;
  std::uint64_t command_of(std::uint32_t requester, std::uint32_t pc) const override {
    return load_store_.command_of(requester, pc);
  }
  SmStatistics statistics() const override;

 private:
  static constexpr Cycle kPending = ~Cycle{0};  // scoreboard: a value on its way from memory
  static constexpr unsigned kReasons = static_cast<unsigned>(IssueSlot::Count);

  struct Block {
    Grid* grid = nullptr;
    std::uint64_t number = 0;
    Dim3 index;
    std::uint64_t warps = 0;  // slots
    std::uint64_t warp_count = 0, live_warps = 0;
    std::shared_ptr<const GridArrays> arrays;
    std::shared_ptr<const TimedKernel> timed;
    LaneArrays block_slots;
    std::vector<std::byte> shared;
    std::array<Barrier, kBarriers> barriers;
  };

  struct Warp {
    ptx::Warp<W> lanes;
    // The running path, which is the stack's top while pc_ is stale there.
    std::uint32_t pc = 0, path_end = 0, code_size = 0;
    std::uint64_t active = 0;
    const ptx::MicroOp* code = nullptr;
    const TimedOp* timed = nullptr;
    const std::uint16_t* entries = nullptr;
    Cycle* ready = nullptr;  // scoreboard: the first cycle at which an entry may be used

    // Instruction buffer, in machine instructions of the kernel.
    std::uint32_t machine_pc = 0, buffered_end = 0, fetched_end = 0;
    Cycle fetched_ready = 0;  // from then on buffered_end is fetched_end
    std::uint32_t parts_left = 0;
    bool operands_ready = false;  // the scoreboard lets the next micro-op issue

    IssueSlot reason = IssueSlot::NoWarp;  // why it cannot issue; Issued: it may
    Cycle wake_cycle = 0;                  // when reason ends by itself; kPending: something else ends it
    ReconvergenceStack stack;
    IndependentThreads<W> threads;
    WarpMemory memory;
    Block* block = nullptr;
    std::uint32_t index = 0;  // in its block
    unsigned barrier = 0;
    const ptx::MicroOp* barrier_op = nullptr;
    const ptx::MicroOp* waiting_op = nullptr;  // the reduction whose result is due when the barrier completes
    std::uint64_t waiting_lanes = 0;
    LaneArrays registers;
    std::vector<std::uint64_t> predicates;
    std::vector<Cycle> scoreboard;
  };

  // The cycle and the blocks (sm_core.cpp).
  void account(Cycle cycles);
  void charge(const WarpScheduler& scheduler, Cycle cycles);
  void wake_warps();
  void take_completions();
  void complete(std::uint32_t slot, const ptx::MicroOp& op, Cycle ready);
  void tick_textures();
  void fault_of_access(const Warp& warp, const ptx::MicroOp& op, const AccessFault& access);
  void launch(const BlockLaunch& launch);
  void start_warp(Block& block, std::uint32_t index, unsigned slot);
  void fetch();
  void finish_blocks();
  void kill(Block& block);
  void fault(Block& block, FaultKind kind, const std::string& text);

  // Issue (sm_issue.cpp).
  bool issue_one(WarpScheduler& scheduler);
  bool try_issue(Warp& warp, unsigned slot);
  bool check_operands(Warp& warp, unsigned slot, Cycle from);
  std::uint64_t waiting_for_load_store() const {
    return load_store_.can_issue() ? blocked_[static_cast<unsigned>(IssueSlot::LoadStoreBusy)] : 0;
  }
  std::uint64_t may_issue(const WarpScheduler& scheduler) const {
    return (ready_ | waiting_for_load_store()) & scheduler.warps();
  }
  bool issue_arithmetic(Warp& warp, unsigned slot, const ptx::MicroOp& op, const TimedOp& timed);
  bool issue_memory(Warp& warp, unsigned slot, const ptx::MicroOp& op, const TimedOp& timed);
  bool issue_image(Warp& warp, unsigned slot, const ptx::MicroOp& op, const TimedOp& timed);
  bool issue_exchange(Warp& warp, unsigned slot, const ptx::MicroOp& op, const TimedOp& timed);
  bool issue_control(Warp& warp, unsigned slot, const ptx::MicroOp& op, const TimedOp& timed);
  bool has_instruction(Warp& warp, unsigned slot);
  void consumed(Warp& warp, unsigned slot, const TimedOp& timed);
  bool sleep_until(Warp& warp, unsigned slot, Cycle cycle, IssueSlot reason);
  bool sleep(Warp& warp, unsigned slot, IssueSlot reason);
  void set_reason(Warp& warp, unsigned slot, IssueSlot reason);
  void set_ready(Warp& warp, unsigned slot);
  void advance(Warp& warp, unsigned slot, std::uint32_t pc);
  void path_changed(Warp& warp, unsigned slot);
  bool take_next_path(Warp& warp, unsigned slot);
  void exit_lanes(Warp& warp, std::uint64_t lanes);
  // Waiting paths have executed `op` now.
  auto when_executed(Warp& warp) {
    return [this, &warp](const ptx::MicroOp& op) { results_from(warp, op, cycle_); };
  }
  void results_from(Warp& warp, const ptx::MicroOp& op, Cycle start);
  void flush_buffer(Warp& warp, unsigned slot);
  void want_fetch(Warp& warp, unsigned slot);

  // Control flow, barriers, calls (sm_control.cpp).
  void execute_control(Warp& warp, unsigned slot, const ptx::MicroOp& op, std::uint64_t lanes);
  void branch_indexed(Warp& warp, unsigned slot, const ptx::MicroOp& op, std::uint64_t lanes);
  void call(Warp& warp, unsigned slot, const ptx::MicroOp& op);
  void arrive(Warp& warp, unsigned slot, const ptx::MicroOp& op, std::uint64_t lanes, bool apart);
  void wait_for_lanes(Warp& warp, unsigned slot, const ptx::MicroOp& op, std::uint64_t lanes);
  void count_ended_lanes(Warp& warp);
  void release_barriers(Block& block);
  void end_warp(Warp& warp, unsigned slot);
  void read_special(Warp& warp, unsigned slot, const ptx::MicroOp& op, std::uint64_t lanes);
  void system_call(Warp& warp, const ptx::MicroOp& op, std::uint64_t lanes);
  bool read_bytes(const Warp& warp, unsigned lane, Address address, std::byte* to, Bytes bytes);
  ThreadName thread_of(const Warp& warp, unsigned lane) const;
  bool drained(unsigned slot) const {
    return load_store_.outstanding_reads(slot) == 0 && load_store_.outstanding_writes(slot) == 0 &&
           textures_.outstanding(slot) == 0;
  }

  const std::uint32_t number_;
  const config::Gpu config_;
  const unsigned width_;
  memory::AddressSpace& address_space_;
  const DeviceServices& services_;
  sim::Queue<BlockLaunch>* launches_ = nullptr;
  sim::Queue<BlockDone>* done_ = nullptr;
  std::function<void(Picoseconds)> invalidate_caches_, kernel_failed_;

  LoadStoreUnit<W> load_store_;
  TextureUnit<W> textures_;
  ExecutionUnits units_;
  InstructionCache instructions_;
  unsigned instruction_shift_;
  std::vector<WarpScheduler> schedulers_;
  WakeWheel wheel_;

  Picoseconds now_ = 0;
  Cycle cycle_ = 0;
  Cycle load_store_next_ = 0;             // when the load-store or the texture unit has something to do
  std::uint64_t waits_for_textures_ = 0;  // warps that its being full keeps from issuing
  std::uint64_t free_slots_ = 0;
  std::uint64_t ready_ = 0;                        // may issue, as far as is known
  std::array<std::uint64_t, kReasons> blocked_{};  // by reason
  std::uint32_t reasons_ = 0;                      // one bit each: those for which any is blocked
  std::uint64_t wants_fetch_ = 0, fetch_blocked_ = 0;
  unsigned last_fetch_ = 0;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<std::uint64_t> age_;  // by slot
  std::uint64_t next_age_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;  // resident, in order of launch
  std::vector<std::unique_ptr<Block>> idle_blocks_;
  std::vector<Grid*> grids_;  // of the resident blocks, each once
  std::uint64_t last_launch_id_ = ~0ull;
  bool blocks_ending_ = false;  // some block has no running warps left
  bool drain_changed_ =
      false;  // since finish_blocks() looked: accesses completed, a block ended or there was no room
  bool issued_memory_ = false;  // in this cycle
  SmStatistics statistics_;
};

// Asks for the next instructions of a warp when its buffer has room for them.
template <unsigned W>
void SmCoreOf<W>::want_fetch(Warp& warp, unsigned slot) {
  if (warp.fetched_end > warp.buffered_end) {
    if (warp.fetched_ready > cycle_) return;
    warp.buffered_end = warp.fetched_end;
  }
  if (warp.buffered_end - warp.machine_pc + config_.sm.fetch_instructions <= config_.sm.instruction_buffer &&
      warp.buffered_end < warp.block->timed->machine_instructions)
    wants_fetch_ |= 1ull << slot;
}

}  // namespace duet::gpu
