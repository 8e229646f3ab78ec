// Sends blocks to SMs: the part of the work distributor with the free registers, shared memory, warps and
// block slots of every SM. It hands out blocks in round-robin order of the SMs. Kernels of several streams
// share the SMs: a block comes from the kernel with the highest priority, among equals the first launched
// one, and from the next kernel when no SM has room for it. A cooperative kernel starts only when all of its
// blocks fit at once, and nothing else is dispatched until they are all out. Fast-forwarded kernels go to SMs
// of their own, and never while others run. A block's resources are free when the block ends; with
// gpu.front_end.dispatch = "cross_level" the slots, threads and registers of its warps are when they end
// (hu2016, section 4: one dispatcher for all levels).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/machine.h"
#include "gpu/block_order.h"
#include "gpu/front_end/block_watcher.h"
#include "gpu/grid.h"
#include "gpu/occupancy.h"
#include "sim/queue.h"

namespace duet::gpu {

using OccupancyFunction = Occupancy (*)(const config::Sm&, const ptx::Kernel&, std::uint64_t, Bytes);

// Blocks of a launch that have been dispatched, and that are done. Blocks that are skipped are both.
struct BlockCounts {
  std::uint64_t launched = 0, completed = 0;
};

// A run of blocks that a Launch command asks for.
struct BlockRun {
  BlockRun(Grid& grid_, const std::string& order_) : grid(&grid_), order(order_, grid_.grid.count()) {}
  Grid* grid;
  BlockOrder order;
  std::uint64_t next_block = 0, blocks_left = 0;  // next: its place in the order
  std::int32_t priority = 0;                      // lower numbers go first, as in CUDA
  BlockCounts* counts = nullptr;                  // the reference counter's
  Occupancy shape;                                // what one block takes
  bool cooperative_started = false;
  bool no_room = false;  // no SM has room for a block until one is freed
};

class BlockDispatcher {
 public:
  BlockDispatcher(sim::Engine& engine, const config::Gpu& gpu, OccupancyFunction occupancy)
      : engine_(engine), sm_(gpu.sm), order_(gpu.front_end.block_order), occupancy_(occupancy) {}

  void connect_sm(const sim::Component& sm, sim::Queue<BlockLaunch>& launches, sim::Queue<BlockDone>& done);
  // One for fast-forwarded kernels, as many as there are SMs.
  void connect_fast_forward_sm(const sim::Component& sm, sim::Queue<BlockLaunch>& launches,
                               sim::Queue<BlockDone>& done);
  void watch(BlockWatcher& watcher) { watchers_.push_back(&watcher); }
  void decide(BlockPolicy& policy) { policy_ = &policy; }

  // Empty when the grid can run; otherwise why it never can.
  std::string refusal(const Grid& grid) const;
  void add(Grid& grid, std::uint64_t first, std::uint64_t count, std::int32_t priority, BlockCounts* counts);
  std::uint64_t left(const Grid& grid) const;  // blocks of the grid that have not been dispatched
  void drop(const Grid& grid);                 // forgets them
  void end(const Grid& grid);                  // all blocks of the grid have completed
  void done(Grid& grid);                       // one of them has, and its report has been taken

  // Dispatches one block; false when no block can go now.
  bool dispatch(Picoseconds now);
  // The next completed block; its room on the SM is free again.
  bool completed(Picoseconds now, BlockDone& done);
  // Gives away the block of a launch that would be dispatched last; nothing when none is left.
  BlockGrant take_last(std::uint64_t launch_id);
  bool waiting() const { return !runs_.empty(); }
  std::string waits_for() const;

 private:
  struct Sm {
    const sim::Component* component;
    sim::Queue<BlockLaunch>* launches;
    sim::Queue<BlockDone>* done;
    std::uint64_t registers, warps, blocks, threads;
    Bytes shared_bytes;
  };
  struct Resident {
    const Grid* grid;
    Occupancy shape;
    bool forwarded = false;  // watchers have heard that it is fast-forwarded
  };
  struct Sms {
    std::vector<Sm> list;
    std::size_t next_done = 0;
    std::uint64_t running = 0;  // blocks
  };
  Sms& sms_of(const Grid& grid) { return grid.fast_forward ? fast_forward_ : timed_; }
  Sm full_sm(const sim::Component& sm, sim::Queue<BlockLaunch>& launches, sim::Queue<BlockDone>& done) const;
  bool completed(Picoseconds now, Sms& sms, BlockDone& done);
  Resident& resident_of(const Grid& grid);
  std::uint64_t room_for(const Sm& sm, const BlockRun& run) const;
  bool dispatch(Picoseconds now, BlockRun& run);
  void skip(BlockRun& run);
  // Of a block of the SM with this number.
  void tell(const Grid& grid, std::uint64_t block, const Sms& sms, std::size_t sm, TaskEventPhase phase,
            Picoseconds now);

  void tell_fast_forward(const Grid& grid) {
    for (BlockWatcher* watcher : watchers_) watcher->fast_forwards(grid);
  }

  sim::Engine& engine_;
  config::Sm sm_;
  const std::string order_;  // gpu.front_end.block_order
  OccupancyFunction occupancy_;
  std::vector<BlockWatcher*> watchers_;
  BlockPolicy* policy_ = nullptr;  // null: all blocks of all grids go as they come
  Sms timed_, fast_forward_;
  std::size_t next_sm_ = 0;          // of either, so that a block goes where it would go with all in time
  bool forwarded_ = false;           // no block has gone to a timed SM since
  std::vector<Resident> residents_;  // kernels that have begun and not ended
  std::vector<BlockRun> runs_;       // in the order in which they are served
};

}  // namespace duet::gpu
