#include "gpu/functional/block_executor.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/readable_name.h"
#include "gpu/functional/memory_unit.h"
#include "gpu/occupancy.h"
#include "gpu/warp/barriers.h"
#include "gpu/warp/device_services.h"
#include "gpu/warp/fault_text.h"
#include "gpu/warp/grid_arrays.h"
#include "gpu/warp/independent_threads.h"
#include "gpu/warp/reconvergence_stack.h"
#include "gpu/warp/special_registers.h"
#include "gpu/warp/warp_control.h"
#include "ptx/semantics/semantics.h"

namespace duet::gpu {

namespace {

using ptx::Kind;
using ptx::MicroOp;

// A warp's turn. Short, so that the warps of a block advance side by side, as a scheduler that interleaves
// them does: programs with benign races between warps then compute what they do on silicon.
constexpr std::uint64_t kTurnInstructions = 32;

template <unsigned W>
class Executor final : public BlockExecutor {
 public:
  explicit Executor(const SmContext& context)
      : context_(context),
        width_(static_cast<unsigned>(context.config->sm.warp_width)),
        memory_(*context.address_space) {}

  void start(Grid& grid, std::uint64_t block, Cycle start_cycle) override;
  void run(std::uint64_t warp_instructions) override;
  bool finished() const override { return live_warps_ == 0; }
  bool stuck() const override { return stuck_; }
  Cycle cycle() const override {
    const config::Functional& cost = context_.config->functional;
    return start_cycle_ + cost.block_start_cycles +
           machine_instructions_ * cost.milli_cycles_per_warp_instruction / 1000;
  }
  const Grid& grid() const override { return *grid_; }
  std::uint64_t block() const override { return block_; }
  std::string describe() const override;

 private:
  enum class State : std::uint8_t { Ready, AtBarrier, Ended };
  struct WarpState {
    ptx::Warp<W> lanes;
    ReconvergenceStack stack;
    IndependentThreads<W> threads;
    State state = State::Ready;
    unsigned barrier = 0;
    const MicroOp* barrier_op = nullptr;
    const MicroOp* waiting_op = nullptr;  // the reduction whose result is due when the barrier completes
    std::uint64_t waiting_lanes = 0;
    BlockMemory memory;
  };

  std::uint64_t run_warp(WarpState& warp, std::uint64_t budget);
  void branch(WarpState& warp, const MicroOp& op, std::uint64_t lanes);
  bool take_next_path(WarpState& warp);
  void branch_indexed(WarpState& warp, const MicroOp& op, std::uint64_t lanes);
  void call(WarpState& warp, const MicroOp& op, std::uint64_t lanes);
  void arrive(WarpState& warp, const MicroOp& op, std::uint64_t lanes, bool apart);
  void count_ended_lanes(WarpState& warp);
  void release_barriers();
  void end_warp(WarpState& warp);
  void read_special(WarpState& warp, const MicroOp& op, std::uint64_t lanes);
  void system_call(WarpState& warp, const MicroOp& op, std::uint64_t lanes);
  void prepare(const Grid& grid);
  void fault(FaultKind kind, const std::string& text);
  ThreadName thread_of(const WarpState& warp, unsigned lane) const;

  const SmContext context_;
  const unsigned width_;
  MemoryUnit<W> memory_;

  Grid* grid_ = nullptr;
  const MicroOp* code_ = nullptr;
  std::uint32_t code_size_ = 0;
  std::uint64_t block_ = 0;
  Cycle start_cycle_ = 0;
  std::uint64_t machine_instructions_ = 0;
  std::uint64_t thread_instructions_ = 0;
  Dim3 block_index_;

