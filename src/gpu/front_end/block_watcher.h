// Beside the work distributor: any number of watchers hear of blocks, at most one policy decides about them.
//   struct Count final : BlockWatcher { void kernel_starts(const Grid&) override { ++kernels; } ... };
//   work_distributor.watch(count);
// All calls come in ticks of the work distributor, watchers in the order in which they were named.
#pragma once

#include <cstdint>

#include "gpu/grid.h"

namespace duet::gpu {

class BlockWatcher {
 public:
  virtual ~BlockWatcher() = default;
  // Of the host's launches: the first block goes to an SM; each of the blocks does.
  virtual void kernel_starts(const Grid&) {}
  virtual void block_starts(const Grid&) {}
  // All blocks of a grid have completed.
  virtual void grid_ends(const Grid&) {}
  // The same of one that a kernel has launched, before it is forgotten.
  virtual void device_launch_ends(const Grid&) {}
  // Before the first block and after the last one of each fast-forwarded grid; before the first block of
  // another grid behind such ones.
  virtual void fast_forwards(const Grid&) {}
  virtual void resumes() {}
};

class BlockPolicy {
 public:
  virtual ~BlockPolicy() = default;
  // A grid comes, before its first block: the last moment at which Grid::fast_forward may be set.
  virtual void begins(Grid&) {}
  // Before a block of the host's launches is dispatched: how many blocks from it on, up to `most`, are not to
  // be executed.
  virtual std::uint64_t skips(const Grid&, std::uint64_t /*block*/, std::uint64_t /*most*/) { return 0; }
  // A block in time is done, its counts are with its grid, and so many have been dispatched: whether the
  // others are fast-forwarded when these are done.
  virtual bool fast_forwards_rest(const Grid&, std::uint64_t /*dispatched*/) { return false; }
};

}  // namespace duet::gpu
