// Chooses the launches of a program to simulate in time (estimator.h). A functional SM executes the others;
// their end is held back until their estimated time.
//   Sampler sampler(0.05, [](const Launch& launch) {...});     called for each launch at its end
//   services.recorder = &sampler;                               of functional SMs beside timed ones
//   sampler.begins(grid, now);  ...  sampler.ends(grid, now);   from the work distributor
// Launches of one group have kernel, grid, block and dynamic shared memory in common. A launch on the GPU
// together with another takes the time of both: its group is simulated in time from then on. Behind
// fast-forwarded launches caches are not as they would be. So the launch before a timed one, as foreseen from
// the program's last round, is simulated in time too (detailed warming: SMARTS). When the blocks of a timed
// launch have come to a steady rate (block_rate.h), and the blocks on the GPU are done, a functional SM
// executes the rest.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "gpu/functional/block_recorder.h"
#include "sample/block_rate.h"
#include "sample/estimator.h"

namespace duet::sample {

// An ended launch.
struct Launch {
  const gpu::Grid* grid = nullptr;
  std::uint32_t group = 0;
  bool first_of_group = false;
  Group::Choice choice;
  bool warming = false;     // in time, and no sample
  bool overlapped = false;  // others were on the GPU with it
  bool failed = false;
  std::uint64_t timed_blocks = 0;  // where only the first of its blocks were in time, so many; otherwise 0
  std::uint64_t work = 0;
  Picoseconds time_ps = 0;   // from its first block's start to its last one's end
  Picoseconds error_ps = 0;  // of the time, where not all blocks were in time
};

class Sampler final : public gpu::BlockRecorder {
 public:
  using Tell = std::function<void(const Launch&)>;
  // `executes`: called with each block of a functional SM.
  using Executes = std::function<void(const gpu::Grid&, std::uint32_t sm)>;
  Sampler(double error, Tell tell, Executes executes)
      : error_(error), tell_(std::move(tell)), executes_(std::move(executes)) {}

  // The grid is on the GPU, and none of its blocks has been dispatched.
  void begins(gpu::Grid& grid);
  void ends(const gpu::Grid& grid, Picoseconds now);
  // One of its blocks in time is done, and so many have been dispatched: true where the rest need not be in
  // time.
  bool block_ends(const gpu::Grid& grid, std::uint64_t dispatched, Picoseconds now);

  gpu::RecordedBlock* begin(gpu::Grid& grid, std::uint64_t block, std::uint32_t sm, Picoseconds now) override;
  void access(gpu::RecordedBlock&, std::uint32_t, ptx::Warp<32>&, const ptx::MicroOp&, std::uint64_t,
              const gpu::BlockMemory&) override {}
  void access(gpu::RecordedBlock&, std::uint32_t, ptx::Warp<64>&, const ptx::MicroOp&, std::uint64_t,
              const gpu::BlockMemory&) override {}
  Picoseconds finished(gpu::Grid& grid, std::uint64_t block, const gpu::GridCounts& counts,
                       Picoseconds now) override;

 private:
  using Shape = std::tuple<const ptx::Kernel*, std::array<std::uint32_t, 6>, Bytes>;
  struct Known {
    std::uint32_t number;
    bool told = false;
    Group group;
    Known* after = nullptr;  // the group that followed its last launch
  };
  struct Running {
    Known* known;
    Group::Choice choice;
    bool overlapped = false;
    bool warming = false;
    std::optional<BlockRate> rate{};   // of blocks in time
    std::uint64_t timed_work = 0;      // of these, where the rest are not
    Picoseconds drained_ps = kNever;   // when they all were done
    std::uint64_t work = 0, done = 0;  // of blocks executed by a functional SM
  };

  const double error_;
  const Tell tell_;
  const Executes executes_;
  std::map<Shape, std::unique_ptr<Known>> groups_;
  Known* last_ = nullptr;
  std::map<std::uint64_t, Running> running_;  // by Grid::launch_id
};

}  // namespace duet::sample
