// The L1 instruction cache of an SM: tags with LRU replacement. Code never changes while a kernel runs and
// its bytes are in the micro-ops, so no data is kept; a miss fetches the line from L2 like any other read.
//
//     code of 100 lines, prefetch_lines = 16: line 0 misses, lines 1 to 16 are fetched after it, one a cycle;
//     the first use of line 1 fetches line 17
//
// Sources: hu2016 §2 (instruction buffer and cache of an SM); Huerta et al., "Analyzing Modern NVIDIA GPU
// cores", MICRO 2025, §5.2, (a stream buffer of 16 lines); Smith, "Cache Memories", 1982, §2.1, for the tag
// of a prefetched line without a use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "config/machine.h"
#include "memory/channel.h"
#include "memory/destinations.h"
#include "sim/statistics.h"

namespace duet::gpu {

struct InstructionCacheStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter hits{*this, "instruction_hits", "fetches",
                    "L1 instruction cache: fetches that found their line"};
  sim::Counter misses{*this, "instruction_misses", "lines", "L1 instruction cache: lines fetched"};
  sim::Counter prefetches{*this, "instruction_prefetches", "lines",
                          "L1 instruction cache: lines fetched before anybody wanted them"};
};

class InstructionCache {
 public:
  struct Ports {
    memory::Channel* to_memory = nullptr;
    sim::Queue<memory::Packet>* from_memory = nullptr;
    std::uint16_t number = 0;  // of this end of the interconnect
    const memory::Destinations* destinations = nullptr;
  };
  InstructionCache(const config::Cache& config, std::uint16_t sm_number, memory::RequestPool& pool);
  void connect(const Ports& ports) { ports_ = ports; }

  Bytes line_bytes() const { return config_.line_bytes; }
  // Whether the line of this address is there. When it is not, it is fetched if there is room for one more
  // miss; ask again when a line has arrived. Nothing is prefetched from `code_end` on.
  bool lookup(Picoseconds now, PhysicalAddress address, PhysicalAddress code_end) {
    const std::uint64_t line = address >> line_shift_;
    Line* const set = set_of(line);
    for (Line* way = set; way != set + config_.ways; ++way) {
      if (!way->valid || way->tag != line) continue;
      way->used = ++clock_;
      ++statistics_.hits;
      if (way->prefetched) [[unlikely]] {
        way->prefetched = false;
        look_ahead(line, code_end);
      }
      return true;
    }
    miss(now, line, code_end);
    return false;
  }
  // Takes arrived lines; true when there was one.
  bool receive(Picoseconds now);
  // The arrival of the next line on its last way; kNever: not known.
  Picoseconds next_arrival(Picoseconds now) const { return ports_.from_memory->next_arrival(now); }
  bool waiting() const { return !missing_.empty(); }
  // Whether a line can be asked for ahead, and asking for one: in a cycle at most one is.
  bool prefetching() const { return ahead_ != ahead_end_ && missing_.size() < config_.mshrs; }
  void prefetch(Picoseconds now);

  // Outside simulated time: this code is held as if it had been fetched just now.
  void warm(PhysicalAddress code, Bytes bytes);

  InstructionCacheStatistics& statistics() { return statistics_; }

 private:
  struct Line {
    std::uint64_t tag = 0;
    std::uint64_t used = 0;
    bool valid = false;
    bool prefetched = false;  // and not wanted yet
  };
  struct Missing {
    std::uint64_t line;
    bool prefetched;
  };
  void miss(Picoseconds now, std::uint64_t line, PhysicalAddress code_end);
  void ask(Picoseconds now, std::uint64_t line);
  void look_ahead(std::uint64_t line, PhysicalAddress code_end) {
    ahead_ = line + 1;
    ahead_end_ = std::max(
        ahead_, std::min(ahead_ + config_.prefetch_lines, ((code_end.value() - 1) >> line_shift_) + 1));
  }
  auto on_its_way(std::uint64_t line) {
    return std::find_if(missing_.begin(), missing_.end(),
                        [line](const Missing& m) { return m.line == line; });
  }
  Line* set_of(std::uint64_t line) {
    return &lines_[(sets_mask_ != 0 ? line & sets_mask_ : line % config_.sets) * config_.ways];
  }

  config::Cache config_;
  unsigned line_shift_;
  std::uint64_t sets_mask_;  // of a power of two of sets; 0: another number
  std::uint16_t sm_number_;
  memory::RequestPool pool_;
  Ports ports_;
  std::vector<Line> lines_;
  std::vector<Missing> missing_;             // lines on their way
  std::uint64_t ahead_ = 0, ahead_end_ = 0;  // lines to ask for ahead
  std::uint64_t clock_ = 0;
  InstructionCacheStatistics statistics_{"sm."};
};

}  // namespace duet::gpu
