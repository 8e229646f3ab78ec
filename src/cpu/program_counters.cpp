#include "cpu/program_counters.h"

#include <array>

namespace duet::cpu {

namespace {

using Event = sim::Counter CoreStatistics::*;
using S = CoreStatistics;

constexpr unsigned kFirst = 3;
// From hpmcounter3 on. Where several are named, their sum.
constexpr std::array<std::array<Event, 3>, 21> kEvents = {{
    {&S::branches},
    {&S::mispredictions},
    {&S::loads},
    {&S::stores},
    {&S::atomics},
    {&S::l1_hits},
    {&S::l1_misses},
    {&S::instruction_misses},
    {&S::l2_hits},
    {&S::l3_hits, &S::lines_from_memory, &S::lines_from_cores},
    {&S::l3_hits},
    {&S::lines_from_memory},
    {&S::lines_from_cores},
    {&S::upgrades},
    {&S::requests},
    {&S::prefetches},
    {&S::prefetches_used},
    {&S::squashed},
    {&S::data_tlb_misses},
    {&S::instruction_tlb_misses},
    {&S::page_walks},
}};

}  // namespace

std::uint64_t program_counter(const CoreStatistics& statistics, unsigned number) {
  if (number < kFirst || number - kFirst >= kEvents.size()) return 0;
  std::uint64_t sum = 0;
  for (const Event event : kEvents[number - kFirst])
    if (event != nullptr) sum += statistics.*event;
  return sum;
}

}  // namespace duet::cpu
