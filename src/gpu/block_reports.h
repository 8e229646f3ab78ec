// The reports in an SM's messages about its blocks. A place is used again after as many messages as the queue
// holds: its old message has been taken by then.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/grid.h"
#include "sim/queue.h"

namespace duet::gpu {

class BlockReports {
 public:
  void connect(sim::Queue<BlockDone>& done) {
    done_ = &done;
    reports_.resize(done.capacity());
  }
  bool can_send(Picoseconds now) const { return done_->can_push(now); }
  // The report of the next message about this grid, empty at first.
  BlockReport& next(const Grid& grid) {
    BlockReport& place = reports_[next_];
    place.grid = &grid;
    place.counts = {};
    place.fault.kind = FaultKind::None;
    return place;
  }
  void send(Picoseconds now, BlockDone done) {
    done.report = &reports_[next_];
    if (++next_ == reports_.size()) next_ = 0;
    done_->push(now, done);
  }
  // The counts of a grid in messages on their way.
  GridCounts on_the_way(const Grid& grid) const {
    GridCounts counts;
    for (std::size_t i = 1; i <= done_->size(); ++i) {
      const BlockReport& report = reports_[(next_ + reports_.size() - i) % reports_.size()];
      if (report.grid == &grid) counts += report.counts;
    }
    return counts;
  }

 private:
  sim::Queue<BlockDone>* done_ = nullptr;
  std::vector<BlockReport> reports_;
  std::size_t next_ = 0;
};

}  // namespace duet::gpu
