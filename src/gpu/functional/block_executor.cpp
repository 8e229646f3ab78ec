#include "gpu/functional/block_executor.h"

#include <algorithm>

#include "gpu/functional/block_recorder.h"
#include "gpu/functional/line_log.h"
#include "gpu/functional/memory_unit.h"
#include "gpu/occupancy.h"
#include "gpu/warp/checked_access.h"
#include "gpu/warp/warp_program.h"
#include "ptx/semantics/semantics.h"

namespace duet::gpu {

namespace {

using ptx::Kind;
using ptx::MicroOp;

// A warp's turn. Short, so the warps of a block advance side by side, as with an interleaving scheduler:
// programs with benign races between warps then compute the same as on silicon.
constexpr std::uint64_t kTurnInstructions = 32;
// Where a block is recorded whose warps race on purpose: they share as they would in time.
constexpr std::uint64_t kRecordedTurn = 4;

enum class State : std::uint8_t { Ready, AtBarrier, Ended };

template <unsigned W>
struct FunctionalWarp : WarpState<W, BlockState> {
  State state = State::Ready;
  BlockMemory memory;
};

// What the block reports before it acts: accesses and barriers to its check, accesses to the log of lines, or
// all instructions to its record.
enum class Told : std::uint8_t { Nothing, Check, Lines, Record };

template <unsigned W, Told kTold>
class Executor final : public BlockExecutor, private WarpProgram<W, Executor<W, kTold>, FunctionalWarp<W>> {
 public:
  explicit Executor(const SmContext& context)
      : context_(context),
        width_(static_cast<unsigned>(context.config->sm.warp_width)),
        memory_(*context.address_space, context.services->outside) {}

  void start(Grid& grid, std::uint64_t block, Cycle start_cycle, RecordedBlock* record) override;
  void run(std::uint64_t warp_instructions) override;
  std::uint64_t turn() const override {
    return kTold == Told::Record && record_->short_turns
               ? kRecordedTurn * block_.warp_count
               : context_.config->functional.quantum_warp_instructions;
  }
  bool finished() const override { return block_.live_warps == 0; }
  bool stuck() const override { return stuck_; }
  Cycle cycle() const override {
    const config::Functional& cost = context_.config->functional;
    return start_cycle_ + cost.block_start_cycles +
           machine_instructions_ * cost.milli_cycles_per_warp_instruction / 1000;
  }
  GridCounts counts() const override { return {machine_instructions_, thread_instructions_, {}}; }
  const Fault& fault() const override { return fault_; }
  std::string describe() const override;

 private:
  using Warp = FunctionalWarp<W>;
  using Program = WarpProgram<W, Executor<W, kTold>, Warp>;
  friend Program;

  void prepare(const Grid& grid);
  std::uint64_t run_warp(Warp& warp, std::uint64_t budget);
  bool run_path(Warp& warp, std::uint64_t& budget);
  // False: it faults.
  bool access_told(Warp& warp, const MicroOp& op, [[maybe_unused]] std::uint32_t pc, std::uint64_t lanes) {
    if constexpr (kTold == Told::Check) {
      if (lanes != 0 && op.kind != Kind::Image)
        lanes = checked_lanes<W>(*block_.check, warp.lanes, op, pc, warp.index, lanes);
    } else if constexpr (kTold == Told::Record) {
      if (!recorded_access(warp, op, pc, lanes)) return true;
    } else if (op.kind != Kind::Image &&
               (op.space == ptx::StateSpace::Global || op.space == ptx::StateSpace::Generic)) {
      log_lines(warp, op, lanes);
    }
    if (lanes != 0 && !memory_.execute(warp.lanes, op, lanes, warp.memory)) return false;
    if constexpr (kTold == Told::Check) {
      if (lanes != 0 && op.kind == Kind::Image) tell_image_stores(*block_.check, memory_.image_access());
    }
    return true;
  }

  // False: it is told and not executed.
  bool recorded_access(Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint64_t lanes) {
    const PartialCode* const partial = record_->executes[warp.index];
    const PartialCode::Told told = partial == nullptr ? PartialCode::Told::Executed : partial->told[pc];
    const bool asked = record_->room[warp.index] != 0 || (record_->follows_stores && op.kind != Kind::Load);
    if (lanes != 0 && asked) {
      BlockRecorder& recorder = *context_.services->recorder;
      if (told == PartialCode::Told::Access)
        recorder.access(*record_, warp.index);
      else
        recorder.access(*record_, warp.index, warp.lanes, op, lanes, warp.memory);
    }
    return told == PartialCode::Told::Executed;
  }

