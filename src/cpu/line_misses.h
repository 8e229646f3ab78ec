// The lines that a core has asked the directory for: its miss status holding registers (Kroft, ISCA 1981).
//
//   LineMiss* miss = misses.find(line);
//   if (miss == nullptr) miss = &misses.ask(line, false, cycle);   // sends GetShared in `cycle`
//   misses.for_data(*miss);                                        // a load waits for it
//   const LineMiss done = misses.take(line);                       // it has been granted
//
// Guarantee: a line has one miss. Loads, stores and walks take the entries of L1 (data_count()).
#pragma once

#include <vector>

#include "cpu/core_statistics.h"
#include "cpu/directory_port.h"
#include "cpu/private_cache.h"

namespace duet::cpu {

struct LineMiss {
  std::uint64_t line = PrivateLine::kNone;
  bool exclusive = false;
  bool data = false, fetch = false, prefetch = false;  // for loads, stores and walks; and so on
  std::vector<std::uint64_t> loads;
};

class LineMisses {
 public:
  LineMisses(DirectoryPort& port, CoreStatistics& statistics) : port_(port), statistics_(statistics) {}

  // Null: it is not on its way.
  LineMiss* find(std::uint64_t line) {
    for (LineMiss& miss : misses_)
      if (miss.line == line) return &miss;
    return nullptr;
  }
  LineMiss& ask(std::uint64_t line, bool exclusive, Cycle cycle);
  void for_data(LineMiss& miss) {
    if (!miss.data) ++data_;
    miss.data = true;
  }
  LineMiss take(std::uint64_t line);
  bool is_empty() const { return misses_.empty(); }
  std::size_t count() const { return misses_.size(); }
  unsigned data_count() const { return data_; }
  // Loads from number `next` on are squashed.
  void forget_loads(std::uint64_t next) {
    for (LineMiss& miss : misses_)
      std::erase_if(miss.loads, [next](std::uint64_t sequence) { return sequence >= next; });
  }

 private:
  DirectoryPort& port_;
  CoreStatistics& statistics_;
  std::vector<LineMiss> misses_;
  unsigned data_ = 0;
};

}  // namespace duet::cpu
