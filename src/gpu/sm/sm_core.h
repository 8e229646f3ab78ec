// The inside of a timed SM, for lane arrays of one width. sm.h has the model; sm_core.cpp the cycle and the
// blocks, sm_issue.cpp issue and execution, sm_control.cpp the program of a warp (warp_program.h) in cycles.
// Parts: fetch_stage.h, warp_states.h, resident_blocks.h, clock_skip.h (while all warps wait for a clock).
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "base/issue_slot.h"
#include "gpu/block_reports.h"
#include "gpu/sm/clock_skip.h"
#include "gpu/sm/execution_units.h"
#include "gpu/sm/fetch_stage.h"
#include "gpu/sm/resident_blocks.h"
#include "gpu/sm/sm.h"
#include "gpu/sm/texture_unit.h"
#include "gpu/sm/wake_wheel.h"
#include "gpu/sm/warp_scheduler.h"
#include "gpu/sm/warp_states.h"
#include "gpu/warp/warp_program.h"
#include "sim/clock_cursor.h"
#include "sim/statistics.h"

namespace duet::gpu {

struct SmStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter warp_instructions{*this, "warp_instructions", "instructions",
                                 "machine instructions issued, per warp"};
  sim::Counter blocks{*this, "blocks", "blocks", "blocks started"};
  // Cycles of the schedulers while blocks are resident, by IssueSlot (base/issue_slot.h).
  std::array<sim::Counter, kIssueSlots> issue_slots{{
      {*this, "slots_issued", "slots", "issue slots: an instruction was issued"},
      {*this, "slots_unit_busy", "slots", "issue slots: no operand collector of the unit was free"},
      {*this, "slots_load_store_busy", "slots", "issue slots: the load-store unit's queue was full"},
      {*this, "slots_dependency", "slots", "issue slots: waits for an arithmetic result or a branch"},
      {*this, "slots_memory", "slots", "issue slots: waits for a load or an atomic"},
      {*this, "slots_tracked_order", "slots", "issue slots: waits for its own accesses to tracked memory"},
      {*this, "slots_fence", "slots", "issue slots: waits at a fence"},
      {*this, "slots_barrier", "slots", "issue slots: waits at a barrier"},
      {*this, "slots_fetch", "slots", "issue slots: waits for instructions"},
      {*this, "slots_no_warp", "slots", "issue slots: no warp was left that could issue"},
  }};
};

class SmCore {
 public:
  virtual ~SmCore() = default;
  virtual void connect(const TimedSm::Ports& ports) = 0;
  virtual Picoseconds tick(Picoseconds now) = 0;
  virtual std::string waits_for() const = 0;
  virtual std::uint64_t command_of(std::uint32_t requester, std::uint32_t pc) const = 0;
  virtual std::vector<sim::StatisticGroup*> statistics() = 0;
  virtual GridCounts counts_to_tell(const Grid& grid) const = 0;
  virtual void warm_code(PhysicalAddress code, Bytes bytes) = 0;
  virtual void take_lines(const ptx::Kernel& kernel, LineCounts& total) = 0;
  virtual bool settle_statistics(Picoseconds now) = 0;
  const sim::ClockCursor& clock() const { return clock_; }
  void is_of(const sim::Component& sm) { sm_ = &sm; }

 protected:
  explicit SmCore(std::uint64_t hertz) : clock_(hertz) {}
  sim::ClockCursor clock_;
  const sim::Component* sm_ = nullptr;
};

template <unsigned W>
class SmCoreOf final : public SmCore, private WarpProgram<W, SmCoreOf<W>, TimedWarp<W>> {
 public:
  SmCoreOf(std::uint32_t number, const config::Gpu& config, memory::RequestPool& pool,
           memory::AddressSpace& address_space, const DeviceServices& services);

  void connect(const TimedSm::Ports& ports) override;
  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;
  std::uint64_t command_of(std::uint32_t requester, std::uint32_t pc) const override {
    return load_store_.command_of(requester, pc);
  }
  std::vector<sim::StatisticGroup*> statistics() override;
  GridCounts counts_to_tell(const Grid& grid) const override;
  void warm_code(PhysicalAddress code, Bytes bytes) override { fetch_.cache().warm(code, bytes); }
  void take_lines(const ptx::Kernel& kernel, LineCounts& total) override;
  bool settle_statistics(Picoseconds now) override { return skip_.settle_statistics(now); }