  // The branch closes a counting loop: the loop is counted to its end.
  bool ends_loop(Warp& warp, const PartialCode& code, std::uint32_t pc, const MicroOp& op,
                 std::uint64_t lanes, std::uint64_t active) {
    if (code.loop_at.empty() || code.loop_at[pc] == PartialCode::kNoLoop) return false;
    if (lanes != active && op.reconvergence != pc + 1) return false;
    const CountedLoop& loop = code.loops[code.loop_at[pc]];
    std::uint64_t of_threads = 0;
    const std::uint64_t times = finish_loop(warp.lanes, loop, lanes, of_threads);
    machine_instructions_ += times * loop.instructions;
    thread_instructions_ += of_threads * loop.instructions;
    return times != 0;
  }

  // Addresses of shared and local windows are among them, and of no memory.
  [[gnu::noinline]] void log_lines(Warp& warp, const MicroOp& op, std::uint64_t lanes) {
    alignas(64) std::uint64_t addresses[W];
    if (lanes == 0) return;
    ptx::generate_addresses(warp.lanes, op, lanes, addresses);
    LaneMask(lanes).for_each([&](unsigned lane) { context_.services->lines->touch(addresses[lane]); });
  }

  // The record keeps no further step of any live warp.
  bool only_counts() const {
    for (std::size_t i = 0; i < block_.warp_count; ++i)
      if (warps_[i].state != State::Ended && record_->room[i] != 0) return false;
    return block_.live_warps != 0;
  }

  static bool failed(const Grid& grid) { return grid.failed_ps.load(std::memory_order_relaxed) != kNever; }

  // The functions for the warp program. A warp looks for its running path when it goes on, not before.
  void advance(Warp& warp, std::uint32_t pc) { warp.stack.move_to(pc); }
  void path_changed(Warp&) {}
  void sleep_at_barrier(Warp& warp) { warp.state = State::AtBarrier; }
  bool sleeps_at_barrier(const Warp& warp) const { return warp.state == State::AtBarrier; }
  void wake(Warp& warp) { warp.state = State::Ready; }
  void wake_paths(Warp& warp) { warp.state = State::Ready; }
  void warp_ended(Warp& warp) { warp.state = State::Ended; }
  void results_written(Warp&, const MicroOp&) {}
  void hold_up(Warp& warp, Cycle cycles, Cycle interval) {
    if constexpr (kTold == Told::Record) record_->hold_up(warp.index, cycles, interval);
  }
  template <typename F>
  void call(const F& perform) {
    perform();
  }
  void fault(BlockState& block, FaultKind kind, const std::string& text);
  template <typename F>
  void for_each_warp(BlockState& block, const F& f) {
    for (std::size_t i = 0; i < block.warp_count; ++i) f(warps_[i]);
  }
  bool read_bytes(const Warp& warp, unsigned lane, Address address, std::byte* to, Bytes bytes) {
    return memory_.read_bytes(address, to, bytes, lane, warp.memory);
  }
  SpecialContext special_context(const Warp& warp) const {
    // Where blocks take no time, a clock goes on as if each instruction of a warp waited for the one before:
    // some wait by it.
    const bool timeless = context_.config->functional.milli_cycles_per_warp_instruction == 0;
    const Cycle dependent = context_.config->sm.integer.latency_cycles + 2;
    const Cycle now = cycle() + (timeless ? machine_instructions_ * dependent / block_.warp_count : 0);
    return {*context_.config, *block_.grid, context_.clock.edge(now), now,
            context_.number,  warp.index,   block_.shared.size()};
  }
  const DeviceServices& services() const { return *context_.services; }
  const memory::AddressSpace& address_space() const { return *context_.address_space; }
  std::uint32_t sm_number() const { return context_.number; }

  const SmContext context_;
  const unsigned width_;
  MemoryUnit<W> memory_;

  BlockState block_;
  RecordedBlock* record_ = nullptr;
  Cycle start_cycle_ = 0;
  std::uint64_t machine_instructions_ = 0;
  std::uint64_t thread_instructions_ = 0;
  Fault fault_;

