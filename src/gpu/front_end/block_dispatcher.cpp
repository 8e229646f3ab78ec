#include "gpu/front_end/block_dispatcher.h"

#include <algorithm>
#include <cassert>

#include "base/readable_name.h"
#include "sim/event_sink.h"

namespace duet::gpu {

BlockDispatcher::Sm BlockDispatcher::full_sm(const sim::Component& sm, sim::Queue<BlockLaunch>& launches,
                                             sim::Queue<BlockDone>& done) const {
  return {&sm,           &launches,      &done,           sm_.registers,
          sm_.max_warps, sm_.max_blocks, sm_.max_threads, sm_.shared_bytes};
}

void BlockDispatcher::connect_sm(const sim::Component& sm, sim::Queue<BlockLaunch>& launches,
                                 sim::Queue<BlockDone>& done) {
  timed_.list.push_back(full_sm(sm, launches, done));
}

void BlockDispatcher::connect_fast_forward_sm(const sim::Component& sm, sim::Queue<BlockLaunch>& launches,
                                              sim::Queue<BlockDone>& done) {
  fast_forward_.list.push_back(full_sm(sm, launches, done));
}

void BlockDispatcher::tell(const Grid& grid, std::uint64_t block, const Sms& sms, std::size_t sm,
                           TaskEventPhase phase, Picoseconds now) {
  sim::EventSink* const sink = engine_.event_sink(TaskEventKind::Block);
  if (sink == nullptr) return;
  sink->take({.kind = TaskEventKind::Block,
              .phase = phase,
              .stream = grid.stream,
              .unit = static_cast<std::uint32_t>(sm),
              .time_ps = now,
              .id = block,
              .parent = grid.number(),
              .component = sms.list[sm].component});
}

std::string BlockDispatcher::refusal(const Grid& grid) const {
  const Occupancy shape = occupancy_(sm_, *grid.kernel, grid.block.count(), grid.dynamic_shared_bytes);
  if (shape.blocks_per_sm == 0)
    return "a block of " + std::to_string(grid.block.count()) + " threads does not fit on an SM (" +
           name_of(shape.limit) + ")";
  const std::uint64_t resident = std::uint64_t{shape.blocks_per_sm} * timed_.list.size();
  if (grid.cooperative && grid.grid.count() > resident)
    return "a cooperative grid of " + std::to_string(grid.grid.count()) +
           " blocks does not fit: " + std::to_string(resident) + " blocks can be resident";
  return {};
}

void BlockDispatcher::add(Grid& grid, std::uint64_t first, std::uint64_t count, std::int32_t priority,
                          BlockCounts* counts) {
  BlockRun run(grid, order_);
  run.next_block = first;
  run.blocks_left = count;
  run.priority = priority;
  run.counts = counts;
  const bool known = std::any_of(residents_.begin(), residents_.end(),
                                 [&](const Resident& resident) { return resident.grid == &grid; });
  if (!known) {
    if (policy_ != nullptr) policy_->begins(grid);
    residents_.push_back(
        {&grid, occupancy_(sm_, *grid.kernel, grid.block.count(), grid.dynamic_shared_bytes)});
  }
  run.shape = resident_of(grid).shape;
  const auto place = std::find_if(runs_.begin(), runs_.end(),
                                  [&](const BlockRun& other) { return other.priority > priority; });
  runs_.insert(place, run);
}

std::uint64_t BlockDispatcher::left(const Grid& grid) const {
  std::uint64_t count = 0;
  for (const BlockRun& run : runs_)
    if (run.grid == &grid) count += run.blocks_left;
  return count;
}

void BlockDispatcher::drop(const Grid& grid) {
  std::erase_if(runs_, [&](const BlockRun& run) { return run.grid == &grid; });
}

void BlockDispatcher::end(const Grid& grid) {
  for (BlockWatcher* watcher : watchers_) watcher->grid_ends(grid);
  if (grid.fast_forward) tell_fast_forward(grid);
  std::erase_if(residents_, [&](const Resident& resident) { return resident.grid == &grid; });
}

void BlockDispatcher::done(Grid& grid) {
  if (policy_ == nullptr || grid.fast_forward) return;
  const std::uint64_t left = this->left(grid), dispatched = grid.grid.count() - left;
  if (left == 0 || !policy_->fast_forwards_rest(grid, dispatched)) return;
  grid.fast_forward = true;
  grid.timed_blocks = dispatched;
}

BlockDispatcher::Resident& BlockDispatcher::resident_of(const Grid& grid) {
  const auto found = std::find_if(residents_.begin(), residents_.end(),
                                  [&](const Resident& resident) { return resident.grid == &grid; });
  assert(found != residents_.end());
  return *found;
}

// How many blocks of the run fit into what is free on the SM.
std::uint64_t BlockDispatcher::room_for(const Sm& sm, const BlockRun& run) const {
  std::uint64_t room = std::min(sm.blocks, sm.warps / run.shape.warps_per_block);
  room = std::min(room, sm.threads / run.grid->block.count());
  if (run.shape.registers_per_block != 0) room = std::min(room, sm.registers / run.shape.registers_per_block);
  if (run.shape.shared_per_block != 0) room = std::min(room, sm.shared_bytes / run.shape.shared_per_block);
  return room;
}

// The next one goes where it would go with these.
void BlockDispatcher::skip(BlockRun& run) {
  std::uint64_t count = 0;
  while (run.blocks_left > 1) {
    const std::uint64_t most = run.order.in_order() ? run.blocks_left - 1 : 1;
    const std::uint64_t skipped = policy_->skips(*run.grid, run.order.block(run.next_block), most);
    if (skipped == 0) break;
    run.next_block += skipped;
    run.blocks_left -= skipped;
    count += skipped;
  }
  if (count == 0) return;
  run.counts->launched += count;
  run.counts->completed += count;
  run.grid->completed_blocks += count;
  next_sm_ = (next_sm_ + count) % timed_.list.size();
}

bool BlockDispatcher::dispatch(Picoseconds now, BlockRun& run) {
  if (run.no_room) return false;
  if (policy_ != nullptr && run.grid->parent == nullptr) skip(run);
  Sms& sms = sms_of(*run.grid);
  if (run.grid->cooperative && !run.cooperative_started) {
    std::uint64_t room = 0;
    for (const Sm& sm : sms.list) room += room_for(sm, run);
    run.no_room = room < run.blocks_left;
    if (run.no_room) return false;
    run.cooperative_started = true;
  }
  run.no_room = true;
  for (std::size_t i = 0; i < sms.list.size(); ++i) {
    std::size_t index = next_sm_ + i;
    if (index >= sms.list.size()) index -= sms.list.size();
    Sm& sm = sms.list[index];
    if (room_for(sm, run) == 0) continue;
    run.no_room = false;
    if (!sm.launches->can_push(now)) continue;
    const std::uint64_t block = run.order.block(run.next_block);
    if (forwarded_ && !run.grid->fast_forward)
      for (BlockWatcher* watcher : watchers_) watcher->resumes();
    forwarded_ = run.grid->fast_forward;
    sm.launches->push(now, {run.grid, block});
    sm.blocks -= 1;
    sm.warps -= run.shape.warps_per_block;
    sm.threads -= run.grid->block.count();
    sm.registers -= run.shape.registers_per_block;
    sm.shared_bytes -= run.shape.shared_per_block;
    next_sm_ = index + 1 == sms.list.size() ? 0 : index + 1;
    ++sms.running;
    const bool of_host = run.grid->parent == nullptr;
    if (of_host && run.grid->first_block_ps == kNever)
      for (BlockWatcher* watcher : watchers_) watcher->kernel_starts(*run.grid);
    if (run.grid->fast_forward) {
      bool& forwarded = resident_of(*run.grid).forwarded;
      if (!forwarded) tell_fast_forward(*run.grid);
      forwarded = true;
    }
    run.grid->first_block_ps = std::min(run.grid->first_block_ps, now);
    if (of_host)
      for (BlockWatcher* watcher : watchers_) watcher->block_starts(*run.grid);
    tell(*run.grid, block, sms, index, TaskEventPhase::Begin, now);
    ++run.next_block;
    --run.blocks_left;
    ++run.counts->launched;
    return true;
  }
  return false;
}

bool BlockDispatcher::dispatch(Picoseconds now) {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    // Later ones do not overtake one that waits until it is alone.
    if ((runs_[i].grid->fast_forward ? timed_ : fast_forward_).running != 0) return false;
    const bool sent = dispatch(now, runs_[i]);
    const bool alone = runs_[i].cooperative_started;
    if (sent && runs_[i].blocks_left == 0) runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(i));
    if (sent) return true;
    if (alone) return false;
  }
  return false;
}