  std::shared_ptr<const GridArrays> arrays_;
  LaneArrays registers_, block_slots_;
  std::vector<std::uint64_t> predicates_;
  std::vector<std::byte> shared_, local_;
  std::vector<WarpState> warps_;
  std::size_t warp_count_ = 0;
  std::uint64_t live_warps_ = 0;
  std::size_t next_warp_ = 0;
  bool stuck_ = false;
  std::array<Barrier, kBarriers> barriers_;
  std::uint32_t arrived_barriers_ = 0;  // bit per barrier that warps have arrived at
};

template <unsigned W>
void Executor<W>::start(Grid& grid, std::uint64_t block, Cycle start_cycle) {
  const ptx::Kernel& kernel = *grid.kernel;
  grid_ = &grid;
  block_ = block;
  start_cycle_ = start_cycle;
  machine_instructions_ = thread_instructions_ = 0;
  block_index_.x = static_cast<std::uint32_t>(block % grid.grid.x);
  block_index_.y = static_cast<std::uint32_t>(block / grid.grid.x % grid.grid.y);
  block_index_.z = static_cast<std::uint32_t>(block / grid.grid.x / grid.grid.y);
  next_warp_ = 0;
  live_warps_ = 0;
  if (grid.fault.kind != FaultKind::None) return;
  if (const std::string reason = refusal(kernel, width_, W); !reason.empty()) {
    fault(FaultKind::IllegalInstruction, reason);
    return;
  }
  if (kernel.names_bits) {
    fault(FaultKind::IllegalInstruction, bits_refusal(kernel));
    return;
  }
  if (grid.lane_arrays == nullptr) grid.lane_arrays = make_grid_arrays(grid, W, width_);
  if (arrays_ != grid.lane_arrays) prepare(grid);

  fill_block_index(block_slots_, block_index_, W);
  std::fill(predicates_.begin(), predicates_.end(), 0);
  std::fill(shared_.begin(), shared_.end(), std::byte{0});
  std::fill(local_.begin(), local_.end(), std::byte{0});
  LaneMask(arrived_barriers_).for_each([&](unsigned id) { barriers_[id] = {}; });
  arrived_barriers_ = 0;
  const std::uint64_t threads = grid.block.count();
  for (std::size_t i = 0; i < warp_count_; ++i) {
    WarpState& warp = warps_[i];
    warp.lanes.carry = 0;
    warp.stack.start(
        LaneMask::first(static_cast<unsigned>(std::min<std::uint64_t>(width_, threads - i * width_))).bits());
    warp.threads.start();
    warp.state = State::Ready;
    warp.waiting_op = nullptr;
  }
  stuck_ = false;
  live_warps_ = warp_count_;
  stuck_ = false;
}

// What is the same for all blocks of a grid, done for the first one that comes here. Registers keep what an
// earlier block left in them, as those of the machine do.
template <unsigned W>
void Executor<W>::prepare(const Grid& grid) {
  const ptx::Kernel& kernel = *grid.kernel;
  arrays_ = std::static_pointer_cast<const GridArrays>(grid.lane_arrays);
  code_ = kernel.code.data();
  code_size_ = static_cast<std::uint32_t>(kernel.code.size());
  const std::uint64_t threads = grid.block.count();
  warp_count_ = (threads + width_ - 1) / width_;
  fill_grid_slots(block_slots_, grid, W, width_);
  const std::size_t register_bytes = std::size_t{kernel.register_slots} * W * 4;
  registers_.resize(register_bytes * warp_count_);
  predicates_.resize(std::size_t{kernel.predicates} * warp_count_);
  shared_.resize(occupancy(context_.config->sm, kernel, threads, grid.dynamic_shared_bytes).shared_per_block);
  const Bytes local_bytes = grid.local_bytes();
  local_.resize(local_bytes * warp_count_ * width_);
  if (warps_.size() < warp_count_) warps_.resize(warp_count_);
  for (std::size_t i = 0; i < warp_count_; ++i) {
    WarpState& warp = warps_[i];
    ptx::Warp<W>& lanes = warp.lanes;
    lanes.registers = registers_.data() + i * register_bytes;
    lanes.banks[static_cast<unsigned>(ptx::Bank::Register)] = lanes.registers;
    lanes.banks[static_cast<unsigned>(ptx::Bank::Warp)] = arrays_->warps.data() + i * arrays_->warp_stride;
    lanes.banks[static_cast<unsigned>(ptx::Bank::Block)] = block_slots_.data();
    lanes.banks[static_cast<unsigned>(ptx::Bank::Parameter)] = arrays_->parameters.data();
    lanes.banks[static_cast<unsigned>(ptx::Bank::Immediate)] = arrays_->immediates.data();
    lanes.predicates = predicates_.data() + i * kernel.predicates;
    lanes.width = width_;
    warp.memory = {shared_.data(), shared_.size(),         local_.data() + i * width_ * local_bytes,
                   local_bytes,    grid.parameters.data(), grid.parameters.size()};
  }
  memory_.forget();
}

template <unsigned W>
ThreadName Executor<W>::thread_of(const WarpState& warp, unsigned lane) const {
  return thread_name(block_index_, grid_->block,
                     static_cast<std::uint64_t>(&warp - warps_.data()) * width_ + lane);
}

// The first fault of a grid is kept; the block ends at once.
template <unsigned W>
void Executor<W>::fault(FaultKind kind, const std::string& text) {
  if (grid_->fault.kind == FaultKind::None) grid_->fault = {kind, text};
  live_warps_ = 0;
}

template <unsigned W>
void Executor<W>::run(std::uint64_t warp_instructions) {
  const std::uint64_t before = machine_instructions_, threads_before = thread_instructions_;
  std::uint64_t executed = 0;
  std::size_t idle = 0;
  memory_.check_generation();
  while (executed < warp_instructions && live_warps_ != 0) {
    if (grid_->fault.kind != FaultKind::None) {
      live_warps_ = 0;
      break;
    }
    if (next_warp_ >= warp_count_) next_warp_ = 0;
    WarpState& warp = warps_[next_warp_++];
    if (warp.state != State::Ready) {
      stuck_ = ++idle > warp_count_;
      if (stuck_) break;
      continue;
    }
    idle = 0;
    executed += run_warp(warp, std::min(kTurnInstructions, warp_instructions - executed));
  }
  grid_->warp_instructions += machine_instructions_ - before;
  grid_->thread_instructions += thread_instructions_ - threads_before;
}

template <unsigned W>
std::uint64_t Executor<W>::run_warp(WarpState& warp, std::uint64_t budget) {
  ReconvergenceStack& stack = warp.stack;
  std::uint64_t executed = 0;
  while (true) {
    if (warp.threads.waits() && !take_next_path(warp)) return executed;
    // The running path; it changes at branches, exits and where it meets others.
    std::uint32_t pc = stack.top().pc;
    const std::uint32_t end = stack.top().reconvergence;
    const std::uint64_t active = stack.top().lanes;
    const unsigned active_count = LaneMask(active).count();
    std::uint64_t machine = 0;
    const auto leave = [&] {
      machine_instructions_ += machine;
      thread_instructions_ += machine * active_count;
    };
    while (true) {
      if (pc == end || pc >= code_size_) {
        leave();
        if (pc != end) {
          stack.exit(active);  // running off the end is an exit
          if (warp.threads.waits()) count_ended_lanes(warp);
        } else {
          stack.move_to(pc);
        }
        break;
      }
      if (executed >= budget) {
        leave();
        stack.move_to(pc);
        return executed;
      }
      const MicroOp& op = code_[pc];
      const std::uint64_t lanes = ptx::guarded_lanes(warp.lanes, op, active);
      ++executed;
      machine += op.machine_instructions;
      switch (op.kind) {
        case Kind::Arithmetic:
          if (lanes != 0) ptx::execute(warp.lanes, op, lanes);
          ++pc;
          continue;
        case Kind::Exchange:
          if (lanes == 0 || stack.together() ||
              !IndependentThreads<W>::incomplete(warp.lanes, stack, op, lanes)) {
            if (lanes != 0) ptx::execute(warp.lanes, op, lanes);
            ++pc;
            continue;
          }
          stack.park(pc);
          warp.threads.wait_for_lanes(warp.lanes, stack, op, lanes, [](const MicroOp&) {});
          break;
        case Kind::Load:
        case Kind::Store:
        case Kind::Atomic:
        case Kind::Image:
          if (lanes != 0 && !memory_.execute(warp.lanes, op, lanes, warp.memory)) {
            leave();
            const AccessFault& access = memory_.fault();
            fault(access.kind, access_fault_text(*grid_, op, access, thread_of(warp, access.lane),
                                                 *context_.address_space));
            return executed;
          }
          ++pc;
          continue;
        case Kind::Fence:
        case Kind::Nop:
          ++pc;
          continue;
        case Kind::Branch:
          if (lanes == active) {
            pc = op.target;
            if (op.may_wait && stack.depth() > 1 && warp.threads.turn_over(stack, pc)) [[unlikely]]
              break;
            continue;
          }
          if (lanes == 0) {
            ++pc;
            continue;
          }
          branch(warp, op, lanes);
          break;
        case Kind::BranchIndexed:
          if (lanes == 0) {
            ++pc;
            continue;
          }
          branch_indexed(warp, op, lanes);
          if (live_warps_ == 0) {
            leave();
            return executed;
          }
          break;
        case Kind::Call:
          call(warp, op, active);
          if (live_warps_ == 0) {
            leave();
            return executed;
          }
          break;
        case Kind::Return:
          branch_indexed(warp, op, active);
          if (live_warps_ == 0) {
            leave();
            return executed;
          }
          break;
        case Kind::Exit:
          stack.move_to(pc + 1);
          stack.exit(lanes);
          if (warp.threads.waits()) count_ended_lanes(warp);
          break;
        case Kind::Barrier:
          if (lanes != 0 && grid_->kernel->independent_threads && !stack.together()) [[unlikely]] {
            if (static_cast<ptx::BarrierMode>(op.mode) == ptx::BarrierMode::Warp) {
              if (!IndependentThreads<W>::incomplete(warp.lanes, stack, op, lanes)) {
                ++pc;
                continue;
              }
              stack.park(pc);
              warp.threads.wait_for_lanes(warp.lanes, stack, op, lanes, [](const MicroOp&) {});
            } else {
              stack.park(pc);
              arrive(warp, op, lanes, true);
              if (live_warps_ == 0) {
                leave();
                return executed;
              }
            }
            break;
          }
          ++pc;
          if (lanes == 0 || static_cast<ptx::BarrierMode>(op.mode) == ptx::BarrierMode::Warp) continue;
          leave();
          stack.move_to(pc);
          arrive(warp, op, lanes, false);
          if (warp.state != State::Ready || live_warps_ == 0) return executed;
          machine = 0;
          break;
        case Kind::Special:
          if (lanes != 0) {
            leave();
            machine = 0;
            read_special(warp, op, lanes);
          }
          ++pc;
          continue;
        case Kind::SystemCall:
          ++pc;
          if (lanes == 0) continue;
          system_call(warp, op, lanes);
          if (live_warps_ != 0) continue;
          leave();
          return executed;
        case Kind::Trap:
          ++pc;
          if (lanes == 0) continue;
          leave();
          fault(FaultKind::Trap, trap_text(*grid_, op, thread_of(warp, LaneMask(lanes).lowest())));
          return executed;
      }
      leave();
      break;
    }
    if (stack.empty()) {
      end_warp(warp);
      return executed;
    }
  }
}

template <unsigned W>
void Executor<W>::branch(WarpState& warp, const MicroOp& op, std::uint64_t lanes) {
  const auto next = static_cast<std::uint32_t>(&op - code_) + 1;
  warp.stack.diverge(lanes, op.target, next, op.reconvergence);
}

template <unsigned W>
void Executor<W>::branch_indexed(WarpState& warp, const MicroOp& op, std::uint64_t lanes) {
  const auto next = static_cast<std::uint32_t>(&op - code_) + 1;
  const IndexedPaths<W> to =
      indexed_paths<W>(warp.lanes, op, *grid_->kernel, lanes, warp.stack.top().lanes, next);
  if (to.beyond) {
    fault(FaultKind::IllegalInstruction, indexed_branch_text(*grid_, op, thread_of(warp, *to.beyond),
                                                             branch_value<W>(warp.lanes, op, *to.beyond)));
  } else if (op.kind == Kind::Return) {
    warp.stack.leave(to.paths.data(), to.count);
  } else if (to.count == 1) {
    warp.stack.move_to(to.paths[0].pc);
  } else {
    warp.stack.diverge(to.paths.data(), to.count, op.reconvergence);
  }
}

template <unsigned W>
void Executor<W>::call(WarpState& warp, const MicroOp& op, std::uint64_t lanes) {
  if (const auto lane = overflowing_lane<W>(warp.lanes, op, *grid_, lanes))
    fault(FaultKind::HardwareStack, stack_overflow_text(*grid_, op, thread_of(warp, *lane)));
  else
    warp.stack.call(op.target, op.reconvergence);
}

// `apart`: the warp's lanes are on several paths, and the one that arrives stands at the barrier.
template <unsigned W>
void Executor<W>::arrive(WarpState& warp, const MicroOp& op, std::uint64_t lanes, bool apart) {
  const BarrierUse use = barrier_use<W>(warp.lanes, op, lanes, warp_count_ * width_);
  if (use.id >= kBarriers) {
    fault(FaultKind::IllegalInstruction,
          barrier_text(*grid_, op, thread_of(warp, LaneMask(lanes).lowest()), use.id));
    return;
  }
  Barrier& barrier = barriers_[use.id];
  arrived_barriers_ |= 1u << use.id;
  if (apart) {
    warp.threads.arrive(warp.lanes, warp.stack, op, lanes, use, barrier);
    return release_barriers();
  }
  barrier.arrive(width_, use.expected);
  if (vote_at<W>(barrier, warp.lanes, op, lanes)) {
    warp.waiting_op = &op;
    warp.waiting_lanes = lanes;
  }
  if (static_cast<ptx::BarrierMode>(op.mode) != ptx::BarrierMode::Arrive) {
    warp.state = State::AtBarrier;
    warp.barrier = use.id;
    warp.barrier_op = &op;
  }
  release_barriers();
}

template <unsigned W>
void Executor<W>::count_ended_lanes(WarpState& warp) {
  if (const unsigned id = warp.threads.lanes_ended(warp.lanes, warp.stack, [](const MicroOp&) {});
      id != kBarriers) {
    barriers_[id].arrive(width_, 0);
    arrived_barriers_ |= 1u << id;
    release_barriers();
  }
}

// Turns to a path that can run. False: all wait at barriers.
template <unsigned W>
bool Executor<W>::take_next_path(WarpState& warp) {
  if (warp.threads.next_path(warp.lanes, warp.stack, [](const MicroOp&) {})) return true;
  const auto& waiting = warp.threads.at_barrier();
  warp.state = State::AtBarrier;
  warp.barrier = waiting.barrier;
  warp.barrier_op = waiting.op;
  return false;
}

template <unsigned W>
void Executor<W>::release_barriers() {
  for (std::uint32_t rest = arrived_barriers_; rest != 0; rest &= rest - 1) {
    const auto id = static_cast<unsigned>(std::countr_zero(rest));
    Barrier& barrier = barriers_[id];
    if (!barrier.satisfied(live_warps_)) continue;
    barrier.next_phase();
    arrived_barriers_ &= ~(1u << id);
    for (std::size_t i = 0; i < warp_count_; ++i) {
      WarpState& warp = warps_[i];
      if (warp.threads.waits()) {
        if (warp.threads.release(warp.lanes, warp.stack, id, barrier.complete) &&
            warp.state == State::AtBarrier)
          warp.state = State::Ready;
        continue;
      }
      if (warp.state != State::AtBarrier || warp.barrier != id) continue;
      warp.state = State::Ready;
      if (warp.waiting_op == nullptr) continue;
      deliver_reduction<W>(warp.lanes, *warp.waiting_op, warp.waiting_lanes, barrier.complete);
      warp.waiting_op = nullptr;
    }
  }
}

template <unsigned W>
void Executor<W>::end_warp(WarpState& warp) {
  warp.state = State::Ended;
  --live_warps_;
  release_barriers();
}

template <unsigned W>
void Executor<W>::read_special(WarpState& warp, const MicroOp& op, std::uint64_t lanes) {
  const SpecialContext context{
      *context_.config, *grid_,          context_.clock.edge(cycle()),
      cycle(),          context_.number, static_cast<std::uint64_t>(&warp - warps_.data()),
      shared_.size()};
  write_lanes<W>(warp.lanes, op, lanes, special_value(static_cast<ptx::Special>(op.mode), context));
}

template <unsigned W>
void Executor<W>::system_call(WarpState& warp, const MicroOp& op, std::uint64_t lanes) {
  LaneMask(lanes).for_each([&](unsigned lane) {
    if (live_warps_ == 0) return;
    SystemCall call = system_call_of<W>(warp.lanes, op, lane, thread_of(warp, lane));
    call.sm = context_.number;
    call.read = [&, lane](Address address, std::byte* to, Bytes bytes) {
      return memory_.read_bytes(address, to, bytes, lane, warp.memory);
    };
    const SystemCallResult result = perform_system_call(*grid_, op, call, *context_.services);
    if (result.fault != FaultKind::None)
      fault(result.fault, result.text);
    else if (op.destination_count != 0 && op.destinations[0] != ptx::kNoRegister)
      write_lanes<W>(warp.lanes, op, 1ull << lane, result.value);
  });
}

template <unsigned W>
std::string Executor<W>::describe() const {
  for (std::size_t i = 0; i < warp_count_; ++i) {
    const WarpState& warp = warps_[i];
    if (warp.state == State::Ended || warp.stack.empty()) continue;
    std::string text = "warp " + std::to_string(i) + " of block " + name_of(block_index_) + " of kernel '" +
                       readable_name(grid_->kernel->name) + "' ";
    const std::uint32_t pc = warp.stack.top().pc;
    if (warp.state == State::AtBarrier) {
      text += "waits at barrier " + std::to_string(warp.barrier) + " (" +
              barriers_[warp.barrier].arrivals(live_warps_) + " have arrived, " +
              place_of(*grid_, *warp.barrier_op) + ")";
    } else if (pc < code_size_) {
      text += "runs (" + place_of(*grid_, code_[pc]) + ")";
    }
    return text;
  }
  return {};
}

}  // namespace

std::unique_ptr<BlockExecutor> make_block_executor(const SmContext& context) {
  if (context.config->sm.warp_width <= 32) return std::make_unique<Executor<32>>(context);
  return std::make_unique<Executor<64>>(context);
}

}  // namespace duet::gpu
