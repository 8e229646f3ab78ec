// When enough blocks of a launch have been in time, and how long the others would take:
//   BlockRate rate(0.025);
//   if (rate.ends(dispatched, work, now)) ...      each block that is done: the rest need not be in time
//   rate.time(rest)  rate.error(rest)              of work that is left, in ps
// `work` is what the launch has executed so far: warp instructions.
//
// A wave is as many blocks as are on the GPU when the first of them is done. Behind the first wave each wave
// of completed blocks is a batch, with its work and its time (batch means: Law and Kelton, "Simulation
// Modeling and Analysis"). The beginning, in which caches fill, is cut off by MSER (White, "An Effective
// Truncation Heuristic for Bias Reduction in Simulation Output", Simulation 69, 1997). It is enough when
// three batches or more are left and the time of what remains is known as well as was asked for, at 95 %
// confidence. Where blocks go in step, the last wave takes as long as a full one, otherwise as much less as
// it has fewer blocks: half of that is added to the time, and to the error. Principal Kernel Projection
// (Avalos Baddouh et al., MICRO 2021) stops a kernel so. Not known: blocks that are slower or faster for each
// instruction than all before them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace duet::sample {

class BlockRate {
 public:
  static constexpr std::size_t kBatches = 3;
  // `error`: of the time of what is left, as a share of it.
  BlockRate(std::uint64_t blocks, double error) : blocks_(blocks), error_(error) {}

  // Whether the time of blocks that have not been dispatched is known well enough.
  bool ends(std::uint64_t dispatched, std::uint64_t work, Picoseconds now);

  double time(double work) const { return mean_ * work + last_ / 2; }
  // Of that time, at 95 % confidence.
  double error(double work) const;

 private:
  struct Batch {
    double work, time;
  };
  bool known(std::uint64_t left);

  const std::uint64_t blocks_;
  const double error_;
  std::uint64_t ended_ = 0, wave_ = 0;
  std::uint64_t work_ = 0;  // at the end of the last batch
  Picoseconds now_ = 0;
  std::vector<Batch> batches_;
  // Of the batches that are not cut off: how many, time for a piece of work, spread of a batch's time about
  // it.
  double count_ = 0, mean_ = 0, spread_ = 0, batch_work_ = 0;
  double last_ = 0;  // time by which the last wave may be longer than its blocks' share of one
};

}  // namespace duet::sample
