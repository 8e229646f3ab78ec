// When enough blocks of a launch have been in time, and the time of the others:
//   BlockRate rate(0.025);
//   if (rate.ends(dispatched, work, now)) ...      each completed block: the rest need not be in time
//   rate.time(rest)  rate.error(rest)              of the remaining work, in ps
// `work` is the launch's executed warp instructions so far.
//
// A wave is as many blocks as are on the GPU when the first of them is done. Behind the first wave each wave
// of completed blocks is a batch, with its work and its time (batch means: Law and Kelton, "Simulation
// Modeling and Analysis"). The beginning, in which caches fill, is cut off by MSER (White, "An Effective
// Truncation Heuristic for Bias Reduction in Simulation Output", Simulation 69, 1997). Three batches or more
// must be left, and the time of the rest known to the given error at 95 % confidence. A last wave of few
// blocks takes between its share and a full wave's time: half of the difference is added to the time, and to
// the error. Principal Kernel Projection (Avalos Baddouh et al., MICRO 2021) stops a kernel in this way. Not
// known: later blocks of another speed an instruction.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace duet::sample {

class BlockRate {
 public:
  static constexpr std::size_t kBatches = 3;
  // `error`: of the time of the rest, as a share of it.
  BlockRate(std::uint64_t blocks, double error) : blocks_(blocks), error_(error) {}

  // Whether the time of the undispatched blocks is known well enough.
  bool ends(std::uint64_t dispatched, std::uint64_t work, Picoseconds now);

  double time(double work) const { return mean_ * work + last_ / 2; }
  // The error of the time, at 95 % confidence.
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
  // Of the batches left: their number, time for a piece of work, spread of a batch's time about it.
  double count_ = 0, mean_ = 0, spread_ = 0, batch_work_ = 0;
  double last_ = 0;  // time by which the last wave may be longer than its blocks' share of one
};

}  // namespace duet::sample
