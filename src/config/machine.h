// A machine file as plain structs. The file's keys are the field names below (`gpu.sm.count`); units stand in
// the names. Every field is declared once in config/fields.cpp with unit, range and description; an unknown
// or missing key is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace duet::config {

struct Sm {
  std::uint64_t count = 0;
  std::uint64_t warp_width = 0;
  std::uint64_t max_warps = 0;
  std::uint64_t max_blocks = 0;
  std::uint64_t max_threads = 0;
  std::uint64_t max_threads_per_block = 0;
  std::uint64_t registers = 0;
  std::uint64_t max_registers_per_thread = 0;
  std::uint64_t register_allocation_unit = 0;  // registers, per warp
  std::uint64_t warp_allocation_unit = 0;      // warps
  Bytes shared_bytes = 0;
  Bytes max_shared_bytes_per_block = 0;
  Bytes shared_allocation_unit = 0;
  std::uint64_t schedulers = 0;

  // Issue: each scheduler issues at most one machine instruction a cycle.
  std::string scheduler;                       // the name of a policy in gpu/sm/schedulers
  bool ptx_instructions = false;               // one of PTX is one of the SM, as simulators of PTX have it
  bool blocking_issue = false;                 // a warp's next instruction waits until its last has committed
  std::uint64_t commit_cycles = 1;             // with it: the least from one issue of a warp to its next
  std::uint64_t instruction_bytes = 0;         // machine code
  std::uint64_t instruction_buffer = 0;        // machine instructions of one warp
  std::uint64_t fetch_instructions = 0;        // of one warp, fetched in one cycle
  std::uint64_t decode_cycles = 0;             // from the instruction cache's answer to the buffer
  std::uint64_t sequence_interval_cycles = 0;  // between parts of an operation of three or more

  // Operand collection. 0 banks: operands are read at once.
  std::uint64_t register_banks = 0;
  std::uint64_t collector_units = 0;  // per execution unit

  std::uint64_t sp_units = 0, sfu_units = 0;
  std::uint64_t dp_units = 0;   // 0: double precision executes on the SFU path
  std::uint64_t int_units = 0;  // 0: integers execute on the SP path
  struct Timing {               // of one warp instruction
    std::uint64_t latency_cycles = 0;
    std::uint64_t interval_cycles = 0;  // the unit is busy
  };
  Timing integer, shift, integer_multiply, floating, double_precision, special_function, half, conversion,
      control, bit_count, shuffle;
  // From the last arrival's issue until the warps may issue; between two warps' arrivals, at any barrier.
  Timing barrier{1, 0};
  Timing integer_division;  // with ptx_instructions

  std::uint64_t load_store_queue = 0;      // memory instructions between issue and their last request
  std::uint64_t pending_instructions = 0;  // memory instructions waiting for answers
  std::uint64_t coalesced_threads = 0;     // lanes next to each other that may share a request; 0: all
  std::uint64_t memory_requests = 0;       // of loads, waiting for answers; 0: no limit
  std::uint64_t shared_latency_cycles = 0;
  std::uint64_t shared_pass_cycles = 1;  // delay of an access by each further pass
  std::uint64_t shared_banks = 0;        // 4 bytes wide; 0: no conflicts
  bool global_in_l1 = false;             // pages of device memory: L1 may hold them
  bool constants_cached = true;          // pages of device memory: the constant cache may hold them
};

// The attribute of a page that allows a cache to hold its bytes (memory/request.h: Cacheability).
enum class PageAttribute : std::uint8_t {
  None,  // it may hold all
  GpuL1,
  GpuConstant,
  GpuL2,
  Cpu
};