 private:
  static constexpr Cycle kPending = ~Cycle{0};  // scoreboard: a value on its way from memory

  using Block = TimedBlock;
  using Warp = TimedWarp<W>;
  using Program = WarpProgram<W, SmCoreOf<W>, Warp>;
  friend Program;
  friend class ClockSkip<W>;

  // The cycle and the blocks (sm_core.cpp).
  void work();
  void issue_and_fetch() {
    issue();
    if (fetch_.has_work()) fetch();
  }
  Picoseconds next_tick();
  void end_failed_blocks();
  void account(Cycle cycles);
  void charge(const WarpScheduler& scheduler, Cycle cycles);
  GridTally& idle_tally(const WarpStates::Wait& wait, Cycle cycles);
  void wake_warps() {
    if (const std::uint64_t slots = wheel_.wake(cycle_); slots != 0) wake_slots(slots);
  }
  void wake_slots(std::uint64_t slots);
  void take_completions();
  void complete(std::uint32_t slot, const ptx::MicroOp& op, Cycle ready);
  void tick_textures();
  void launch(const BlockLaunch& launch);
  void start_warp(Block& block, std::uint32_t index, unsigned slot);
  void tell(const Warp& warp, TaskEventPhase phase) const;
  void fetch();
  void finish_blocks();
  bool finish(Block& block);
  bool release_warps(Block& block);
  void stop(Warp& warp);
  void kill(Block& block);
  void fault(Block& block, FaultKind kind, const std::string& text);

  // Issue (sm_issue.cpp).
  void issue();  // an instruction of each scheduler, or why its slot stays empty
  bool issue_one(WarpScheduler& scheduler, std::uint64_t ready);  // of these, the warps that may issue now
  bool try_issue(Warp& warp, unsigned slot);
  bool check_operands(Warp& warp, unsigned slot, Cycle from);
  std::uint64_t waiting_for_load_store() const {
    const std::uint64_t warps = states_.waiting_for(IssueSlot::LoadStoreBusy);
    return warps != 0 && load_store_.can_issue() ? warps & ~leaving_ : 0;
  }
  std::uint64_t may_issue(const WarpScheduler& scheduler) const {
    return (states_.ready() | waiting_for_load_store()) & scheduler.warps();
  }
  bool issue_arithmetic(Warp& warp, unsigned slot, const ptx::MicroOp& op, const TimedOp& timed);
  bool issue_memory(Warp& warp, unsigned slot, const ptx::MicroOp& op, const TimedOp& timed);
  bool issue_image(Warp& warp, unsigned slot, const ptx::MicroOp& op, const TimedOp& timed);
  bool issue_exchange(Warp& warp, unsigned slot, const ptx::MicroOp& op, const TimedOp& timed);
  void part_issued(Warp& warp, unsigned slot, const TimedOp& timed);
  void access_issued(Warp& warp, unsigned slot, const ptx::MicroOp& op, std::uint64_t lanes);
  void store_sent(std::uint32_t slot, Cycle ready);
  bool held_by_release(Warp& warp, unsigned slot, const ptx::MicroOp& op, std::uint64_t lanes);
  void acquire_issued(Warp& warp, unsigned slot, const ptx::MicroOp& op, std::uint64_t lanes);
  void acquired(Warp& warp);
  Cycle arrival_ends();
  bool issue_control(Warp& warp, unsigned slot, const ptx::MicroOp& op, const TimedOp& timed);
  bool has_instruction(Warp& warp, unsigned slot);
  void consumed(Warp& warp, unsigned slot, const TimedOp& timed);
  static InstructionCounts* counts_at(const Warp& warp) {
    return warp.counts != nullptr ? warp.counts + warp.pc : nullptr;
  }
  void count_divergence(const Warp& warp, const ptx::MicroOp& op, std::uint64_t lanes);
  bool sleep_until(Warp& warp, unsigned slot, Cycle cycle, IssueSlot reason);
  bool sleep(Warp& warp, unsigned slot, IssueSlot reason);
  void set_reason(Warp& warp, unsigned slot, IssueSlot reason);
  void count_cycles(Warp& warp) const;
  void set_ready(Warp& warp, unsigned slot);
  void advance(Warp& warp, unsigned slot, std::uint32_t pc);
  void path_changed(Warp& warp, unsigned slot);

