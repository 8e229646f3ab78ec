#include "predict/sm_run.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "gpu/sm/execution_units.h"
#include "gpu/sm/texture_unit.h"
#include "gpu/sm/warp_scheduler.h"
#include "predict/block_pace.h"
#include "predict/code_fetch.h"
#include "predict/memory_path.h"
#include "predict/request_limit.h"
#include "predict/shared_caches.h"

namespace duet::predict {

using gpu::Pipe;
using gpu::TimedOp;
using ptx::MicroOp;

namespace {

constexpr Cycle kNever = ~Cycle{0};
constexpr unsigned kMaxSlots = 64;
// From a block's end on the SM to the next one's start there: the message, the dispatcher, the launch.
constexpr Cycle kTurnaround = 4;

struct WarpRun {
  const std::uint32_t* steps = nullptr;
  std::size_t count = 0, at = 0;
  bool cut = false;  // there are more
  const Access* accesses = nullptr;
  const gpu::RecordedBlock::Hold *hold = nullptr, *holds_end = nullptr;  // the next one
  std::vector<Cycle> ready;  // by scoreboard entry: when it may be read
  Cycle next = kNever;       // it may issue then; kNever: something else wakes it
  IssueSlot reason = IssueSlot::NoWarp;
  unsigned parts_left = 0;
  unsigned block = 0;       // in `resident`
  std::uint32_t index = 0;  // in its block
  bool at_barrier = false, live = false;
  bool asked = false;          // `next` says when its operands are there
  bool fetches_again = false;  // its next instructions, at buffered_ready
  Cycle drained = 0;           // when all its accesses are complete
  Cycle began = 0, half = 0;   // when it started, and when half of its steps were done
  Cycle held_until = 0;        // by a call
  std::uint64_t machine_pc = 0, buffered_end = 0;
  Cycle buffered_ready = 0;
};

struct BlockRun {
  const Block* block = nullptr;
  std::uint32_t number = 0;  // in the order of their starts
  std::uint64_t slots = 0;
  unsigned live = 0, waiting = 0;
  Cycle end = 0;
};

class Run {
 public:
  Run(const config::Machine& machine, const KernelRecording& recording, const gpu::TimedKernel& timed,
      const std::vector<Block*>& mine, const MemoryLoad* load, const Changes& changes, MemoryModel& memory,
      TagArray& code_tags, AccessOrder* order, std::size_t most_steps)
      : sm_(machine.gpu.sm),
        machine_(machine),
        recording_(recording),
        kernel_(*recording.grid->kernel),
        timed_(timed),
        mine_(mine),
        changes_(changes),
        order_(order),
        most_steps_(most_steps),
        units_(machine.gpu.sm),
        path_(machine, recording, mine, load, changes),
        code_(machine, recording, timed, changes, code_tags, path_, order == nullptr ? &memory : nullptr),
        pace_(recording, mine, machine.gpu.sm.count) {
    for (unsigned s = 0; s < sm_.schedulers; ++s) {
      std::uint64_t owned = 0;
      for (unsigned i = s; i < sm_.max_warps; i += static_cast<unsigned>(sm_.schedulers)) owned |= 1ull << i;
      schedulers_.emplace_back(owned, sm_.scheduler);
    }
    free_slots_ = LaneMask::first(static_cast<unsigned>(sm_.max_warps)).bits();
    queue_.assign(sm_.load_store_queue, 0);
    fetch_cycles_ = std::max<Cycle>(machine.gpu.instruction_cache.latency_cycles, 1) - 1 + sm_.decode_cycles;
  }

  SmTimes run();