bool BlockDispatcher::completed(Picoseconds now, Sms& sms, BlockDone& done) {
  for (std::size_t i = 0; i < sms.list.size(); ++i) {
    std::size_t index = sms.next_done + i;
    if (index >= sms.list.size()) index -= sms.list.size();
    Sm& sm = sms.list[index];
    if (!sm.done->can_pop(now)) continue;
    sms.next_done = index;
    done = sm.done->pop(now);
    const Occupancy& shape = resident_of(*done.grid).shape;
    const std::uint64_t warps = (done.threads + sm_.warp_width - 1) / sm_.warp_width;
    const std::uint64_t registers = shape.registers_per_block / shape.warps_per_block * warps;
    if (done.goes_on) {
      sm.warps += warps;
      sm.threads += done.threads;
      sm.registers += registers;
      for (BlockRun& run : runs_) run.no_room = false;
      return completed(now, sms, done);
    }
    sm.blocks += 1;
    sm.warps += shape.warps_per_block - warps;
    sm.threads += done.grid->block.count() - done.threads;
    sm.registers += shape.registers_per_block - registers;
    sm.shared_bytes += shape.shared_per_block;
    --sms.running;
    tell(*done.grid, done.block, sms, index, TaskEventPhase::End, now);
    for (BlockRun& run : runs_) run.no_room = false;
    return true;
  }
  return false;
}

bool BlockDispatcher::completed(Picoseconds now, BlockDone& done) {
  return (timed_.running != 0 && completed(now, timed_, done)) ||
         (fast_forward_.running != 0 && completed(now, fast_forward_, done));
}

BlockGrant BlockDispatcher::take_last(std::uint64_t launch_id) {
  auto last = runs_.end();
  for (auto run = runs_.begin(); run != runs_.end(); ++run)
    if (run->grid->launch_id == launch_id && (last == runs_.end() || run->next_block > last->next_block))
      last = run;
  if (last == runs_.end()) return {};
  BlockGrant grant;
  grant.grid = last->grid;
  grant.block = last->order.block(last->next_block + --last->blocks_left);
  ++last->counts->launched;
  if (last->blocks_left == 0) runs_.erase(last);
  return grant;
}

std::string BlockDispatcher::waits_for() const {
  if (runs_.empty()) return {};
  return "room on an SM for " + std::to_string(runs_.front().blocks_left) + " blocks of kernel '" +
         readable_name(runs_.front().grid->kernel->name) + "'";
}

}  // namespace duet::gpu