// One cache: L1 data, L1 constant, L1 instruction, or a slice of L2.
struct Cache {
  std::uint64_t sets = 0, ways = 0;
  Bytes line_bytes = 0;
  Bytes sector_bytes = 0;            // the unit of a fetch
  std::uint64_t latency_cycles = 0;  // from a request's arrival to its lookup
  std::uint64_t mshrs = 0;           // lines on their way
  std::uint64_t mshr_targets = 0;    // requests waiting for one line
  std::uint64_t queue_entries = 0;   // of each queue at its ports, per class
  bool write_back = false;           // otherwise write-through
  bool write_allocate = false;       // a write miss takes a line
  bool fetch_on_write = false;       // and fetches the missing bytes of the written sectors first
  bool write_evict = false;          // write-through: a write hit drops the bytes instead of updating them
  bool hash_sets = false;            // set index from all address bits
  std::string replacement = "lru";   // not of the instruction cache: "lru", "tree", "random"
  std::uint64_t atomic_words_per_cycle = 0;  // 0: atomics go below, at last to DRAM
  std::uint64_t atomic_conflict_cycles = 1;  // from an atomic to the next of the same word
  std::uint64_t pass_cycles = 0;     // as latency_cycles, for requests it neither holds nor serves; 0: the
                                     // same
  std::uint64_t prefetch_lines = 0;  // of the instruction cache: lines asked for after a fetched one
  PageAttribute attribute = PageAttribute::None;
  // A command (clean, invalidate) has the cache for so long, before it acts.
  std::uint64_t command_cycles = 0, command_line_cycles = 0;  // for each command, and for each line it looks
                                                              // at
  Bytes capacity() const { return sets * ways * line_bytes; }
};

// Loads at a constant stride, found by instruction and warp (memory/cache/stride_prefetcher.h).
struct StridePrefetch {
  std::string prefetcher;            // "none", "stride"
  std::uint64_t sets = 0, ways = 0;  // of its table
  std::uint64_t confidence = 0;      // equal strides in a row before anything is fetched
  std::uint64_t distance = 0;        // strides ahead
  std::uint64_t degree = 0;          // lines at a time, a stride apart
  std::uint64_t queue_entries = 0;   // lines waiting for their lookup
};

// SMs and copy engines on one side, slices of L2 (and the way to the host) on the other.
struct Interconnect {
  std::uint64_t clock_khz = 0;  // of interconnect and L2
  Bytes flit_bytes = 0;         // a port moves one flit a cycle
  Bytes header_bytes = 0;       // of a packet
  std::uint64_t latency_cycles = 0;
  std::uint64_t queue_packets = 0;  // of each port, per class
};

// The functional GPU: a block's time is block_start_cycles + machine warp instructions *
// cycles_per_warp_instruction.
struct Functional {
  std::uint64_t block_start_cycles = 0;
  std::uint64_t milli_cycles_per_warp_instruction = 0;
  std::uint64_t quantum_warp_instructions = 0;  // a block runs this many before others get their turn
  std::uint64_t copy_block_bytes = 0;           // of a copy's requests; 0: as on the timed GPU
  Picoseconds dram_latency_ps = 0;              // of the simple memory behind copies
};

struct FrontEnd {
  std::uint64_t hardware_channels = 0;   // hu2016 §3.4: 1 (Fermi) or many (Hyper-Q)
  std::uint64_t push_buffer_bytes = 0;   // per channel
  std::uint64_t queue_width = 0;         // streams in the work distributor at once
  std::uint64_t queue_depth = 0;         // commands per stream queue
  std::uint64_t reference_counters = 0;  // kernels in flight
  std::uint64_t stream_priorities = 1;   // levels: 0 and, higher, the negative numbers from -1 on
  std::uint64_t decode_cycles_per_command = 0;
  std::uint64_t dispatch_cycles_per_block = 0;
  // Of launches by kernels: until the work distributor has one, from the start of one to the next one's, from
  // the end of everything before a tail launch to its start, and how long a call holds up its warp.
  std::uint64_t device_launch_cycles = 0, device_launch_interval_cycles = 0, device_tail_launch_cycles = 0,
                device_launch_call_cycles = 0;
  // User queues (HSA): how many there may be, the time for a packet, and until one that is not ready, or a
  // signal, is looked at again.
  std::uint64_t user_queues = 0, packet_cycles = 0, packet_poll_cycles = 0;
  std::string block_order = "in_order";  // a name of kBlockOrders (gpu/block_order.h)
  std::string dispatch = "per_level";    // a name of kDispatches (gpu/front_end/block_dispatcher.h)
};