  LaneArrays registers_;
  std::vector<std::uint64_t> predicates_;
  std::vector<std::byte> local_;
  std::vector<Warp> warps_;
  std::size_t next_warp_ = 0;
  bool stuck_ = false;
};

template <unsigned W, Told kTold>
void Executor<W, kTold>::start(Grid& grid, std::uint64_t block, Cycle start_cycle, RecordedBlock* record) {
  const ptx::Kernel& kernel = *grid.kernel;
  record_ = record;
  block_.start(grid, block);
  start_cycle_ = start_cycle;
  machine_instructions_ = thread_instructions_ = 0;
  next_warp_ = 0;
  stuck_ = false;
  fault_ = {};
  if (failed(grid)) return;
  if (const std::string reason = refusal(kernel, width_, W); !reason.empty())
    return fault(block_, FaultKind::IllegalInstruction, reason);
  if (kernel.names_bits) return fault(block_, FaultKind::IllegalInstruction, bits_refusal(kernel));
  if (block_.arrays != grid_arrays(grid, W, width_)) prepare(grid);

  fill_block_index(block_.block_slots, block_.index, W);
  std::fill(predicates_.begin(), predicates_.end(), 0);
  std::fill(block_.shared.begin(), block_.shared.end(), std::byte{0});
  std::fill(local_.begin(), local_.end(), std::byte{0});
  const std::uint64_t threads = grid.block.count();
  for (std::size_t i = 0; i < block_.warp_count; ++i) {
    warps_[i].start(threads);
    warps_[i].state = State::Ready;
  }
  block_.live_warps = block_.warp_count;
  if constexpr (kTold == Told::Check) block_check(block_, grid, context_.services->checker, width_);
}

// The common preparation for all blocks of a grid, done for the first one here. Registers keep the values of
// an earlier block, as the machine's do.
template <unsigned W, Told kTold>
void Executor<W, kTold>::prepare(const Grid& grid) {
  const ptx::Kernel& kernel = *grid.kernel;
  block_.arrays = grid.lane_arrays;
  const std::uint64_t threads = grid.block.count();
  const std::uint64_t warps = block_.warp_count = (threads + width_ - 1) / width_;
  fill_grid_slots(block_.block_slots, grid, W, width_);
  const std::size_t register_bytes = std::size_t{kernel.register_slots} * W * 4;
  registers_.resize(register_bytes * warps);
  predicates_.resize(std::size_t{kernel.predicates} * warps);
  block_.shared.resize(
      occupancy(context_.config->sm, kernel, threads, grid.dynamic_shared_bytes).shared_per_block);
  const Bytes local_bytes = grid.local_bytes();
  local_.resize(local_bytes * warps * width_);
  if (warps_.size() < warps) warps_.resize(warps);
  for (std::uint32_t i = 0; i < warps; ++i) {
    Warp& warp = warps_[i];
    warp.bind(block_, i, registers_.data() + i * register_bytes, predicates_.data() + i * kernel.predicates,
              width_);
    warp.memory = {block_.shared.data(),
                   block_.shared.size(),
                   local_.data() + i * width_ * local_bytes,
                   local_bytes,
                   grid.parameters.data(),
                   grid.parameters.size(),
                   &grid};
  }
  memory_.forget();
}

// The block ends at once.
template <unsigned W, Told kTold>
void Executor<W, kTold>::fault(BlockState& block, FaultKind kind, const std::string& text) {
  if (fault_.kind == FaultKind::None) fault_ = {kind, text};
  block.live_warps = 0;
}

template <unsigned W, Told kTold>
void Executor<W, kTold>::run(std::uint64_t warp_instructions) {
  std::uint64_t executed = 0;
  std::size_t idle = 0;
  memory_.check_generation();
  while (executed < warp_instructions && block_.live_warps != 0) {
    if (failed(*block_.grid)) {
      block_.live_warps = 0;
      break;
    }
    if (next_warp_ >= block_.warp_count) next_warp_ = 0;
    Warp& warp = warps_[next_warp_++];
    if (warp.state != State::Ready) {
      stuck_ = ++idle > block_.warp_count;
      if (stuck_) break;
      continue;
    }
    idle = 0;
    const std::uint64_t turn =
        kTold == Told::Record && record_->short_turns ? kRecordedTurn : kTurnInstructions;
    executed += run_warp(warp, std::min(turn, warp_instructions - executed));
    if constexpr (kTold == Told::Record)
      if (record_->may_stop && record_->room[warp.index] == 0 && only_counts()) {
        record_->stopped = true;
        block_.live_warps = 0;
      }
  }
}

// A warp's turn: one path after the other, until it has executed `budget` instructions, waits or ends.
// Returns how many it has executed.
template <unsigned W, Told kTold>
std::uint64_t Executor<W, kTold>::run_warp(Warp& warp, std::uint64_t budget) {
  std::uint64_t left = budget;
  while (Program::next_path(warp) && run_path(warp, left)) {
  }
  return budget - left;
}

// Executes the running path up to its end, an instruction of the warp program, or the end of the turn, whose
// instructions it takes from `budget`. False: the turn is over.
template <unsigned W, Told kTold>
inline bool Executor<W, kTold>::run_path(Warp& warp, std::uint64_t& budget) {
  const ReconvergenceStack& stack = warp.stack;
  [[maybe_unused]] const PartialCode* partial = nullptr;
  if constexpr (kTold == Told::Record) {
    partial = record_->go_on(warp.index);
    warp.code = (partial == nullptr ? block_.grid->kernel->code : partial->code).data();
  }
  const MicroOp* const code = warp.code;
  const std::uint32_t end = warp.path_end, code_size = warp.code_size;
  const std::uint64_t active = warp.active;
  std::uint32_t pc = 0, first = 0, stop = 0;
  std::uint64_t machine = 0, left = budget;
  // The instructions from `first` up to `stop` follow one another; a taken branch begins anew. The loop's
  // next step is to `target`.
  const auto go_to = [&](std::uint32_t target) {
    const std::uint32_t last = target < end ? std::min(end, code_size) : code_size;
    const std::uint32_t size = target == end || target >= code_size ? 0 : last - target;
    first = target;
    stop = target + static_cast<std::uint32_t>(std::min<std::uint64_t>(left, size));
    pc = target - 1;
  };
  const auto count = [&](std::uint32_t next) {
    budget = left - (next - first);
    machine_instructions_ += machine;
    thread_instructions_ += machine * LaneMask(active).count();
  };
  go_to(warp.pc);
  while (++pc != stop) {
    const MicroOp& op = code[pc];
    const std::uint64_t lanes = ptx::guarded_lanes(warp.lanes, op, active);
    if constexpr (kTold == Told::Record) {
      if (partial == nullptr)
        record_->step(warp.index, pc);
      else
        record_->partial_step(warp.index, pc);
    }
    machine += op.machine_instructions;
    if (op.kind == Kind::Arithmetic) [[likely]] {
      if (lanes != 0) ptx::execute(warp.lanes, op, lanes);
      continue;
    }
    switch (op.kind) {
      case Kind::Load:
      case Kind::Store:
      case Kind::Atomic:
      case Kind::Image:
        if constexpr (kTold != Told::Nothing) {
          if (!access_told(warp, op, pc, lanes)) {
            count(pc + 1);
            Program::fault_of_access(warp, op, memory_.fault());
            return false;
          }
          continue;
        }
        if (lanes != 0 && !memory_.execute(warp.lanes, op, lanes, warp.memory)) {
          count(pc + 1);
          Program::fault_of_access(warp, op, memory_.fault());
          return false;
        }
        continue;
      case Kind::Fence:
        if constexpr (kTold == Told::Check)
          if (lanes != 0) block_.check->fence(warp.index, op);
        [[fallthrough]];
      case Kind::Nop:
        continue;
      case Kind::Branch:
        if constexpr (kTold == Told::Record) {
          if (lanes != 0 && partial != nullptr && ends_loop(warp, *partial, pc, op, lanes, active)) {
            continue;
          }
        }
        if (lanes == active && !(op.may_wait && stack.depth() > 1)) {
          left -= pc + 1 - first;
          go_to(op.target);
          continue;
        }
        if (lanes == 0) {
          continue;
        }
        break;
      case Kind::Exchange:
        if (!Program::lanes_missing(warp, op, lanes)) {
          if constexpr (kTold == Told::Check)
            if (lanes != 0) Program::check_members(warp, op, lanes);
          if (lanes != 0) ptx::execute(warp.lanes, op, lanes);
          continue;
        }
        break;
      default:
        break;
    }
    count(pc + 1);
    warp.pc = pc;
    if constexpr (kTold == Told::Record)
      if (ptx::reads_clock(op))
        context_.services->recorder->reads_clock(*record_, warp.index, pc, special_context(warp).cycle);
    Program::execute_control(warp, op, lanes);
    return warp.state == State::Ready && block_.live_warps != 0;
  }
  count(pc);
  warp.stack.move_to(pc);
  return pc == end || pc >= code_size;
}

template <unsigned W, Told kTold>
std::string Executor<W, kTold>::describe() const {
  for (std::size_t i = 0; i < block_.warp_count; ++i) {
    const Warp& warp = warps_[i];
    if (warp.state == State::Ended || warp.stack.empty()) continue;
    const std::uint32_t pc = warp.stack.top().pc;
    std::string text = Program::name_of_warp(warp);
    if (warp.state == State::AtBarrier)
      text += Program::wait_at_barrier(warp);
    else if (pc < warp.code_size)
      text += "runs (" + place_of(*block_.grid, warp.code[pc]) + ")";
    return text;
  }
  return {};
}

}  // namespace

std::unique_ptr<BlockExecutor> make_block_executor(const SmContext& context, bool recorded) {
  const bool narrow = context.config->sm.warp_width <= 32;
  const auto make = [&]<Told kTold>() -> std::unique_ptr<BlockExecutor> {
    if (narrow) return std::make_unique<Executor<32, kTold>>(context);
    return std::make_unique<Executor<64, kTold>>(context);
  };
  if (context.services->checker != nullptr) return make.template operator()<Told::Check>();
  if (recorded) return make.template operator()<Told::Record>();
  if (context.services->lines != nullptr) return make.template operator()<Told::Lines>();
  return make.template operator()<Told::Nothing>();
}

}  // namespace duet::gpu
