// The prefetcher of a core's outermost private cache: its configuration says which lines are asked for in
// advance.
//
//   "next-line"   after(line, cycle): the following lines of the page, when one was asked for
//   "stream"      access(line, cycle): ahead of a stream of accesses (stream_detector.h)
//
// Guarantees: no line is asked for twice, none beyond the page, and none where the cache has no room for
// another miss. Lines stay in the outermost private cache until they are used.
#pragma once

#include "cpu/line_misses.h"
#include "cpu/private_caches.h"
#include "cpu/stream_detector.h"

namespace duet::cpu {

class LinePrefetcher {
 public:
  // `outermost` outlives it.
  LinePrefetcher(const config::Cpu::Cache& outermost, Bytes line_bytes, PrivateCaches& caches,
                 LineMisses& misses, CoreStatistics& statistics)
      : config_(outermost),
        line_bytes_(line_bytes),
        next_lines_(outermost.prefetcher == "next-line"),
        stream_(outermost.prefetcher == "stream"),
        caches_(caches),
        misses_(misses),
        statistics_(statistics) {}

  // After a request of the directory for the line.
  void after(std::uint64_t line, Cycle cycle);
  // After an access to the outermost private cache, hit or miss.
  void access(std::uint64_t line, Cycle cycle) {
    if (stream_) follow_stream(line, cycle);
  }

 private:
  void follow_stream(std::uint64_t line, Cycle cycle);
  bool prefetch(std::uint64_t line, Cycle cycle);

  const config::Cpu::Cache& config_;
  const Bytes line_bytes_;
  const bool next_lines_, stream_;
  PrivateCaches& caches_;
  LineMisses& misses_;
  CoreStatistics& statistics_;
  StreamDetector streams_;
};

}  // namespace duet::cpu
