// The use of a level of cache shared by cores and GPU: how often the GPU finds its lines there, and the fate
// of the cores' lines (yang2012 figures 11 and 12).
//
// A line is the cores' when a request of theirs brought it. The GPU uses it when one of its requests finds it
// there, or joins it on its way. Left out: the last user of a line; lines brought by the GPU and used by
// cores.
#pragma once

#include <string>
#include <unordered_set>

#include "memory/cache/cache_observer.h"
#include "sim/engine.h"
#include "sim/statistics.h"

namespace duet::machine {

class SharedLevelUse final : public memory::CacheObserver {
 public:
  // Its statistics are `owner`'s, under the level's prefix ("l3.").
  SharedLevelUse(sim::Component& owner, const std::string& prefix) : statistics_(owner, prefix) {}

  void observe(const memory::CacheEvent& event) override;

 private:
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter gpu_read_hits{*this, "gpu_read_hits", "requests", "reads of the GPU that found their bytes"};
    sim::Counter gpu_read_merges{*this, "gpu_read_merges", "requests",
                                 "reads of the GPU that joined a line on its way"};
    sim::Counter gpu_read_misses{*this, "gpu_read_misses", "requests",
                                 "reads of the GPU whose bytes were fetched"};
    sim::Counter processor_fills{*this, "processor_fills", "lines", "that the processor's cores brought"};
    sim::Counter processor_fills_used{*this, "processor_fills_used", "lines",
                                      "of these: that the GPU then read or wrote, while they were there or "
                                      "on their way"};
    sim::Counter processor_fills_unused{*this, "processor_fills_unused", "lines",
                                        "of these: that went before it did"};
  };

  Statistics statistics_;
  std::unordered_set<std::uint64_t> unused_;  // lines that cores brought
};

}  // namespace duet::machine