// malloc and free of device code: for how many core cycles a call holds up its warp, by the lanes that call
// together, and from one warp's call to the next one's, on any SM.
struct DeviceHeap {
  std::uint64_t malloc_cycles = 0, malloc_lane_cycles = 0;  // of one lane; more for each further one
  std::uint64_t malloc_interval_cycles = 0, malloc_lane_interval_cycles = 0;  // the same
  std::uint64_t free_cycles = 0, free_lane_cycles = 0;
};

struct CopyEngines {
  std::uint64_t count = 0;
  std::uint64_t outstanding_packets = 0;    // per engine, being read or waiting for their write
  std::uint64_t outstanding_acks = 0;       // of writes beside those; 0: a write keeps its packet's place
  std::uint64_t ports = 1;                  // of L2's interconnect, for moves inside device memory
  std::uint64_t device_packets = 0;         // as outstanding_packets, of these moves; 0: as many
  std::uint64_t bit_engines = 0;            // for changes of full/empty bits alone; 0: copy engines do it
  std::uint64_t bit_lines_outstanding = 0;  // per such engine, sent and not yet acknowledged
};

// Command-clock cycles between commands (JEDEC names). The standard decides which of them count.
struct DramTiming {
  std::uint64_t rcd = 0, rp = 0, ras = 0, rc = 0, rrd = 0, rrd_l = 0, faw = 0, aw32 = 0, cl = 0, wl = 0,
                ccd = 0, ccd_l = 0, wtr = 0, wtr_l = 0, wr = 0, rtp = 0, rtw = 0, rtrs = 0, rfc = 0,
                rfc_pb = 0, rrefd = 0, refi = 0;
};

struct Dram {
  Bytes bytes = 0;
  Bytes page_bytes = 0;
  std::uint64_t channels = 0;
  std::uint64_t command_clock_khz = 0;
  std::uint64_t burst_cycles = 0;                       // of the command clock, for one burst
  Bytes burst_bytes = 0;                                // of one channel
  Bytes read_bytes = 0;                                 // of a burst, used by a read; 0: all
  std::string standard = "GDDR5";                       // whose rules hold
  std::uint64_t banks = 0, bank_groups = 0, ranks = 1;  // banks: of all ranks; bank_groups: of one
  Bytes row_bytes = 0;                                  // of one bank of one channel
  DramTiming timing;
  std::uint64_t queue_entries = 0;      // requests of one channel, per class; 0: no limit
  std::uint64_t controller_cycles = 0;  // of the command clock, from arrival to scheduling
  std::string scheduler;                // "fr-fcfs", "fcfs", "fifo"
  std::string row_policy = "open";      // "open", "closed"
  bool refresh = false;
  std::string refresh_unit = "rank";  // "bank": one after the other, while others are used
  Bytes interleave_bytes = 0;         // consecutive bytes in one channel
  std::string address_fields;         // of a channel's bytes, high to low; "": memory/address_map.h's own
  bool hash_channels = false;         // channel and bank from higher address bits too
};

