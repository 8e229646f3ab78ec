// The keys of the timed GPU: SM pipelines, caches, interconnect, DRAM.
#include "config/fields.h"

namespace duet::config {

namespace {

void add_timing(std::vector<Field>& fields, const std::string& prefix, Sm::Timing& timing) {
  fields.push_back({prefix + ".latency_cycles", &timing.latency_cycles, 1u, kCycles, "core cycles",
                    "from the start of execution until a dependent instruction may issue"});
  fields.push_back({prefix + ".interval_cycles", &timing.interval_cycles, 1u, kCycles, "core cycles",
                    "between two warp instructions on one unit"});
}

// The keys of all caches.
void add_lines(std::vector<Field>& fields, const std::string& prefix, Cache& cache) {
  const std::vector<Field> own{
      {prefix + ".sets", &cache.sets, 1u, 65536u, "", "sets; a power of two"},
      {prefix + ".ways", &cache.ways, 1u, 1024u, "lines", "of a set"},
      {prefix + ".line_bytes", &cache.line_bytes, 32u, 128u, "B", "one line; a power of two"},
      {prefix + ".latency_cycles", &cache.latency_cycles, 1u, kCycles, "cycles", "from arrival to lookup"},
      {prefix + ".mshrs", &cache.mshrs, 1u, 65536u, "lines", "lines on their way"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

// The keys of caches with data, some of them read-only.
void add_read_cache(std::vector<Field>& fields, const std::string& prefix, Cache& cache) {
  add_lines(fields, prefix, cache);
  const std::vector<Field> own{
      {prefix + ".sector_bytes", &cache.sector_bytes, 32u, 128u, "B", "fetched by a miss; divides the line"},
      {prefix + ".mshr_targets", &cache.mshr_targets, 1u, 65536u, "requests",
       "requests that wait for one line"},
      {prefix + ".queue_entries", &cache.queue_entries, 1u, 65536u, "packets",
       "each queue at the ports, per class"},
      {prefix + ".hash_sets", &cache.hash_sets, 0u, 0u, "", "set index from all address bits"},
      {prefix + ".replacement", &cache.replacement, 0u, 0u, "",
       "which line goes: the least recently used, that of a tree of bits, or any", kReplacements},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

void add_cache(std::vector<Field>& fields, const std::string& prefix, Cache& cache) {
  add_read_cache(fields, prefix, cache);
  const std::vector<Field> own{
      {prefix + ".write_back", &cache.write_back, 0u, 0u, "", "write-back; otherwise write-through"},
      {prefix + ".write_allocate", &cache.write_allocate, 0u, 0u, "", "a write that misses takes a line"},
      {prefix + ".write_evict", &cache.write_evict, 0u, 0u, "",
       "write-through: a write that hits drops the bytes instead of updating them"},
      {prefix + ".atomic_words_per_cycle", &cache.atomic_words_per_cycle, 0u, 1024u, "words",
       "atomics at the coherence point; 0: none at this level"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

void add_fetch_on_write(std::vector<Field>& fields, const std::string& prefix, Cache& cache) {
  fields.push_back(
      {prefix + ".fetch_on_write", &cache.fetch_on_write, 0u, 0u, "",
       "a write waits for what is not held of its sectors, as a read does; copies and lines that "
       "are written back from above do not; needs a write_back cache and no full/empty bits"});
}

void add_atomic_conflicts(std::vector<Field>& fields, const std::string& prefix, Cache& cache) {
  fields.push_back({prefix + ".atomic_conflict_cycles", &cache.atomic_conflict_cycles, 1u, kCycles, "cycles",
                    "from an atomic to the next one of the same word"});
}

void add_prefetch(std::vector<Field>& fields, const std::string& prefix, StridePrefetch& own) {
  const std::vector<Field> all{
      {prefix + ".prefetcher", &own.prefetcher, 0u, 0u, "",
       "fetches ahead of loads: nothing, or what continues the strides of an instruction and a warp; "
       "needs no full/empty bits",
       kGpuPrefetchers},
      {prefix + ".prefetch_sets", &own.sets, 1u, 65536u, "",
       "sets of the table, which has an entry for each instruction and warp; a power of two"},
      {prefix + ".prefetch_ways", &own.ways, 1u, 1024u, "entries", "of a set"},
      {prefix + ".prefetch_confidence", &own.confidence, 1u, 1024u, "accesses",
       "equal strides in a row before anything is fetched"},
      {prefix + ".prefetch_distance", &own.distance, 1u, 1024u, "strides", "ahead of the load"},
      {prefix + ".prefetch_degree", &own.degree, 1u, 64u, "lines", "at a time, a stride apart"},
      {prefix + ".prefetch_queue", &own.queue_entries, 1u, 1024u, "lines",
       "that wait to be looked up; no more are wanted then"},
  };
  fields.insert(fields.end(), all.begin(), all.end());
}

void add_interconnect(std::vector<Field>& fields, const std::string& prefix, Interconnect& own) {
  const std::vector<Field> all{
      {prefix + ".clock_khz", &own.clock_khz, 1u, 10000000u, "kHz", "interconnect, and the caches below it"},
      {prefix + ".flit_bytes", &own.flit_bytes, 1u, 1024u, "B", "a port moves one a cycle"},
      {prefix + ".header_bytes", &own.header_bytes, 0u, 128u, "B", "of each packet"},
      {prefix + ".latency_cycles", &own.latency_cycles, 0u, kCycles, "interconnect cycles",
       "one way, besides serialization"},
      {prefix + ".queue_packets", &own.queue_packets, 1u, 65536u, "packets", "each port, per class"},
  };
  fields.insert(fields.end(), all.begin(), all.end());
}

void add_sm(std::vector<Field>& fields, Sm& sm) {
  const std::vector<Field> own{
      {"gpu.sm.scheduler", &sm.scheduler, 0u, 0u, "", "warp scheduling policy (gpu/sm/schedulers)"},
      {"gpu.sm.ptx_instructions", &sm.ptx_instructions, 0u, 0u, "",
       "an instruction of PTX that is not folded away is one of the SM; otherwise as many as the assembler "
       "makes"},
      {"gpu.sm.blocking_issue", &sm.blocking_issue, 0u, 0u, "",
       "a warp's next instruction waits until its last one has committed: a load its data are there, a store "
       "its requests are sent, another its latency is over; otherwise until its operands are there"},
      {"gpu.sm.commit_cycles", &sm.commit_cycles, 1u, 10000u, "core cycles",
       "with gpu.sm.blocking_issue, the least from an instruction of a warp to its next"},
      {"gpu.sm.instruction_bytes", &sm.instruction_bytes, 4u, 64u, "B", "size of a machine instruction"},
      {"gpu.sm.instruction_buffer", &sm.instruction_buffer, 1u, 64u, "instructions", "buffer of one warp"},
      {"gpu.sm.fetch_instructions", &sm.fetch_instructions, 1u, 64u, "instructions",
       "of one warp, in one cycle"},
      {"gpu.sm.decode_cycles", &sm.decode_cycles, 1u, kCycles, "core cycles",
       "from the instruction cache's answer to issue"},
      {"gpu.sm.sequence_interval_cycles", &sm.sequence_interval_cycles, 1u, kCycles, "core cycles",
       "between the parts of an operation that takes three or more machine instructions"},
      {"gpu.sm.register_banks", &sm.register_banks, 0u, 64u, "banks", "register file; 0: no bank conflicts"},
      {"gpu.sm.collector_units", &sm.collector_units, 1u, 64u, "", "operand collectors per execution unit"},
      {"gpu.sm.sp_units", &sm.sp_units, 1u, 16u, "units", "integer and single precision"},
      {"gpu.sm.sfu_units", &sm.sfu_units, 1u, 16u, "units", "special functions"},
      {"gpu.sm.dp_units", &sm.dp_units, 0u, 16u, "units", "double precision; 0: on the SFU path"},
      {"gpu.sm.int_units", &sm.int_units, 0u, 16u, "units",
       "integers, but multiplications; 0: on the SP path"},
      {"gpu.sm.load_store_queue", &sm.load_store_queue, 1u, 1024u, "instructions",
       "memory instructions between issue and their last request"},
      {"gpu.sm.pending_instructions", &sm.pending_instructions, 1u, 4096u, "instructions",
       "memory instructions that wait for answers"},
      {"gpu.sm.coalesced_threads", &sm.coalesced_threads, 0u, 64u, "threads",
       "of a warp, one after the other, that may share a request to global or local memory; a power of two "
       "from 8 to gpu.sm.warp_width; 0: all"},
      {"gpu.sm.memory_requests", &sm.memory_requests, 0u, 65536u, "requests",
       "of loads of global and local memory, and of atomics with results, that wait for answers; 0: any "
       "number"},
      {"gpu.sm.shared_latency_cycles", &sm.shared_latency_cycles, 1u, kCycles, "core cycles",
       "shared memory without conflicts, until a dependent instruction may issue"},
      {"gpu.sm.shared_pass_cycles", &sm.shared_pass_cycles, 1u, kCycles, "core cycles",
       "by which each pass beyond the first makes an access to shared memory later; the next access waits "
       "one"},
      {"gpu.sm.shared_banks", &sm.shared_banks, 0u, 64u, "banks", "of 4 bytes; 0: no conflicts"},
      {"gpu.sm.global_in_l1", &sm.global_in_l1, 0u, 0u, "", "loads of global memory are cached in L1"},
      {"gpu.sm.constants_cached", &sm.constants_cached, 0u, 0u, "",
       "loads of constant memory stay in the constant cache; otherwise they go to L2"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
  add_timing(fields, "gpu.sm.integer", sm.integer);
  add_timing(fields, "gpu.sm.shift", sm.shift);
  add_timing(fields, "gpu.sm.integer_multiply", sm.integer_multiply);
  add_timing(fields, "gpu.sm.integer_division", sm.integer_division);
  add_timing(fields, "gpu.sm.floating", sm.floating);
  add_timing(fields, "gpu.sm.double_precision", sm.double_precision);
  add_timing(fields, "gpu.sm.special_function", sm.special_function);
  add_timing(fields, "gpu.sm.half", sm.half);
  add_timing(fields, "gpu.sm.conversion", sm.conversion);
  add_timing(fields, "gpu.sm.bit_count", sm.bit_count);
  add_timing(fields, "gpu.sm.shuffle", sm.shuffle);
  add_timing(fields, "gpu.sm.control", sm.control);
  fields.push_back({"gpu.sm.barrier.latency_cycles", &sm.barrier.latency_cycles, 1u, kCycles, "core cycles",
                    "from the last warp's arrival at a barrier of the block until its warps may issue"});
  fields.push_back({"gpu.sm.barrier.interval_cycles", &sm.barrier.interval_cycles, 0u, kCycles, "core cycles",
                    "between the arrivals of two warps of an SM at barriers; 0: they do not wait"});
}

}  // namespace

void add_dram(std::vector<Field>& fields, Dram& dram) {
  const std::vector<Field> own{
      {"gpu.dram.channels", &dram.channels, 1u, 256u, "", "memory controllers"},
      {"gpu.dram.command_clock_khz", &dram.command_clock_khz, 1u, 10000000u, "kHz", "command clock"},
      {"gpu.dram.burst_cycles", &dram.burst_cycles, 1u, 64u, "tCK", "data bus time of one burst"},
      {"gpu.dram.burst_bytes", &dram.burst_bytes, 8u, 128u, "B", "one burst of a channel"},
      {"gpu.dram.read_bytes", &dram.read_bytes, 0u, 128u, "B",
       "that a read uses of a burst, where L2 fetches less than a burst at a time; 0: all"},
      {"gpu.dram.standard", &dram.standard, 0u, 0u, "", "whose timing rules hold", kDramStandards},
      {"gpu.dram.banks", &dram.banks, 1u, 256u, "", "banks of a channel; a power of two"},
      {"gpu.dram.bank_groups", &dram.bank_groups, 1u, 64u, "", "groups of a rank's banks; a power of two"},
      {"gpu.dram.ranks", &dram.ranks, 1u, 64u, "", "of a channel, which share its banks; a power of two"},
      {"gpu.dram.row_bytes", &dram.row_bytes, 128u, 65536u, "B", "one row of a bank of a channel"},
      {"gpu.dram.queue_entries", &dram.queue_entries, 0u, 65536u, "requests",
       "of a channel, per class; 0: no limit"},
      {"gpu.dram.controller_cycles", &dram.controller_cycles, 0u, kCycles, "tCK",
       "controller, outside scheduling and DRAM"},
      {"gpu.dram.scheduler", &dram.scheduler, 0u, 0u, "", "order of requests", kDramSchedulers},
      {"gpu.dram.row_policy", &dram.row_policy, 0u, 0u, "",
       "a row that nobody waits for stays open, or is closed", kRowPolicies},
      {"gpu.dram.refresh", &dram.refresh, 0u, 0u, "", "DRAM is refreshed"},
      {"gpu.dram.refresh_unit", &dram.refresh_unit, 0u, 0u, "",
       "what one refresh command is for: all banks of a rank, or one bank", kRefreshUnits},
      {"gpu.dram.interleave_bytes", &dram.interleave_bytes, 128u, 65536u, "B",
       "consecutive bytes in one channel; a power of two"},
      {"gpu.dram.address_fields", &dram.address_fields, 0u, 0u, "",
       "bits of a channel's address, high to low: \"row bank:2 group:2 column:12\"; \"\": column and group "
       "mixed"},
      {"gpu.dram.hash_channels", &dram.hash_channels, 0u, 0u, "",
       "channel and bank from higher address bits too"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
  const auto timing = [&](const char* name, std::uint64_t& value, const char* description) {
    fields.push_back({std::string("gpu.dram.timing.") + name, &value, 0u, kCycles, "tCK", description});
  };
  timing("rcd", dram.timing.rcd, "ACT to RD or WR, same bank");
  timing("rp", dram.timing.rp, "PRE to ACT, same bank");
  timing("ras", dram.timing.ras, "ACT to PRE, same bank");
  timing("rc", dram.timing.rc, "ACT to ACT, same bank");
  timing("rrd", dram.timing.rrd, "ACT to ACT, other bank");
  timing("rrd_l", dram.timing.rrd_l, "HBM3: ACT to ACT, other bank of a bank group");
  timing("faw", dram.timing.faw, "window of four ACTs");
  timing("aw32", dram.timing.aw32, "GDDR5: window of 32 ACTs");
  timing("cl", dram.timing.cl, "RD to first data");
  timing("wl", dram.timing.wl, "WR to first data");
  timing("ccd", dram.timing.ccd, "column command to column command, other bank group");
  timing("ccd_l", dram.timing.ccd_l, "GDDR5, HBM3: column command to column command, same bank group");
  timing("wtr", dram.timing.wtr, "last write data to RD");
  timing("wtr_l", dram.timing.wtr_l, "HBM3: last write data to RD, same bank group");
  timing("wr", dram.timing.wr, "last write data to PRE, same bank");
  timing("rtp", dram.timing.rtp, "RD to PRE, same bank");
  timing("rtw", dram.timing.rtw, "RD to WR");
  timing("rtrs", dram.timing.rtrs, "DDR3, HBM3: data of one rank to data of another");
  timing("rfc", dram.timing.rfc, "REF to ACT");
  timing("rfc_pb", dram.timing.rfc_pb, "HBM3: REF of one bank to ACT of that bank");
  timing("rrefd", dram.timing.rrefd, "HBM3: REF of one bank to REF or ACT of another");
  timing("refi", dram.timing.refi, "average REF to REF of one rank, or of one bank");
}

namespace {

void add_full_empty(std::vector<Field>& fields, FullEmpty& own) {
  const std::vector<Field> all{
      {"gpu.full_empty.granule_bytes", &own.granule_bytes, 0u, 4096u, "B",
       "one full/empty bit tracks this many bytes, a power of two from 4; 0: there are no bits"},
      {"gpu.full_empty.queues", &own.queues, 1u, 4u, "queues",
       "of a controller: 1 for all; 2 without and with trigger; 3 without, triggered CPU, triggered GPU; 4 "
       "the CPU's reads and writes apart"},
      {"gpu.full_empty.queue_entries", &own.queue_entries, 1u, 65536u, "requests",
       "of each queue that holds triggered requests"},
      {"gpu.full_empty.look_ahead", &own.look_ahead, 1u, 65536u, "requests",
       "of such a queue that are observed; 1: only its head"},
      {"gpu.full_empty.region_bytes", &own.region_bytes, 0u, std::uint64_t{1} << 44, "B",
       "that can be tracked at once; 0: all of device memory"},
      {"gpu.full_empty.bits", &own.bits, 0u, 0u, "",
       "where bits lie: beside the data, or in bursts of their own", kFullEmptyBits},
      {"gpu.full_empty.atomic", &own.atomic, 0u, 0u, "",
       "what an atomic on tracked memory does: waits for full, then fills; or ignores the bits",
       kFullEmptyAtomics},
      {"gpu.full_empty.narrow_store", &own.narrow_store, 0u, 0u, "",
       "a store of a part of a granule fills it, or leaves the bit", kNarrowStores},
      {"gpu.full_empty.loads_in_l1", &own.loads_in_l1, 0u, 0u, "", "L1 keeps words of tracked memory"},
      {"gpu.full_empty.tracked", &own.tracked, 0u, 0u, "",
       "device memory with bits: what duetMallocTracked gives, or all that the program allocates",
       kTrackedMemory},
      {"gpu.full_empty.start", &own.start, 0u, 0u, "", "what duetMallocTracked's memory is at first",
       kFirstBits},
      {"gpu.full_empty.reads_per_fill", &own.reads_per_fill, 1u, 255u, "accesses",
       "that empty, before a filled word is empty: a counter instead of a bit"},
      {"gpu.full_empty.nack_cycles", &own.nack_cycles, 0u, kCycles, "tCK",
       "after which a request that waits is refused and sent again by L2; 0: never"},
      {"gpu.full_empty.nack_limit", &own.nack_limit, 1u, 65535u, "refusals",
       "of one request; after that it waits as it would without them"},
      {"gpu.full_empty.valid_masks", &own.valid_masks, 0u, 0u, "",
       "caches keep only the words of a line that were full; off: wrong results"},
      {"gpu.full_empty.write_through", &own.write_through, 0u, 0u, "",
       "L2 sends writes to tracked memory on at once; off: a fill waits for the line's eviction"},
      {"gpu.full_empty.program_order", &own.program_order, 0u, 0u, "",
       "a warp's accesses to tracked memory do not pass each other; off: wrong results"},
      {"gpu.full_empty.order_grain", &own.order_grain, 0u, 0u, "",
       "which of a warp's accesses wait for each other: to one granule, to one line, or all", kOrderGrains},
      {"gpu.full_empty.order_entries", &own.order_entries, 0u, 65536u, "lines",
       "of an SM's accesses to tracked memory that are kept apart by order_grain; what finds no place is "
       "kept "
       "apart by warp"},
      {"gpu.full_empty.class_credits", &own.class_credits, 0u, 0u, "",
       "triggered requests have buffers of their own, SMs' and copies' apart; off: SMs' share those of "
       "others, and what "
       "they wait for may not get past them (copies' keep theirs)"},
      {"gpu.full_empty.merge_by_trigger", &own.merge_by_trigger, 0u, 0u, "",
       "requests join a fetch of their own trigger only; off: wrong results"},
  };
  fields.insert(fields.end(), all.begin(), all.end());
}

}  // namespace

void add_timed_gpu(std::vector<Field>& fields, Gpu& gpu) {
  add_sm(fields, gpu.sm);
  add_cache(fields, "gpu.l1", gpu.l1);
  fields.push_back({"gpu.l1.pass_cycles", &gpu.l1.pass_cycles, 0u, kCycles, "cycles",
                    "as latency_cycles, of loads that bypass L1 and of atomics; 0: as long as a lookup"});
  fields.push_back({"gpu.l1.command_cycles", &gpu.l1.command_cycles, 0u, kCycles, "cycles",
                    "that a command, as the invalidation at a kernel's start, has L1 for itself"});
  fields.push_back({"gpu.l1.command_line_cycles", &gpu.l1.command_line_cycles, 0u, kCycles, "cycles",
                    "and for each line of its range"});
  add_prefetch(fields, "gpu.l1", gpu.l1_prefetch);
  add_read_cache(fields, "gpu.constant_cache", gpu.constant_cache);
  add_lines(fields, "gpu.instruction_cache", gpu.instruction_cache);
  fields.push_back(
      {"gpu.instruction_cache.prefetch_lines", &gpu.instruction_cache.prefetch_lines, 0u, 1024u, "lines",
       "asked for ahead, one a cycle, when a line is missing or one that was prefetched is first "
       "wanted; 0: none"});
  fields.push_back(
      {"gpu.l2_slices", &gpu.l2_slices, 1u, 1024u, "slices", "of L2; a multiple of the channels"});
  add_cache(fields, "gpu.l2", gpu.l2);
  add_fetch_on_write(fields, "gpu.l2", gpu.l2);
  add_atomic_conflicts(fields, "gpu.l2", gpu.l2);
  add_interconnect(fields, "gpu.interconnect", gpu.interconnect);
  add_dram(fields, gpu.dram);
  add_full_empty(fields, gpu.full_empty);
}

void add_memory_fabric(std::vector<Field>& fields, MemoryFabric& fabric) {
  add_interconnect(fields, "memory_fabric", fabric.interconnect);
  MemoryFabric::Maintenance& own = fabric.maintenance;
  const std::vector<Field> all{
      {"memory_fabric.maintenance.cpu_line_cycles", &own.cpu_line_cycles, 0u, kCycles, "core cycles",
       "of a core that has caches written back or given up by address: a line"},
      {"memory_fabric.maintenance.cpu_set_way_cycles", &own.cpu_set_way_cycles, 0u, kCycles, "core cycles",
       "the same of whole caches: a line that a cache has place for"},
      {"memory_fabric.maintenance.l2_line_cycles", &own.l2_line_cycles, 0u, kCycles, "interconnect cycles",
       "of the GPU's L2: a line of the range, or of a slice"},
  };
  fields.insert(fields.end(), all.begin(), all.end());
}

void add_translation(std::vector<Field>& fields, Translation& own) {
  constexpr std::uint64_t kEntries = 1 << 20, kNanoseconds = 1000000;
  const std::vector<Field> all{
      {"translation.tlb_entries", &own.tlb_entries, 0u, 4096u, "pages",
       "of an SM's TLB, fully associative; 0: translation is free"},
      {"translation.tlb_misses", &own.tlb_misses, 1u, 4096u, "pages", "that an SM waits for at a time"},
      {"translation.l2_tlb_entries", &own.l2_tlb_entries, 1u, kEntries, "pages", "of the GPU's second TLB"},
      {"translation.l2_tlb_ways", &own.l2_tlb_ways, 1u, 4096u, "ways", "of the GPU's second TLB"},
      {"translation.l2_tlb_cycles", &own.l2_tlb_cycles, 1u, kCycles, "core cycles",
       "from an SM's miss to the second TLB's answer; it takes one a cycle"},
      {"translation.table_walkers", &own.table_walkers, 1u, 4096u, "walks",
       "at a time in the GPU's own table (method.translation = table)"},
      {"translation.table_walk_ns", &own.table_walk_ns, 0u, kNanoseconds, "ns", "of such a walk"},
      {"translation.iommu_entries", &own.iommu_entries, 1u, kEntries, "pages", "of the IOMMU's TLB"},
      {"translation.iommu_ways", &own.iommu_ways, 1u, 4096u, "ways", "of the IOMMU's TLB"},
      {"translation.iommu_ns", &own.iommu_ns, 0u, kNanoseconds, "ns",
       "of a lookup there, besides the way across the link"},
      {"translation.iommu_walkers", &own.iommu_walkers, 1u, 4096u, "walks",
       "at a time in the program's page tables (method.translation = iommu)"},
      {"translation.iommu_walk_ns", &own.iommu_walk_ns, 0u, kNanoseconds, "ns",
       "of such a walk without simulated cores; with them it reads the tables, and takes what that takes"},
      {"translation.iommu_walk_cache_entries", &own.iommu_walk_cache_entries, 0u, 4096u, "entries",
       "of 512 pages each whose upper tables such walks need not read; 0: none"},
      {"translation.iommu_fault_ns", &own.iommu_fault_ns, 0u, kNanoseconds, "ns",
       "until a page that nobody has touched has a frame (a page request); 0: at once"},
      {"translation.iommu_fault_page_ns", &own.iommu_fault_page_ns, 0u, kNanoseconds, "ns",
       "of the operating system for each such page, one after the other"},
  };
  fields.insert(fields.end(), all.begin(), all.end());
}

void add_level(std::vector<Field>& fields, const std::string& prefix, Level& level) {
  fields.push_back({prefix + ".name", &level.name, 0u, 0u, "",
                    "of a level of cache between L2 and DRAM: letters and digits, as L3"});
  fields.push_back({prefix + ".slices", &level.slices, 1u, 1024u, "slices",
                    "of the level; of the last one a multiple of the channels"});
  add_cache(fields, prefix, level.cache);
  add_fetch_on_write(fields, prefix, level.cache);
  add_atomic_conflicts(fields, prefix, level.cache);
  add_interconnect(fields, prefix + ".interconnect", level.interconnect);
  fields.push_back({prefix + ".wire_cycles", &level.wire_cycles, 0u, kCycles, "interconnect cycles",
                    "one way, between the level above and the interconnect"});
  fields.push_back({prefix + ".shared_with_processor", &level.shared_with_processor, 0u, 0u, "",
                    "the processor's cores share it, and the memory below; cpu.l3.sets is 0 then"});
  fields.push_back({prefix + ".perfect", &level.perfect, 0u, 0u, "",
                    "every lookup hits, without DRAM; needs no bits, and a write_back level"});
  fields.push_back({prefix + ".pending_requests", &level.pending_requests, 0u, 65536u, "requests",
                    "without an answer, of all slices together; they hold up no others, and mshrs and "
                    "mshr_targets do nothing; 0: each slice has its mshrs, and looks requests up in order"});
}

}  // namespace duet::config
