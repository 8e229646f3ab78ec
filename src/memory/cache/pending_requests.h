// The requests of a cache that holds its pending ones in a pool (pending_pool.h), and those among them that
// could not be served at their lookup: they stand aside, and later requests of other lines are looked up.
//
//   if (aside.has(line)) ...                  // an older request of this line stands here: come behind it
//   aside.add(entry, line, cause);
//   for (i < aside.size()) if (aside[i].may_try()) ...;  aside.remove(i);
//
// Requests of one line keep their order: of each line only the oldest may be tried.
#pragma once

#include <algorithm>
#include <vector>

#include "memory/cache/miss_table.h"
#include "memory/cache/pending_pool.h"

namespace duet::memory {

class PendingRequests {
 public:
  enum class Cause : std::uint8_t { Below, Other };
  struct Aside {
    CacheEntry entry;
    PhysicalAddress line;
    Cause cause = Cause::Other;
    bool behind = false;  // an older request of its line
  };

  PendingRequests(PendingPool& pool, sim::Component& slice) : pool_(pool), slice_(pool.add(slice)) {}

  Outcome room(Picoseconds now) { return pool_.room(now, slice_); }
  // From now on the request has an entry of the pool.
  void take(Picoseconds now, CacheEntry& entry) {
    if (!entry.pending) pool_.take(now, slice_);
    entry.pending = true;
  }
  void give_back(Picoseconds now) { pool_.give_back(now); }

  bool has(PhysicalAddress line) const {
    return std::any_of(aside_.begin(), aside_.end(), [&](const Aside& one) { return one.line == line; });
  }
  std::size_t size() const { return aside_.size(); }
  Aside& operator[](std::size_t index) { return aside_[index]; }
  void add(const CacheEntry& entry, PhysicalAddress line, Cause cause) {
    aside_.push_back({entry, line, cause, has(line)});
  }
  void remove(std::size_t index) {
    const PhysicalAddress line = aside_[index].line;
    const auto next = aside_.erase(aside_.begin() + static_cast<std::ptrdiff_t>(index));
    const auto follower =
        std::find_if(next, aside_.end(), [&](const Aside& one) { return one.line == line; });
    if (follower != aside_.end()) follower->behind = false;
  }

 private:
  PendingPool& pool_;
  unsigned slice_;
  std::vector<Aside> aside_;  // oldest first
};

}  // namespace duet::memory