// Full/empty bits beside the GPU's DRAM (lustig2013 §4). They concern tracked memory only.
struct FullEmpty {
  Bytes granule_bytes = 0;          // of one bit; 0: the GPU has none
  std::uint64_t queues = 0;         // of a controller (memory/dram/trigger_queues.h)
  std::uint64_t queue_entries = 0;  // of each queue of triggered requests
  std::uint64_t look_ahead = 0;     // observed entries of such a queue; 1: its head
  Bytes region_bytes = 0;           // trackable at once; 0: all of DRAM
  std::string bits;                 // "sideband": read beside the data at no cost, "inline": cost bursts
  std::string atomic;               // "full-fill": an atomic waits for full and fills; "none"
  std::string narrow_store;         // "fill": a store of a part of a granule fills it; "keep"
  bool loads_in_l1 = false;
  std::string tracked;               // "asked": memory the program asks for; "all": all its allocations
  std::string start;                 // "full", "empty": granules when they are allocated
  std::uint64_t reads_per_fill = 0;  // accesses that empty, until the granule is empty
  std::uint64_t nack_cycles = 0;  // command-clock cycles after which a waiting request is refused; 0: never
  std::uint64_t nack_limit = 0;   // refusals of one request; after that it waits
  // Remedies for the hazards of lustig2013's scheme (docs/design/full-empty.md). Without one, results may be
  // wrong.
  bool valid_masks = false;         // caches keep only full words
  bool write_through = false;       // writes reach the bits at once
  bool program_order = false;       // a warp's own accesses do not pass each other
  std::string order_grain;          // of the order: "granule", "line", "warp": all its accesses
  std::uint64_t order_entries = 0;  // lines of an SM's accesses whose order is kept by granule or line
  bool class_credits = false;       // waiting requests leave room for others
  bool merge_by_trigger = false;    // a request joins a fetch of its own trigger only
};

struct Gpu {
  std::string name;
  std::uint64_t compute_capability_major = 0, compute_capability_minor = 0;
  std::uint64_t core_clock_khz = 0;
  Bytes constant_bytes = 0;
  std::uint64_t l2_slices = 0;
  std::uint64_t max_grid_x = 0, max_grid_y = 0, max_grid_z = 0;
  std::uint64_t max_block_x = 0, max_block_y = 0, max_block_z = 0;
  bool integrated = false;
  bool concurrent_managed_access = false;  // the host may touch managed memory while kernels run
  Sm sm;
  StridePrefetch l1_prefetch;
  Cache l1{.attribute = PageAttribute::GpuL1}, constant_cache{.attribute = PageAttribute::GpuConstant};
  Cache instruction_cache, l2{.attribute = PageAttribute::GpuL2};
  Interconnect interconnect;
  Functional functional;
  FrontEnd front_end;
  DeviceHeap device_heap;
  CopyEngines copy_engines;
  Dram dram;
  FullEmpty full_empty;
};

struct Link {
  std::string name;
  std::uint64_t payload_mb_per_s_to_gpu = 0;
  std::uint64_t payload_mb_per_s_to_host = 0;
  Bytes packet_payload_bytes = 0;
  std::uint64_t latency_ns = 0;  // one way
  std::uint64_t queue_packets = 0;
  bool full_duplex = true;
  Bytes header_bytes = 0, flit_bytes = 1;  // of a packet on the wire
  bool byte_masks = true;                  // writes with holes are one packet
};

// lustig2013 §6.1: the stages of one kind of API call. `call` is the time until control returns (stage i);
// `driver` the time the driver prepares the command (stage ii); `finish` what a blocking call spends after
// its work is done.
struct CallLatency {
  std::uint64_t call_ns = 0;
  std::uint64_t driver_ns = 0;
  std::uint64_t finish_ns = 0;
};

struct Driver {
  CallLatency memcpy_sync, memcpy_async, memset, launch, stream_synchronize, device_synchronize,
      event_synchronize, event_record, stream_wait_event, host_function, query, allocate, other;
  // Until a framework has found the GPU and its driver has opened it: once a process.
  struct StartUp {
    std::uint64_t opencl_us = 0, hsa_us = 0;
  } start_up;
  // Work on the processor besides calls: an entry of the GPU's page table, where a method's translation is
  // "table"; an interrupt, where a thread sleeps until the GPU is done.
  struct Handlers {
    bool on_cores =
        false;  // code on the calling thread's core, where cores are simulated: no time of its own
    std::uint64_t page_ns = 0, interrupt_ns = 0;
  } handlers;
  // lustig2013 §6.4: a profiler with hardware counters around every kernel.
  struct Profiler {
    bool counters = false;
    std::uint64_t setup_ns = 0, readout_ns = 0;
  } profiler;
  // Copies of pageable host memory go through pinned buffers, filled and emptied by the processor.
  struct Staging {
    std::uint64_t mb_per_s = 0;  // 0: copy engines reach pageable memory themselves
    Bytes chunk_bytes = 0;
    CallLatency piece;  // of each piece after the first
  } staging;
  bool read_ahead = false;
  // Of a program on simulated cores. A latency measured from outside includes the time of the program's own
  // instructions in the call.
  bool added_to_instructions = false;
  std::uint64_t queue_commands = 0;  // commands queued per channel before a call has to wait
};

