// The L1 instruction cache of an SM: tags with LRU replacement. Code never changes while a kernel runs and
// its bytes are in the micro-ops, so no data is kept; a miss fetches the line from L2 like any other read.
// Source: hu2016 §2 (instruction buffer and cache of an SM). Left out: prefetching of the next line.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "config/machine.h"
#include "memory/channel.h"
#include "sim/statistics.h"

namespace duet::gpu {

struct InstructionCacheStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter hits{*this, "instruction_hits", "fetches",
                    "L1 instruction cache: fetches that found their line"};
  sim::Counter misses{*this, "instruction_misses", "lines", "L1 instruction cache: lines fetched"};
};

class InstructionCache {
 public:
  struct Ports {
    memory::Channel* to_memory = nullptr;
    sim::Queue<memory::Packet>* from_memory = nullptr;
    std::uint16_t number = 0;                                      // of this end of the interconnect
    std::function<std::uint16_t(PhysicalAddress)> destination_of;  // of a physical address
  };
  InstructionCache(const config::Cache& config, std::uint16_t sm_number, memory::RequestPool& pool);
  void connect(const Ports& ports) { ports_ = ports; }

  Bytes line_bytes() const { return config_.line_bytes; }
  // Whether the line of this address is there. When it is not, it is fetched if there is room for one more
  // miss; ask again when a line has arrived.
  bool lookup(Picoseconds now, PhysicalAddress address) {
    const std::uint64_t line = address >> line_shift_;
    Line* const set = set_of(line);
    for (Line* way = set; way != set + config_.ways; ++way) {
      if (!way->valid || way->tag != line) continue;
      way->used = ++clock_;
      ++statistics_.hits;
      return true;
    }
    miss(now, line);
    return false;
  }
  // Takes lines that arrived; true when one did.
  bool receive(Picoseconds now);
  // When the next line arrives, of those that are on their last way; kNever: not known.
  Picoseconds next_arrival(Picoseconds now) const { return ports_.from_memory->next_arrival(now); }
  bool waiting() const { return !missing_.empty(); }

  InstructionCacheStatistics& statistics() { return statistics_; }

 private:
  struct Line {
    std::uint64_t tag = 0;
    std::uint64_t used = 0;
    bool valid = false;
  };
  void miss(Picoseconds now, std::uint64_t line);
  Line* set_of(std::uint64_t line) {
    return &lines_[(sets_mask_ != 0 ? line & sets_mask_ : line % config_.sets) * config_.ways];
  }

  config::Cache config_;
  unsigned line_shift_;
  std::uint64_t sets_mask_;  // of a number of sets that is a power of two; 0: none
  std::uint16_t sm_number_;
  memory::RequestPool pool_;
  Ports ports_;
  std::vector<Line> lines_;
  std::vector<std::uint64_t> missing_;  // lines on their way
  std::uint64_t clock_ = 0;
  InstructionCacheStatistics statistics_{"sm."};
};

}  // namespace duet::gpu