 private:
  void start_blocks(Cycle now);
  void start(const Block& block, Cycle now);
  Cycle step(Cycle now);
  void charge(const gpu::WarpScheduler& scheduler, Cycle cycles);
  bool issue(WarpRun& warp, unsigned slot, Cycle now);
  bool issue_arithmetic(WarpRun& warp, unsigned slot, const TimedOp& timed, Cycle now);
  bool issue_memory(WarpRun& warp, unsigned slot, const TimedOp& timed, Cycle now);
  void hold_up(WarpRun& warp, const gpu::RecordedBlock::Hold& hold, Cycle now);
  bool issue_control(WarpRun& warp, unsigned slot, const MicroOp& op, const TimedOp& timed, Cycle now);
  bool has_instruction(WarpRun& warp, Cycle now);
  void fetch(WarpRun& warp, Cycle now);
  void fetch_again(Cycle now);
  void consumed(WarpRun& warp, const TimedOp& timed, Cycle now);
  void advance(WarpRun& warp, Cycle now);
  void ask(WarpRun& warp, Cycle from);
  void end_warp(WarpRun& warp, Cycle now);
  void leave_barrier(BlockRun& block, Cycle now);
  bool wait_until(WarpRun& warp, Cycle cycle, IssueSlot reason) {
    warp.next = cycle;
    warp.reason = reason;
    return false;
  }
  const MicroOp& op_of(const WarpRun& warp) const {
    return kernel_.code[warp.steps[warp.at] & ~gpu::RecordedBlock::kAccess];
  }
  void commit(WarpRun& warp, Cycle now, const Access* access, Cycle sent);
  const std::uint16_t* entries(const TimedOp& timed) const { return &timed_.entries[timed.first_entry]; }