struct Host {
  std::string name;
  Bytes dram_bytes = 0;
  std::uint64_t dram_latency_ns = 0;
  std::uint64_t dram_bandwidth_mb_per_s = 0;  // for the GPU's accesses; 0: no limit
};

// A cache in slices between the GPU's L2, or the level before it, and DRAM. Others than the GPU may be
// connected to it.
struct Level {
  std::string name;  // "L3": in messages, and in lower case in the names of its statistics
  std::uint64_t slices = 0;
  Cache cache;
  Interconnect interconnect;  // above it; the level runs at its clock
  // The way from the level above (the GPU's side) to the interconnect, each way: the wire's own length.
  std::uint64_t wire_cycles = 0;
  bool shared_with_processor = false;  // the cores' directory stands above it too, and has no other memory
  bool perfect = false;                // it has every line (memory/cache/cache.h)
  // Requests without an answer, of all slices together, in any order; 0: each slice has its cache's mshrs,
  // and looks requests up in order.
  std::uint64_t pending_requests = 0;
};
std::string statistics_name(const Level& level);

// A way to allocate memory, and how its pages are reached (dashti2017 section 3): one row of the machine
// file.
struct Method {
  std::string name;     // "hostalloc": in reports
  std::string calls;    // that give such memory: some of kMethodCalls, with spaces between
  std::string cpu;      // kCpuTypes: how simulated cores reach it; "none": the host reaches none of it
  bool gpu_l1 = false;  // these caches may hold it
  bool gpu_l2 = false;
  std::string route;       // kRoutes: of the GPU
  bool coalesced = false;  // lanes of a warp may share a request; otherwise those at one address alone
  std::string translation = "none";  // kTranslations: who walks for its pages
  // What the driver does with caches at these moments: some of kCacheWords, with spaces between;
  // at a launch kFillTable, too.
  std::string at_copy, at_launch, at_end, at_synchronize;
  bool unsafe = false;  // caches of both sides may hold it, and the program sees to them
};

struct BranchPredictor {
  std::uint64_t table_entries = 0;  // of each of three tables
  std::uint64_t history_bits = 0;
  std::uint64_t target_entries = 0, return_entries = 0;
};

// Cores, all alike, with their private caches; the levels below are shared.
struct Cpu {
  std::string name;
  std::uint64_t cores = 0;
  std::uint64_t clock_khz = 0;

  std::uint64_t fetch_width = 0, dispatch_width = 0, issue_width = 0, retire_width = 0;
  std::uint64_t front_end_cycles = 0;    // from fetch to dispatch
  std::uint64_t redirect_cycles = 0;     // from a mispredicted branch's execution to the next fetch
  std::uint64_t late_target_cycles = 0;  // fetch lost when a taken branch's target is known at decode
  std::uint64_t rob_entries = 0, scheduler_entries = 0, load_entries = 0, store_entries = 0;
  BranchPredictor predictor;

  struct Unit {
    std::uint64_t count = 0;
    std::uint64_t latency_cycles = 0;
    std::uint64_t interval_cycles = 1;  // between two starts on one unit
  };
  Unit integer, multiply, divide, branch, float_add, float_multiply, float_fused, float_divide,
      float_square_root, float_move, float_convert;
  std::uint64_t load_ports = 0, store_ports = 0;  // starts a cycle

