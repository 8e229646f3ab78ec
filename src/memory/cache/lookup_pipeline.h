// The way of a request from its arrival at a cache to its lookup, latency_cycles later: first in, first out.
//
//   LookupPipeline::Stage& stage = pipeline.next(latency_cycles);    // where it is not full()
//   stage.entry = ..., stage.ready = ...; pipeline.pushed(stage);
//   if (pipeline.front_ready() <= now) serve(pipeline.front().entry), pipeline.pop();
//
// A head that cannot be served yet holds up the requests behind it.
#pragma once

#include <vector>

#include "memory/cache/miss_table.h"

namespace duet::memory {

class LookupPipeline {
 public:
  struct Stage {
    CacheEntry entry;
    Picoseconds ready;
  };

  std::size_t size() const { return size_; }
  bool full(std::size_t depth) const { return size_ == depth; }
  // kNever where there is no request.
  Picoseconds front_ready() const { return front_ready_; }
  Stage& front() { return stages_[head_]; }
  const Stage& front() const { return stages_[head_]; }

  // The stage behind the last one. The caller fills it in, and calls pushed().
  Stage& next(std::size_t depth) {
    if (stages_.empty()) stages_.resize(depth);
    std::size_t tail = head_ + size_;
    if (tail >= depth) tail -= depth;
    return stages_[tail];
  }
  // Whether it is the first one.
  bool pushed(const Stage& stage) {
    if (size_++ != 0) return false;
    front_ready_ = stage.ready;
    return true;
  }
  void pop() {
    if (++head_ == stages_.size()) head_ = 0;
    front_ready_ = --size_ == 0 ? kNever : stages_[head_].ready;
  }

 private:
  std::vector<Stage> stages_;
  std::size_t head_ = 0, size_ = 0;
  Picoseconds front_ready_ = kNever;
};

}  // namespace duet::memory
