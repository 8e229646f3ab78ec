// The blocks on an SM, in order of launch, and the tallies of their grids.
//
//   TimedBlock& block = blocks.add();                 // a used one, if there is one
//   block.tally = &blocks.tally_of(grid);
//   blocks.remove_if([&](TimedBlock& block) { return ended(block); });
//
// A tally lives as long as blocks of its grid are here. Its address stays.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "gpu/sm/timed_warp.h"

namespace duet::gpu {

class ResidentBlocks {
 public:
  using Blocks = std::vector<std::unique_ptr<TimedBlock>>;
  using Tallies = std::vector<std::unique_ptr<GridTally>>;

  void count_lines(bool on) { count_lines_ = on; }
  bool empty() const { return blocks_.empty(); }
  std::size_t size() const { return blocks_.size(); }
  const Blocks& all() const { return blocks_; }
  const Tallies& tallies() const { return tallies_; }
  // Where all blocks are of one grid and nobody counts lines; otherwise null.
  GridTally* only_tally() const { return only_tally_; }

  TimedBlock& add() {
    if (idle_.empty()) idle_.push_back(std::make_unique<TimedBlock>());
    blocks_.push_back(std::move(idle_.back()));
    idle_.pop_back();
    return *blocks_.back();
  }
  GridTally& tally_of(Grid& grid);
  // Asks for each block, in order, whether it has ended. False: none has.
  template <typename F>
  bool remove_if(F ended);

  GridCounts counts_of(const Grid& grid) const {
    GridCounts counts;
    for (const auto& tally : tallies_)
      if (tally->grid == &grid) counts += tally->counts;
    return counts;
  }
  // Adds the kernel's counts by line to `total`. Whether blocks of it are here.
  bool take_lines(const ptx::Kernel& kernel, LineCounts& total) {
    const bool here = std::any_of(tallies_.begin(), tallies_.end(),
                                  [&](const auto& tally) { return tally->grid->kernel == &kernel; });
    lines_.take(kernel, total, here);
    return here;
  }
  std::uint64_t live_warps() const {
    std::uint64_t warps = 0;
    for (const auto& block : blocks_) warps += block->live_warps;
    return warps;
  }

 private:
  void find_only_tally() {
    only_tally_ = tallies_.size() == 1 && !count_lines_ ? tallies_.front().get() : nullptr;
  }

  Blocks blocks_, idle_;
  Tallies tallies_;
  GridTally* only_tally_ = nullptr;
  bool count_lines_ = false;
  LinesOfKernels lines_;
};

inline GridTally& ResidentBlocks::tally_of(Grid& grid) {
  for (const auto& tally : tallies_)
    if (tally->grid == &grid) return *tally;
  GridTally& tally = *tallies_.emplace_back(std::make_unique<GridTally>(GridTally{&grid, {}, {}}));
  if (count_lines_) tally.lines = &lines_.of(*grid.kernel);
  find_only_tally();
  return tally;
}

template <typename F>
bool ResidentBlocks::remove_if(F ended) {
  const auto removed = std::erase_if(blocks_, [&](std::unique_ptr<TimedBlock>& owned) {
    if (!ended(*owned)) return false;
    idle_.push_back(std::move(owned));
    return true;
  });
  if (removed == 0) return false;
  std::erase_if(tallies_, [&](const auto& tally) {
    return std::none_of(blocks_.begin(), blocks_.end(),
                        [&](const auto& block) { return block->tally == tally.get(); });
  });
  find_only_tally();
  return true;
}

}  // namespace duet::gpu