  struct Cache {                       // private to a core
    std::uint64_t sets = 0, ways = 0;  // 0 sets: there is none
    std::uint64_t latency_cycles = 0;  // from the start of a lookup to the data's use
    std::uint64_t misses = 0;          // lines on their way to it
    std::string prefetcher;            // "none", "next-line", "stream"
    std::uint64_t prefetch_lines = 0;  // how far it goes
  };
  Bytes line_bytes = 0;
  Cache instruction_cache, l1, l2;
  std::uint64_t store_prefetches = 0;  // lines asked for by retired stores before their turn
  // Stores to uncached pages are put together here.
  struct WriteCombining {
    std::uint64_t buffers = 0;
    Bytes bytes = 0;                // of a buffer
    std::uint64_t idle_cycles = 0;  // after the last store to it a buffer is sent
  } write_combining;

  std::uint64_t to_directory_cycles = 0, from_directory_cycles = 0;  // of a message
  config::Cache l3;  // below the directory, at the cores' clock; 0 sets: there is none

  // Translations, of pages of 4 KiB. 0 entries: translation takes no time.
  struct Tlb {
    std::uint64_t instruction_entries = 0, data_entries = 0, ways = 0;  // of the first level
    std::uint64_t l2_entries = 0, l2_ways = 0, l2_latency_cycles = 0;
    std::uint64_t walk_cache_entries = 0;  // tables of the last level found by a walk without the others
  } tlb;

  std::uint64_t system_call_cycles = 0;     // of any system call
  std::uint64_t context_switch_cycles = 0;  // when a core goes from one thread to another
  std::uint64_t time_slice_us = 0;          // after which a thread makes room for a waiting one
};

// Between the processor's last cache and the GPU's memory controllers, where cores and GPU have one DRAM and
// no cache in common. Nothing is coherent there: the driver has caches written back, and given up.
struct MemoryFabric {
  Interconnect interconnect;
  struct Maintenance {                     // what it takes, besides the write-backs
    std::uint64_t cpu_line_cycles = 0;     // of the cores, by address, a line
    std::uint64_t cpu_set_way_cycles = 0;  // of all their caches, a line of one
    std::uint64_t l2_line_cycles = 0;      // of L2, a line of the range, or of a slice
  } maintenance;
};

// Where the GPU's virtual addresses of [[method]] rows with a translation become physical ones, and how long
// that takes. A page's translation is looked for in the TLB of the SM, the GPU's second TLB, and then walked
// for: by the GPU in a table of its own, or by the IOMMU, behind the link, in the page tables of the program.
struct Translation {
  std::uint64_t tlb_entries = 0, tlb_misses = 0;  // of an SM; pages that it waits for at a time
  std::uint64_t l2_tlb_entries = 0, l2_tlb_ways = 0, l2_tlb_cycles = 0;
  std::uint64_t table_walkers = 0, table_walk_ns = 0;  // of the GPU's own table
  std::uint64_t iommu_entries = 0, iommu_ways = 0, iommu_ns = 0;
  std::uint64_t iommu_walkers = 0, iommu_walk_ns = 0;  // the time where no core is simulated
  std::uint64_t iommu_walk_cache_entries = 0;
  std::uint64_t iommu_fault_ns = 0, iommu_fault_page_ns = 0;
};

// The nodes of a machine file. Nodes it does not name do not exist.
struct Topology {
  std::string name;
  std::string description;
  std::optional<Gpu> gpu;
  std::optional<Cpu> cpu;
  std::optional<MemoryFabric> memory_fabric;  // none: the processor has a DRAM of its own, or shares a level
  std::optional<Translation> translation;     // none: it costs nothing
  std::vector<Level> levels;                  // the first is nearest to the GPU
  std::vector<Method> methods;
  std::vector<Link> links;
  Driver driver;  // of the GPU
  Host host;
};

// A buildable machine: a GPU behind one link, on a host outside of simulated hardware.
struct Machine {
  std::string name;
  std::string description;
  Gpu gpu;
  std::optional<Cpu> cpu;  // used with the simulated host
  std::optional<MemoryFabric> memory_fabric;
  std::optional<Translation> translation;
  std::vector<Level> levels;
  std::vector<Method> methods;
  Link link;
  Driver driver;
  Host host;
  // The name of a method, for all memory by cudaMalloc, cudaHostAlloc and cudaMallocManaged; empty: as rows
  // say.
  std::string method{};
};

}  // namespace duet::config