  const config::Sm& sm_;
  const config::Machine& machine_;
  const KernelRecording& recording_;
  const ptx::Kernel& kernel_;
  const gpu::TimedKernel& timed_;
  const std::vector<Block*>& mine_;
  const Changes changes_;
  AccessOrder* const order_;  // null: nobody asks
  const std::size_t most_steps_;
  gpu::ExecutionUnits units_;
  MemoryPath path_;
  CodeFetch code_;
  std::vector<gpu::WarpScheduler> schedulers_;
  std::array<WarpRun, kMaxSlots> warps_;
  std::vector<BlockRun> resident_;
  std::vector<Cycle> ends_;  // of blocks, in their order
  BlockPace pace_;
  std::size_t next_block_ = 0;
  std::vector<Cycle> room_;  // when a place for a block is free again
  std::uint64_t free_slots_ = 0;
  // The load-store unit: when the n-th last instruction had sent its requests; the accesses that wait for
  // answers.
  std::vector<Cycle> queue_;
  std::size_t queue_next_ = 0;
  std::vector<Cycle> pending_;
  RequestLimit limit_{sm_.memory_requests};
  Cycle load_store_free_ = 0, load_store_busy_ = 0, texture_free_ = 0;
  Cycle heap_free_ = 0;  // the device heap
  Cycle fetch_cycles_;
  std::vector<WarpRun*> fetching_;  // warps that have to ask again
  Cycle fetch_again_ = kNever;
  double early_ = 0, late_ = 0;  // of warps with a part kept: the time of either half of the part
  SmTimes result_;
};

void Run::start(const Block& block, Cycle now) {
  BlockRun run;
  run.block = &block;
  run.number = static_cast<std::uint32_t>(next_block_);
  run.live = static_cast<unsigned>(block.warps.size());
  const auto index = static_cast<unsigned>(
      std::find_if(resident_.begin(), resident_.end(), [](const BlockRun& r) { return r.block == nullptr; }) -
      resident_.begin());
  if (index == resident_.size()) resident_.emplace_back();
  for (std::size_t i = 0; i < block.warps.size(); ++i) {
    const auto slot = static_cast<unsigned>(std::countr_zero(free_slots_));
    free_slots_ &= free_slots_ - 1;
    run.slots |= 1ull << slot;
    WarpRun& warp = warps_[slot];
    warp.steps = block.warps[i].data();
    warp.count = std::min(block.warps[i].size(), most_steps_);
    warp.cut = block.room[i] == 0 || warp.count < block.warps[i].size();
    warp.accesses = block.accesses[i].data();
    if (!block.holds.empty()) {
      warp.hold = block.holds[i].data();
      warp.holds_end = warp.hold + block.holds[i].size();
    } else {
      warp.hold = warp.holds_end = nullptr;
    }
    warp.at = 0;
    warp.ready.assign(timed_.scoreboard_entries, 0);
    warp.parts_left = 0;
    warp.block = index;
    warp.index = static_cast<std::uint32_t>(i);
    warp.live = true;
    warp.at_barrier = warp.asked = false;
    warp.drained = warp.began = warp.half = now;
    warp.held_until = 0;
    warp.machine_pc = warp.buffered_end = 0;
    warp.fetches_again = false;
    schedulers_[slot % schedulers_.size()].launched(slot);
    warp.next = now;
    warp.reason = IssueSlot::Fetch;
    resident_[index] = run;
    if (warp.count == 0)
      end_warp(warp, now);
    else
      fetch(warp, now);
  }
  resident_[index].live = 0;
  for (std::uint64_t rest = run.slots; rest != 0; rest &= rest - 1)
    resident_[index].live += warps_[static_cast<unsigned>(std::countr_zero(rest))].live;
}

// Takes the next instructions of a warp into its buffer, when the port of the instruction cache is free.
void Run::fetch(WarpRun& warp, Cycle now) {
  const Bytes line_bytes = machine_.gpu.instruction_cache.line_bytes;
  const std::uint64_t address =
      recording_.grid->code_physical.value() + warp.buffered_end * sm_.instruction_bytes;
  const std::uint64_t to_line_end = (line_bytes - address % line_bytes) / sm_.instruction_bytes;
  const CodeFetch::Answer answer = code_.fetch(address, now);
  warp.fetches_again = answer.again;
  warp.buffered_ready = answer.at;
  if (answer.again) {
    fetching_.push_back(&warp);
    fetch_again_ = std::min(fetch_again_, answer.at);
    return;
  }
  warp.buffered_end +=
      std::max<std::uint64_t>(std::min<std::uint64_t>(sm_.fetch_instructions, to_line_end), 1);
  warp.buffered_ready += fetch_cycles_;
}

void Run::fetch_again(Cycle now) {
  fetch_again_ = kNever;
  for (WarpRun* const warp : std::exchange(fetching_, {}))
    if (warp->live && std::exchange(warp->fetches_again, false)) fetch(*warp, now);
}

bool Run::has_instruction(WarpRun& warp, Cycle now) {
  if (warp.machine_pc >= warp.buffered_end && !warp.fetches_again) fetch(warp, now);
  if (warp.buffered_ready <= now && !warp.fetches_again) return true;
  return wait_until(warp, warp.buffered_ready, IssueSlot::Fetch);
}

void Run::consumed(WarpRun& warp, const TimedOp& timed, Cycle now) {
  ++result_.slots[static_cast<unsigned>(IssueSlot::Issued)];
  if (timed.parts == 0) return;
  ++result_.warp_instructions;
  ++warp.machine_pc;
  if (warp.machine_pc == warp.buffered_end && warp.buffered_end < timed_.machine_instructions)
    fetch(warp, now);
}

// When the operands of a warp's next instruction are there.
void Run::ask(WarpRun& warp, Cycle from) {
  const TimedOp& timed = timed_.ops[warp.steps[warp.at] & ~gpu::RecordedBlock::kAccess];
  Cycle latest = 0;
  const std::uint16_t* entry = entries(timed);
  for (const std::uint16_t* end = entry + timed.read_entries + timed.write_entries; entry != end; ++entry)
    latest = std::max(latest, warp.ready[*entry]);
  from = std::max(from, warp.held_until);
  // The low bit says whether memory is waited for.
  warp.asked = true;
  if (changes_.no_dependencies && latest % 2 == 0) latest = from;
  if (latest / 2 > from) {
    warp.next = latest / 2;
    warp.reason = latest % 2 != 0 ? IssueSlot::Memory : IssueSlot::Dependency;
  } else {
    warp.next = std::max(warp.next, from);
  }
}

void Run::advance(WarpRun& warp, Cycle now) {
  ++warp.at;
  warp.asked = false;
  if (warp.at == warp.count / 2) warp.half = now;
  if (warp.at == warp.count) return end_warp(warp, now);
  const std::uint32_t pc = warp.steps[warp.at] & ~gpu::RecordedBlock::kAccess;
  if (timed_.ops[pc].machine_index != warp.machine_pc) {
    warp.machine_pc = warp.buffered_end = timed_.ops[pc].machine_index;
    warp.fetches_again = false;
    fetch(warp, now);
  }
}

void Run::end_warp(WarpRun& warp, Cycle now) {
  if (warp.cut) {
    early_ += static_cast<double>(warp.half - warp.began);
    late_ += static_cast<double>(now - warp.half);
  }
  warp.live = false;
  warp.next = kNever;
  warp.reason = IssueSlot::NoWarp;
  BlockRun& block = resident_[warp.block];
  block.end = std::max({block.end, warp.drained, now + 1});
  if (block.live != 0) --block.live;
  if (block.live == block.waiting && block.waiting != 0) leave_barrier(block, now);
  if (block.live != 0) return;
  if (block.block == nullptr) return;
  free_slots_ |= block.slots;
  ends_.push_back(block.end);
  room_.push_back(block.end + kTurnaround);
  block.block = nullptr;
}

void Run::leave_barrier(BlockRun& block, Cycle now) {
  block.waiting = 0;
  for (std::uint64_t rest = block.slots; rest != 0; rest &= rest - 1) {
    WarpRun& warp = warps_[static_cast<unsigned>(std::countr_zero(rest))];
    if (!warp.live || !warp.at_barrier) continue;
    warp.at_barrier = false;
    warp.next = now + 1;
    warp.reason = IssueSlot::Dependency;
  }
}

bool Run::issue_arithmetic(WarpRun& warp, unsigned slot, const TimedOp& timed, Cycle now) {
  const bool first = warp.parts_left == 0;
  const Pipe pipe = first ? timed.first_pipe : timed.pipe;
  const Cycle free = units_.next_issue(pipe);
  if (free > now) return wait_until(warp, free, IssueSlot::UnitBusy);
  const Cycle start = units_.start(pipe, units_.collect(now, slot, entries(timed), timed.register_reads),
                                   first ? timed.first_interval_cycles : timed.interval_cycles);
  consumed(warp, timed, now);
  if (first) warp.parts_left = timed.parts;
  warp.next = now + 1;
  if (--warp.parts_left != 0) {
    const Cycle interval = first ? timed.first_part_cycles : timed.part_interval_cycles;
    if (interval > 1) wait_until(warp, now + interval, IssueSlot::Dependency);
    return true;
  }
  const std::uint16_t* written = entries(timed) + timed.read_entries;
  for (unsigned i = 0; i < timed.write_entries; ++i)
    warp.ready[written[i]] = 2 * (start + timed.latency_cycles);
  advance(warp, now);
  return true;
}

// With gpu.sm.blocking_issue, of an instruction that asks memory or could: a load's commit is its answer.
// `sent`: when a store's requests have left.
void Run::commit(WarpRun& warp, Cycle now, const Access* access, Cycle sent) {
  const MicroOp& op = op_of(warp);
  Cycle& commits = warp.ready[timed_.commit_entry()];
  const Cycle least = 2 * (now + sm_.commit_cycles);
  if (access == nullptr)
    commits = least;
  else if (gpu::commits_when_sent(op))
    commits = std::max(least, 2 * sent);
  else
    commits = std::max(least + 1, commits);
}

bool Run::issue_memory(WarpRun& warp, unsigned slot, const TimedOp& timed, Cycle now) {
  const unsigned parts = warp.parts_left == 0 ? std::max<unsigned>(timed.parts, 1) : warp.parts_left;
  if (parts > 1) {
    const Cycle free = units_.next_issue(Pipe::Sp);
    if (free > now) return wait_until(warp, free, IssueSlot::UnitBusy);
    units_.start(Pipe::Sp, units_.collect(now, slot, entries(timed), timed.register_reads), 1);
    consumed(warp, timed, now);
    warp.parts_left = parts - 1;
    warp.next = now + 1;
    if (sm_.blocking_issue) wait_until(warp, now + timed.part_interval_cycles, IssueSlot::Dependency);
    return true;
  }
  warp.parts_left = 0;
  warp.next = now + 1;
  if ((warp.steps[warp.at] & gpu::RecordedBlock::kAccess) != 0) {
    if (queue_[queue_next_] > now) return wait_until(warp, queue_[queue_next_], IssueSlot::LoadStoreBusy);
    if (pending_.size() >= sm_.pending_instructions) {
      std::erase_if(pending_, [&](Cycle end) { return end <= now; });
      if (pending_.size() >= sm_.pending_instructions)
        return wait_until(warp, *std::min_element(pending_.begin(), pending_.end()),
                          IssueSlot::LoadStoreBusy);
    }
    const Access& access = *warp.accesses;
    const BlockRun& run = resident_[warp.block];
    const Block& block = *run.block;
    if (order_ != nullptr)
      order_->entries.push_back(
          {run.number, warp.index,
           static_cast<std::uint32_t>(warp.accesses - block.accesses[warp.index].data())});
    ++warp.accesses;
    Cycle at = std::max(load_store_free_, units_.collect(now, slot, entries(timed), timed.register_reads));
    if (access.taps != 0) {
      // Taps enter the load-store unit as the texture unit makes their addresses.
      at = std::max(at, texture_free_);
      using Unit = gpu::TextureUnit<32>;
      const Cycle sharing = std::min<Cycle>(access.taps, Unit::kSamplesPerPass);
      texture_free_ = at + access.taps * std::max<Cycle>(sm_.warp_width / Unit::kLanesPerCycle / sharing, 1);
    }
    const Cycle began = at;
    Cycle ready = at + 1, shared_ready = 0;
    for (std::uint32_t i = 0; i < access.count; ++i) {
      const Request& request = block.requests[access.first + i];
      switch (request.path) {
        case Path::Shared: {
          const Cycle passes = changes_.no_conflicts ? 1 : request.passes;
          ready = std::max(ready, at + (passes - 1) * sm_.shared_pass_cycles + sm_.shared_latency_cycles);
          shared_ready = ready;
          at += passes;
          break;
        }
        case Path::Parameters:
          ready = std::max(ready, at + machine_.gpu.constant_cache.latency_cycles + 1);
          ++at;
          break;
        default: {
          const bool limited = limit_.exists() && request.path == Path::L1 && access.taps == 0 &&
                               !gpu::commits_when_sent(op_of(warp));
          if (limited) at = limit_.room(at);
          const MemoryPath::Times times = path_.send(request, static_cast<double>(at), access.place);
          ready = std::max(ready, static_cast<Cycle>(std::ceil(times.answered)));
          at = static_cast<Cycle>(std::ceil(times.sent)) + 1;
          if (!limited) break;
          limit_.sent(static_cast<Cycle>(std::ceil(times.answered)));
        }
      }
    }
    if (access.taps != 0) {
      // The load-store unit takes others in between.
      ready = std::max(ready, texture_free_) + gpu::TextureUnit<32>::kFilterCycles;
      at = std::max(load_store_free_, now) + access.count;
    }
    load_store_free_ = at;
    load_store_busy_ += access.taps != 0 ? access.count : at - began;
    queue_[queue_next_] = at;
    if (++queue_next_ == queue_.size()) queue_next_ = 0;
    pending_.push_back(ready);
    warp.drained = std::max(warp.drained, ready);
    const std::uint16_t* written = entries(timed) + timed.read_entries;
    for (unsigned i = 0; i < timed.write_entries; ++i) warp.ready[written[i]] = 2 * (ready + 1) + 1;
    if (sm_.blocking_issue) commit(warp, now, &access, std::max(at, shared_ready));
  } else if (sm_.blocking_issue) {
    commit(warp, now, nullptr, 0);
  }
  consumed(warp, timed, now);
  advance(warp, now);
  return true;
}

// By a call, or until a clock shows so much more. Where the device heap serves one after the other, the other
// SMs' come before it.
void Run::hold_up(WarpRun& warp, const gpu::RecordedBlock::Hold& hold, Cycle now) {
  if (hold.by_clock ? changes_.no_clock_waits : changes_.no_calls) return;
  Cycle wait = 0;
  if (hold.interval != 0) {
    const std::uint64_t alike = std::min<std::uint64_t>(machine_.gpu.sm.count, recording_.blocks);
    heap_free_ = std::max(heap_free_, now) + alike * hold.interval;
    wait = heap_free_ - hold.interval - now;
  }
  warp.held_until = now + 1 + hold.cycles + wait;
  wait_until(warp, warp.held_until, IssueSlot::Dependency);
}

bool Run::issue_control(WarpRun& warp, unsigned slot, const MicroOp& op, const TimedOp& timed, Cycle now) {
  const bool waits =
      op.kind == ptx::Kind::SystemCall || (op.kind == ptx::Kind::Fence && op.scope != ptx::MemoryScope::Cta);
  if (waits && warp.drained > now) return wait_until(warp, warp.drained, IssueSlot::Fence);
  const Cycle free = units_.next_issue(Pipe::Sp);
  if (free > now) return wait_until(warp, free, IssueSlot::UnitBusy);
  const Cycle start = units_.start(Pipe::Sp, units_.collect(now, slot, entries(timed), timed.register_reads),
                                   timed.interval_cycles);
  consumed(warp, timed, now);
  warp.next = now + 1;
  if (warp.parts_left == 0) warp.parts_left = std::max<unsigned>(timed.parts, 1);
  if (--warp.parts_left != 0) {
    if (sm_.blocking_issue) wait_until(warp, now + timed.part_interval_cycles, IssueSlot::Dependency);
    return true;
  }
  const Cycle ready = start + timed.latency_cycles;
  const std::uint16_t* written = entries(timed) + timed.read_entries;
  for (unsigned i = 0; i < timed.write_entries; ++i) warp.ready[written[i]] = 2 * ready;
  const bool branch = op.kind == ptx::Kind::Branch || op.kind == ptx::Kind::BranchIndexed ||
                      op.kind == ptx::Kind::Call || op.kind == ptx::Kind::Return;
  if (branch) wait_until(warp, std::max(ready, now + 1), IssueSlot::Dependency);
  if (warp.hold != warp.holds_end && warp.hold->step == warp.at) hold_up(warp, *warp.hold++, now);
  const auto mode = static_cast<ptx::BarrierMode>(op.mode);
  if (op.kind == ptx::Kind::Barrier && mode != ptx::BarrierMode::Warp && mode != ptx::BarrierMode::Arrive) {
    BlockRun& block = resident_[warp.block];
    warp.at_barrier = true;
    wait_until(warp, kNever, IssueSlot::Barrier);
    ++block.waiting;
    if (block.waiting == block.live) leave_barrier(block, now);
  }
  advance(warp, now);
  return true;
}

bool Run::issue(WarpRun& warp, unsigned slot, Cycle now) {
  while (true) {
    const std::uint32_t pc = warp.steps[warp.at] & ~gpu::RecordedBlock::kAccess;
    const MicroOp& op = kernel_.code[pc];
    const TimedOp& timed = timed_.ops[pc];
    if (warp.parts_left == 0) {
      if (!warp.asked) {
        ask(warp, now);
        if (warp.next > now) return false;
      }
      if (timed.parts == 0 && (op.kind == ptx::Kind::Arithmetic || op.kind == ptx::Kind::Nop)) {
        advance(warp, now);
        if (!warp.live) return false;
        continue;
      }
    }
    if (timed.parts != 0 && !has_instruction(warp, now)) return false;
    switch (op.kind) {
      case ptx::Kind::Arithmetic:
      case ptx::Kind::Exchange:
        return issue_arithmetic(warp, slot, timed, now);
      case ptx::Kind::Load:
      case ptx::Kind::Store:
      case ptx::Kind::Atomic:
      case ptx::Kind::Image:
        return issue_memory(warp, slot, timed, now);
      default:
        return issue_control(warp, slot, op, timed, now);
    }
  }
}

// Starts blocks while there is room at `now`.
void Run::start_blocks(Cycle now) {
  while (next_block_ < mine_.size()) {
    const auto place = std::find_if(room_.begin(), room_.end(), [&](Cycle free) { return free <= now; });
    const std::uint64_t number = mine_[next_block_]->block;
    const Cycle dispatched =
        number < recording_.wave ? number * machine_.gpu.front_end.dispatch_cycles_per_block : 0;
    if (place == room_.end() || dispatched > now) return;
    if (std::popcount(free_slots_) < static_cast<int>(mine_[next_block_]->warps.size())) return;
    room_.erase(place);
    start(*mine_[next_block_], now);
    pace_.started(next_block_, now, result_.warp_instructions);
    ++next_block_;
  }
}

// Nothing issues for so long: charged to the reason of the least-blocked warp.
void Run::charge(const gpu::WarpScheduler& scheduler, Cycle cycles) {
  if (cycles == 0) return;
  IssueSlot least = IssueSlot::NoWarp;
  for (std::uint64_t rest = scheduler.warps() & ~free_slots_; rest != 0; rest &= rest - 1) {
    const WarpRun& warp = warps_[static_cast<unsigned>(std::countr_zero(rest))];
    if (warp.live) least = std::min(least, warp.reason);
  }
  result_.slots[static_cast<unsigned>(least)] += cycles;
}

// A cycle; returns the next cycle with possible work.
Cycle Run::step(Cycle now) {
  start_blocks(now);
  if (fetch_again_ <= now) fetch_again(now);
  bool issued = false;
  for (gpu::WarpScheduler& scheduler : schedulers_) {
    bool here = false;
    std::uint64_t ready = 0;
    for (std::uint64_t rest = scheduler.warps() & ~free_slots_; rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(rest));
      if (warps_[slot].next <= now) ready |= 1ull << slot;
    }
    while (ready != 0) {
      const unsigned slot = scheduler.pick(ready);
      WarpRun& warp = warps_[slot];
      if (issue(warp, slot, now)) {
        scheduler.issued(slot);
        issued = here = true;
        if (warp.live && warp.parts_left == 0 && !warp.asked && !warp.at_barrier) {
          const Cycle earliest = std::max(warp.next, now + 1);
          ask(warp, earliest);
        }
        break;
      }
      ready &= ~(1ull << slot);
    }
    if (!here) charge(scheduler, 1);
  }
  if (issued) return now + 1;
  Cycle next = fetch_again_;
  for (std::uint64_t rest = ~free_slots_ & LaneMask::first(static_cast<unsigned>(sm_.max_warps)).bits();
       rest != 0; rest &= rest - 1)
    next = std::min(next, warps_[static_cast<unsigned>(std::countr_zero(rest))].next);
  if (next_block_ < mine_.size()) {
    for (const Cycle free : room_) next = std::min(next, std::max(free, now + 1));
    if (!room_.empty() && mine_[next_block_]->block < recording_.wave)
      next = std::min(next, std::max(now + 1, mine_[next_block_]->block *
                                                  machine_.gpu.front_end.dispatch_cycles_per_block));
  }
  return std::max(next, now + 1);
}

SmTimes Run::run() {
  room_.assign(recording_.blocks_per_sm, 0);
  Cycle now = 0;
  while (ends_.size() < mine_.size()) {
    const Cycle next = step(now);
    if (ends_.size() == mine_.size()) break;
    if (next == kNever) {
      // Barriers by threads, or for a part of the block.
      bool any = false;
      for (BlockRun& block : resident_) {
        if (block.block == nullptr || block.waiting == 0) continue;
        result_.forced_barrier = any = true;
        leave_barrier(block, now);
      }
      if (!any) break;
      ++now;
      continue;
    }
    // Slots of the cycles until then, by the reason of the least-blocked warp.
    for (const gpu::WarpScheduler& scheduler : schedulers_) charge(scheduler, next - now - 1);
    now = next;
  }
  code_.finish();
  Cycle last = 0;
  for (const Cycle end : ends_) last = std::max(last, end);
  std::sort(ends_.begin(), ends_.end());
  result_.cycles = static_cast<double>(last);
  path_.describe(result_, result_.cycles);
  result_.load_store_busy = last == 0 ? 0 : static_cast<double>(load_store_busy_) / static_cast<double>(last);
  std::uint64_t executed = 0;
  for (const Block* block : mine_) executed += block->executed;
  if (executed != 0)
    result_.computed_share =
        std::min(1.0, static_cast<double>(result_.warp_instructions) / static_cast<double>(executed));
  // The part of these blocks that was not kept goes on as the kept part.
  const double longer = result_.computed_share < 0.98 ? 1 / std::max(result_.computed_share, 1e-6) : 1;
  result_.cycles *= longer;
  if (early_ > 0) result_.late_by_early = late_ / early_;
  result_.cycles += pace_.between(ends_, result_.warp_instructions, path_.dram_cycles());
  return result_;
}

}  // namespace

SmTimes run_sm(const config::Machine& machine, const KernelRecording& recording,
               const gpu::TimedKernel& timed, const std::vector<Block*>& mine, const MemoryLoad* load,
               const Changes& changes, MemoryModel& memory, TagArray& code_tags, AccessOrder* order,
               std::size_t most_steps) {
  return Run(machine, recording, timed, mine, load, changes, memory, code_tags, order, most_steps).run();
}

}  // namespace duet::predict
