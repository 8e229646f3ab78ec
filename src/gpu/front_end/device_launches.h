// Kernels launched by kernels (CUDA C++ Programming Guide, CUDA dynamic parallelism): the part of the work
// distributor for them until they may start.
//
//     parent, block 3:  a<<<>>>(); b<<<>>>();      b starts when a has completed: one stream of one block
//     parent, block 4:  c<<<>>>();                 c at once, beside a
//     parent:           d<<<..., tail>>>();        d when all blocks of the parent, a, b and c are done
//
// A kernel has completed when its blocks and all its launches have. It reaches the distributor some time
// after the call (gpu.front_end.device_launch_cycles). Such kernels start one after the other
// (device_launch_interval_cycles), and tail launches some time after the end of their wait
// (device_tail_launch_cycles). Their blocks compete with all others. Left out: reference counters and stream
// queues for such kernels (parents could hold them all); priorities.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "gpu/front_end/block_dispatcher.h"
#include "gpu/grid.h"

namespace duet::gpu {

struct DeviceLaunch {
  std::unique_ptr<Grid> grid;  // with its parent
  std::uint64_t block = 0;     // of the parent, whose thread launched it
  enum class Order : std::uint8_t { Stream, Tail, FireAndForget } order = Order::Stream;
  std::uint64_t stream = 0;  // of the block
  Picoseconds ready_ps = 0;  // the distributor knows of it
};

class DeviceLaunches {
 public:
  DeviceLaunches(BlockDispatcher& dispatcher, const config::Gpu& gpu);

  // Told of each that has completed, before it is forgotten, and of each that starts.
  std::function<void(const Grid&)> on_end = [](const Grid&) {}, on_start = [](const Grid&) {};

  void add(DeviceLaunch launch);
  bool empty() const { return launches_.empty(); }
  std::uint64_t pending() const { return pending_; }  // that have not started
  // Starts what may start, ends what has ended.
  void advance(Picoseconds now);
  // A block of a launched kernel has failed: what has not been dispatched never will be.
  void failed(const Grid& grid);
  // When one is ready next; kNever: none is on its way.
  Picoseconds next_ready(Picoseconds now) const;

 private:
  struct Launch : DeviceLaunch {
    bool started = false;
    bool foremost = false;      // nothing is before it any more
    std::uint64_t dropped = 0;  // blocks
    BlockCounts counts{};
  };
  // Whether what has to be before it has completed.
  bool is_foremost(const Launch& launch) const;
  bool may_start(Launch& launch, Picoseconds now);
  bool has_ended(const Launch& launch) const;
  void end(Launch& launch);

  BlockDispatcher& dispatcher_;
  const Picoseconds interval_ps_, tail_ps_;
  Picoseconds free_ps_ = 0;     // the next one starts no earlier
  std::list<Launch> launches_;  // in the order of the calls
  std::uint64_t pending_ = 0;
};

}  // namespace duet::gpu
