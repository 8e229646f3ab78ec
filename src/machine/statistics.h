// The statistics of a timed machine. Each is declared once, in statistics.cpp, with name, unit and
// description; stats.json and the documentation's table follow from that.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/sm/sm.h"
#include "machine/memory_system.h"

namespace duet::machine {

struct Statistic {
  const char* name;  // "l2.read_hits"
  const char* unit;
  const char* description;
  // Counted since the run began; or a state, "held now", which only the moment of a mark has.
  bool state = false;
};
struct StatisticValue {
  const Statistic* statistic;
  std::uint64_t value;
};

// Of all SMs together and of the memory system.
std::vector<StatisticValue> statistic_values(const gpu::SmStatistics& sms,
                                             const MemorySystem::Statistics& memory);
// All that there are, in the order of their values.
std::vector<Statistic> statistics_declared();

}  // namespace duet::machine