  // The warp program, and its callbacks (sm_control.cpp).
  void execute_program(Warp& warp, const ptx::MicroOp& op, std::uint64_t lanes);
  void advance(Warp& warp, std::uint32_t pc) { advance(warp, warp.slot, pc); }
  void path_changed(Warp& warp) { path_changed(warp, warp.slot); }
  void sleep_at_barrier(Warp& warp) { sleep(warp, warp.slot, IssueSlot::Barrier); }
  bool sleeps_at_barrier(const Warp& warp) const { return warp.reason == IssueSlot::Barrier; }
  void hold_up(Warp& warp, Cycle cycles, Cycle interval);
  void wake(Warp& warp);
  void wake_paths(Warp& warp);
  void warp_ended(Warp& warp);
  void results_written(Warp& warp, const ptx::MicroOp& op);
  template <typename F>
  void for_each_warp(Block& block, const F& f) {
    for (std::uint64_t rest = block.warps; rest != 0; rest &= rest - 1)
      f(*warps_[static_cast<unsigned>(std::countr_zero(rest))]);
  }
  // The results of a call can be used in the next cycle at the earliest.
  template <typename F>
  void call(const F& perform) {
    services_.between_ticks(perform);
  }
  bool read_bytes(const Warp& warp, unsigned lane, Address address, std::byte* to, Bytes bytes);
  SpecialContext special_context(const Warp& warp) const {
    return {config_, *warp.block->grid, now_, cycle_, number_, warp.slot, warp.block->shared.size()};
  }
  const DeviceServices& services() const { return services_; }
  const memory::AddressSpace& address_space() const { return address_space_; }
  std::uint32_t sm_number() const { return number_; }

  bool drained(unsigned slot) const {
    return load_store_.outstanding_reads(slot) == 0 && load_store_.outstanding_writes(slot) == 0 &&
           textures_.outstanding(slot) == 0;
  }

  const std::uint32_t number_;
  const config::Gpu config_;
  const unsigned width_;
  const bool ordered_;      // PTX's memory model holds: see acquired()
  const bool cross_level_;  // gpu.front_end.dispatch
  const bool blocking_;     // gpu.sm.blocking_issue: TimedKernel::commit_entry() holds the warps back
  memory::AddressSpace& address_space_;
  const DeviceServices& services_;
  sim::Queue<BlockLaunch>* launches_ = nullptr;
  BlockReports reports_;
  std::function<void(Picoseconds)> invalidate_caches_, invalidate_l1_, kernel_failed_;

  LoadStoreUnit<W> load_store_;
  TextureUnit<W> textures_;
  ExecutionUnits units_;
  FetchStage fetch_;
  std::vector<WarpScheduler> schedulers_;
  WakeWheel wheel_;

  Picoseconds now_ = 0;
  Cycle cycle_ = 0;
  Cycle barrier_ready_ = 0;  // when the warps may issue that the arrival being executed releases; 0: none is
  Cycle load_store_next_ = 0;             // when the load-store or the texture unit has something to do
  std::uint64_t waits_for_textures_ = 0;  // warps that wait for room in it
  std::uint64_t leaving_ = 0;  // with blocking_: warps whose store has requests in the load-store unit
  std::uint64_t free_slots_ = 0;
  WarpStates states_;
  std::vector<std::unique_ptr<Warp>> warps_;
  ResidentBlocks blocks_;
  std::uint64_t last_launch_id_ = ~0ull;
  bool blocks_ending_ = false;  // some block has no running warps left, or some warp's room is to be told
  bool drain_changed_ =
      false;  // since finish_blocks() looked: accesses completed, a block ended or there was no room
  bool issued_memory_ = false;  // in this cycle
  ClockSkip<W> skip_;
  SmStatistics statistics_{"sm."};
  sim::State resident_warps_{statistics_, "resident_warps", "warps", "warps of resident blocks that run",
                             [this] { return blocks_.live_warps(); }};
};

}  // namespace duet::gpu
