// Predicts the lines that the warps of an SM will load next. A table has, for a load instruction (its PC) and
// a warp, the address of its last execution and the stride from the one before; when the stride has been the
// same often enough, an execution asks for the lines `distance` strides ahead of its own. Warps have entries
// of their own, so how they are interleaved does not hide the stride of any of them. The address of an
// execution is its first request's first byte; its other requests ask for lines at the same stride. Source:
// Lee, Lakshminarayana, Kim and Vuduc, MICRO 2010 (stride prefetching by PC with warp ids); not their
// prefetching for other warps, nor their throttle.
//
// It watches a cache, in physical addresses: pages of an allocation follow each other. It keeps a queue of
// wanted lines. The cache takes from the queue when it has no request to look up (cache_prefetch.cpp):
//
//   cache.prefetch_by(config.l1_prefetch, memory);     // the cache makes it, and it counts as l1_prefetch.*
#pragma once

#include <deque>
#include <unordered_set>
#include <vector>

#include "config/machine.h"
#include "memory/cache/cache_observer.h"
#include "memory/physical/physical_memory.h"
#include "sim/statistics.h"

namespace duet::memory {

// Issued prefetches outside the next three counters were still in the queue when the run ended.
struct PrefetchStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter issued{*this, "issued", "fetches", "lines fetched before a load asked for them"};
  sim::Counter used{*this, "used", "fetches", "of these, lines that a load found"};
  sim::Counter late{*this, "late", "fetches", "of these, lines on their way when the first load asked"};
  sim::Counter useless{*this, "useless", "fetches", "of these, lines given up before a load asked"};
  sim::Counter dropped{*this, "dropped", "lines", "wanted, but not fetched: no register, way or room"};
};

class StridePrefetcher final : public CacheObserver {
 public:
  struct Wanted {
    PhysicalAddress line;
    CacheEvent by;  // whose load it is for
  };
  // Throws duet::Error, in the name of `owner`, when the table cannot be built.
  StridePrefetcher(const config::StridePrefetch& config, const PhysicalMemory& memory, unsigned line_bytes,
                   sim::Component& component);

  void observe(const CacheEvent& event) override;

  // The wanted lines, oldest first. The cache calls one of the functions below for each.
  bool wants() const { return !wanted_.empty(); }
  const Wanted& next() const { return wanted_.front(); }
  void is_held() { wanted_.pop_front(); }
  void is_sent();
  void has_no_room();
  void has_no_room_for_any();

 private:
  struct Entry {
    std::uint32_t pc = 0;
    std::uint16_t warp = 0;
    std::uint64_t last_use = 0;  // 0: free
    PhysicalAddress address;
    std::int64_t stride = 0;
    std::uint64_t seen = 0;  // so often in a row
  };
  Entry* find(std::uint32_t pc, std::uint16_t warp, bool take);
  void train(const CacheEvent& event);
  void want(const CacheEvent& event, PhysicalAddress address);

  const config::StridePrefetch config_;
  const PhysicalMemory& memory_;
  const unsigned line_bytes_;
  std::vector<Entry> entries_;  // set after set
  std::uint64_t uses_ = 0;
  std::deque<Wanted> wanted_;
  std::unordered_set<std::uint64_t> unseen_;  // fetched lines without a load so far
  PrefetchStatistics statistics_;
};

}  // namespace duet::memory
