// The keys of simulated processors: cores, their private caches, the shared parts.
#include "config/fields.h"

namespace duet::config {

namespace {

void add_unit(std::vector<Field>& fields, const std::string& prefix, Cpu::Unit& unit) {
  const std::vector<Field> own{
      {prefix + ".count", &unit.count, 1u, 64u, "units", "of this kind"},
      {prefix + ".latency_cycles", &unit.latency_cycles, 1u, 1000u, "cycles",
       "from an operation's start until others can use its result"},
      {prefix + ".interval_cycles", &unit.interval_cycles, 1u, 1000u, "cycles",
       "between the starts of two operations on one unit"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

void add_private_cache(std::vector<Field>& fields, const std::string& prefix, Cpu::Cache& cache,
                       std::uint64_t least_sets) {
  const std::vector<Field> own{
      {prefix + ".sets", &cache.sets, least_sets, 65536u, "",
       least_sets == 0 ? "sets, a power of two; 0: there is no such cache" : "sets; a power of two"},
      {prefix + ".ways", &cache.ways, 1u, 64u, "lines", "of a set"},
      {prefix + ".latency_cycles", &cache.latency_cycles, 1u, 1000u, "cycles",
       "from the lookup to the first use of the data; adds to that of the cache above"},
      {prefix + ".misses", &cache.misses, 1u, 1024u, "lines", "on their way to it"},
      {prefix + ".prefetcher", &cache.prefetcher, 0u, 0u, "", "what brings lines before they are asked for",
       kPrefetchers},
      {prefix + ".prefetch_lines", &cache.prefetch_lines, 1u, 64u, "lines",
       "that the prefetcher asks for at a time"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

void add_core(std::vector<Field>& fields, Cpu& cpu) {
  const std::vector<Field> own{
      {"cpu.name", &cpu.name, 0u, 0u, "", "simulated processor"},
      {"cpu.cores", &cpu.cores, 1u, 64u, "", "cores"},
      {"cpu.clock_khz", &cpu.clock_khz, 1u, 10000000u, "kHz", "clock of the cores and of what they share"},
      {"cpu.fetch_width", &cpu.fetch_width, 1u, 16u, "instructions/cycle", "of one line, to a taken branch"},
      {"cpu.dispatch_width", &cpu.dispatch_width, 1u, 16u, "instructions/cycle", "into the window"},
      {"cpu.issue_width", &cpu.issue_width, 1u, 32u, "operations/cycle", "to all units together"},
      {"cpu.retire_width", &cpu.retire_width, 1u, 32u, "instructions/cycle", "out of the window, in order"},
      {"cpu.front_end_cycles", &cpu.front_end_cycles, 1u, 100u, "cycles", "from fetch to dispatch"},
      {"cpu.redirect_cycles", &cpu.redirect_cycles, 0u, 100u, "cycles",
       "from a mispredicted branch's execution to the fetch of the right instruction"},
      {"cpu.late_target_cycles", &cpu.late_target_cycles, 0u, 100u, "cycles",
       "of fetch, lost where a taken branch's target is known at its decoding only"},
      {"cpu.rob_entries", &cpu.rob_entries, 1u, 1024u, "instructions", "reorder buffer"},
      {"cpu.scheduler_entries", &cpu.scheduler_entries, 1u, 1024u, "instructions",
       "dispatched and not yet started"},
      {"cpu.load_entries", &cpu.load_entries, 1u, 512u, "loads", "from dispatch to retirement"},
      {"cpu.store_entries", &cpu.store_entries, 1u, 512u, "stores", "from dispatch until they are in L1"},
      {"cpu.predictor.table_entries", &cpu.predictor.table_entries, 1u, 1048576u, "",
       "of the bimodal, the gshare and the choosing table each"},
      {"cpu.predictor.history_bits", &cpu.predictor.history_bits, 0u, 32u, "branches", "of gshare's history"},
      {"cpu.predictor.target_entries", &cpu.predictor.target_entries, 1u, 1048576u, "",
       "branch target buffer"},
      {"cpu.predictor.return_entries", &cpu.predictor.return_entries, 1u, 1024u, "", "return address stack"},
      {"cpu.load_ports", &cpu.load_ports, 1u, 16u, "loads/cycle", "that may start"},
      {"cpu.store_ports", &cpu.store_ports, 1u, 16u, "stores/cycle", "whose address may be computed"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

void add_tlb(std::vector<Field>& fields, Cpu::Tlb& tlb) {
  const std::vector<Field> own{
      {"cpu.tlb.instruction_entries", &tlb.instruction_entries, 0u, 65536u, "pages",
       "translations of fetches; 0: they take no time"},
      {"cpu.tlb.data_entries", &tlb.data_entries, 0u, 65536u, "pages",
       "translations of loads and stores; 0: they take no time"},
      {"cpu.tlb.ways", &tlb.ways, 1u, 1024u, "pages", "of a set, of both"},
      {"cpu.tlb.l2_entries", &tlb.l2_entries, 0u, 65536u, "pages",
       "translations behind both; 0: there is no second level"},
      {"cpu.tlb.l2_ways", &tlb.l2_ways, 1u, 1024u, "pages", "of a set of the second level"},
      {"cpu.tlb.l2_latency_cycles", &tlb.l2_latency_cycles, 1u, 1000u, "cycles",
       "added where the second level has it; before a walk too"},
      {"cpu.tlb.walk_cache_entries", &tlb.walk_cache_entries, 0u, 65536u, "tables",
       "of the last level of page tables, that a walk finds without reading the others"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

void add_shared(std::vector<Field>& fields, Cpu& cpu) {
  const std::vector<Field> own{
      {"cpu.line_bytes", &cpu.line_bytes, 32u, 128u, "B", "one line of all caches; a power of two"},
      {"cpu.store_prefetches", &cpu.store_prefetches, 0u, 64u, "lines",
       "that retired stores ask for before it is their turn"},
      {"cpu.write_combining.buffers", &cpu.write_combining.buffers, 1u, 64u, "buffers",
       "for stores to uncached pages"},
      {"cpu.write_combining.bytes", &cpu.write_combining.bytes, 8u, 128u, "B",
       "of a buffer; a power of two, a line at most"},
      {"cpu.write_combining.idle_cycles", &cpu.write_combining.idle_cycles, 1u, kCycles, "cycles",
       "without a store to a buffer, after which it is written to memory"},
      {"cpu.to_directory_cycles", &cpu.to_directory_cycles, 1u, 10000u, "cycles",
       "of a message from a core's caches to the directory"},
      {"cpu.from_directory_cycles", &cpu.from_directory_cycles, 1u, 10000u, "cycles",
       "of a message from the directory to a core's caches"},
      {"cpu.l3.sets", &cpu.l3.sets, 0u, 65536u, "",
       "of the cache below the directory, a power of two; 0: there is none"},
      {"cpu.l3.ways", &cpu.l3.ways, 1u, 64u, "lines", "of a set"},
      {"cpu.l3.latency_cycles", &cpu.l3.latency_cycles, 1u, kCycles, "cycles", "from arrival to lookup"},
      {"cpu.l3.mshrs", &cpu.l3.mshrs, 1u, 1024u, "lines", "on their way to it"},
      {"cpu.system_call_cycles", &cpu.system_call_cycles, 0u, kCycles, "cycles", "of any system call"},
      {"cpu.context_switch_cycles", &cpu.context_switch_cycles, 0u, kCycles, "cycles",
       "when a core goes on with another thread"},
      {"cpu.time_slice_us", &cpu.time_slice_us, 1u, 1000000u, "us",
       "after which a thread makes room for one that waits for a core"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

}  // namespace

void add_cpu(std::vector<Field>& fields, Cpu& cpu) {
  add_core(fields, cpu);
  add_unit(fields, "cpu.integer", cpu.integer);
  add_unit(fields, "cpu.multiply", cpu.multiply);
  add_unit(fields, "cpu.divide", cpu.divide);
  add_unit(fields, "cpu.branch", cpu.branch);
  add_unit(fields, "cpu.float_add", cpu.float_add);
  add_unit(fields, "cpu.float_multiply", cpu.float_multiply);
  add_unit(fields, "cpu.float_fused", cpu.float_fused);
  add_unit(fields, "cpu.float_divide", cpu.float_divide);
  add_unit(fields, "cpu.float_square_root", cpu.float_square_root);
  add_unit(fields, "cpu.float_move", cpu.float_move);
  add_unit(fields, "cpu.float_convert", cpu.float_convert);
  add_private_cache(fields, "cpu.instruction_cache", cpu.instruction_cache, 1);
  add_private_cache(fields, "cpu.l1", cpu.l1, 1);
  add_private_cache(fields, "cpu.l2", cpu.l2, 0);
  add_tlb(fields, cpu.tlb);
  add_shared(fields, cpu);
}

}  // namespace duet::config
