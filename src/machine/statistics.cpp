#include "machine/statistics.h"

#include <iterator>

namespace duet::machine {

namespace {

struct Source {
  const gpu::SmStatistics& sm;
  const MemorySystem::Statistics& memory;
};
struct Declared {
  Statistic statistic;
  std::uint64_t (*value)(const Source&);
};

const Declared kStatistics[] = {
    {{"sm.warp_instructions", "instructions", "machine instructions issued, per warp"},
     [](const Source& s) { return s.sm.warp_instructions; }},
    {{"sm.memory_transactions", "requests", "requests of load-store units to L1"},
     [](const Source& s) { return s.sm.memory_transactions; }},
    {{"sm.shared_conflict_cycles", "cycles", "shared memory: passes beyond the first of an access"},
     [](const Source& s) { return s.sm.shared_conflict_cycles; }},
    {{"sm.register_conflict_cycles", "cycles", "operand collection: waits for a register bank"},
     [](const Source& s) { return s.sm.register_conflict_cycles; }},
    {{"sm.instruction_misses", "lines", "L1 instruction cache: lines fetched"},
     [](const Source& s) { return s.sm.instruction_misses; }},
    {{"l1.read_hits", "requests", "L1: reads answered from the cache"},
     [](const Source& s) { return s.memory.l1.read_hits; }},
    {{"l1.read_misses", "requests", "L1: reads for which bytes were fetched"},
     [](const Source& s) { return s.memory.l1.read_misses; }},
    {{"l1.read_merges", "requests", "L1: reads that joined a fetch on its way"},
     [](const Source& s) { return s.memory.l1.read_merges; }},
    {{"l1.passed", "requests", "L1: writes, atomics and uncached reads that went below"},
     [](const Source& s) { return s.memory.l1.passed; }},
    {{"l1.stalls", "cycles", "L1: lookups held up by MSHRs, ways or the queue below"},
     [](const Source& s) {
       const auto& c = s.memory.l1;
       return c.stalls_mshr + c.stalls_target + c.stalls_way + c.stalls_below;
     }},
    {{"constant_cache.read_hits", "requests", "constant cache: hits"},
     [](const Source& s) { return s.memory.constant_cache.read_hits; }},
    {{"constant_cache.read_misses", "requests", "constant cache: misses"},
     [](const Source& s) { return s.memory.constant_cache.read_misses; }},
    {{"l2.read_hits", "requests", "L2: reads answered from the cache"},
     [](const Source& s) { return s.memory.l2.read_hits; }},
    {{"l2.read_misses", "requests", "L2: reads for which bytes were fetched"},
     [](const Source& s) { return s.memory.l2.read_misses; }},
    {{"l2.read_merges", "requests", "L2: reads that joined a fetch on its way"},
     [](const Source& s) { return s.memory.l2.read_merges; }},
    {{"l2.write_hits", "requests", "L2: writes to a line that is held"},
     [](const Source& s) { return s.memory.l2.write_hits; }},
    {{"l2.write_misses", "requests", "L2: writes that took a line"},
     [](const Source& s) { return s.memory.l2.write_misses; }},
    {{"l2.atomics", "requests", "L2: atomics performed"},
     [](const Source& s) { return s.memory.l2.atomics; }},
    {{"l2.write_backs", "requests", "L2: lines written to DRAM"},
     [](const Source& s) { return s.memory.l2.write_backs; }},
    {{"l2.stalls", "cycles", "L2: lookups held up by MSHRs, ways or the queue below"},
     [](const Source& s) {
       const auto& c = s.memory.l2;
       return c.stalls_mshr + c.stalls_target + c.stalls_way + c.stalls_below;
     }},
    {{"interconnect.request_flits", "cycles", "interconnect to memory: cycles of its ports"},
     [](const Source& s) { return s.memory.requests.flits; }},
    {{"interconnect.response_flits", "cycles", "interconnect to SMs: cycles of its ports"},
     [](const Source& s) { return s.memory.responses.flits; }},
    {{"dram.reads", "requests", "DRAM: reads"}, [](const Source& s) { return s.memory.dram.reads; }},
    {{"dram.writes", "requests", "DRAM: writes"}, [](const Source& s) { return s.memory.dram.writes; }},
    {{"dram.row_hits", "requests", "DRAM: requests to an open row"},
     [](const Source& s) { return s.memory.dram.row_hits; }},
    {{"dram.row_misses", "requests", "DRAM: requests to a closed bank"},
     [](const Source& s) { return s.memory.dram.row_misses; }},
    {{"dram.row_conflicts", "requests", "DRAM: requests that closed another row"},
     [](const Source& s) { return s.memory.dram.row_conflicts; }},
    {{"dram.activates", "commands", "DRAM: rows opened"},
     [](const Source& s) { return s.memory.dram.activates; }},
    {{"dram.refreshes", "commands", "DRAM: all-bank refreshes"},
     [](const Source& s) { return s.memory.dram.refreshes; }},
    {{"full_empty.triggered", "requests", "tracked memory: requests with a trigger"},
     [](const Source& s) { return s.memory.full_empty.triggered; }},
    {{"full_empty.waited", "requests", "tracked memory: requests whose trigger was not satisfied on arrival"},
     [](const Source& s) { return s.memory.full_empty.waited; }},
    {{"full_empty.wait_cycles", "tCK",
      "tracked memory: sum of the waits of triggered requests at the controllers"},
     [](const Source& s) { return s.memory.full_empty.wait_cycles; }},
    {{"full_empty.most_waiting", "requests",
      "tracked memory: most entries of a controller's queue in use at once"},
     [](const Source& s) { return s.memory.full_empty.most_waiting; }},
    {{"full_empty.fills", "requests", "tracked memory: requests that filled"},
     [](const Source& s) { return s.memory.full_empty.fills; }},
    {{"full_empty.empties", "requests", "tracked memory: requests that emptied"},
     [](const Source& s) { return s.memory.full_empty.empties; }},
    {{"full_empty.narrow_stores", "requests", "tracked memory: fills of a part of a word"},
     [](const Source& s) { return s.memory.full_empty.narrow_stores; }},
    {{"full_empty.released", "requests", "tracked memory: waiting requests that an override let go"},
     [](const Source& s) { return s.memory.full_empty.released; }},
    {{"full_empty.nacks", "refusals", "tracked memory: requests sent back after gpu.full_empty.nack_cycles"},
     [](const Source& s) { return s.memory.full_empty.nacks; }},
    {{"full_empty.atomics", "requests", "tracked memory: atomics, performed at the controllers"},
     [](const Source& s) { return s.memory.full_empty.atomics; }},
    {{"full_empty.waiting", "requests", "tracked memory: requests that wait in the controllers' queues",
      true},
     [](const Source& s) { return s.memory.full_empty_waiting; }},
    {{"l1.registers_held", "registers", "L1: miss-status holding registers in use", true},
     [](const Source& s) { return s.memory.l1_registers_held; }},
    {{"l1.held_up", "caches", "L1: caches whose next request cannot be looked up", true},
     [](const Source& s) { return s.memory.l1_held_up; }},
    {{"dram.data_bus_busy_cycles", "tCK", "DRAM: cycles with data on the bus, all channels"},
     [](const Source& s) { return s.memory.dram.data_bus_busy_cycles; }},
};

}  // namespace

std::vector<StatisticValue> statistic_values(const gpu::SmStatistics& sms,
                                             const MemorySystem::Statistics& memory) {
  std::vector<StatisticValue> values;
  const Source source{sms, memory};
  for (const Declared& declared : kStatistics)
    values.push_back({&declared.statistic, declared.value(source)});
  return values;
}

std::vector<Statistic> statistics_declared() {
  std::vector<Statistic> all;
  for (const Declared& declared : kStatistics) all.push_back(declared.statistic);
  return all;
}

}  // namespace duet::machine
