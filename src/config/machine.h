// What a machine file says, as plain structs. The file's keys are the field names below (`gpu.sm.count`);
// units stand in the names. Every field is declared once in config/fields.cpp with unit, range and
// description; an unknown or missing key is an error.
#pragma once

#include <cstdint>
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
  std::uint64_t cores = 0;  // scalar lanes for single precision
};

// The functional GPU: a block's time is block_start_cycles + machine warp instructions *
// cycles_per_warp_instruction.
struct Functional {
  std::uint64_t block_start_cycles = 0;
  std::uint64_t milli_cycles_per_warp_instruction = 0;
  std::uint64_t quantum_warp_instructions = 0;  // a block runs this many before others get their turn
};

struct FrontEnd {
  std::uint64_t hardware_channels = 0;   // hu2016 §3.4: 1 (Fermi) or many (Hyper-Q)
  std::uint64_t push_buffer_bytes = 0;   // per channel
  std::uint64_t queue_width = 0;         // streams that the work distributor can hold at once
  std::uint64_t queue_depth = 0;         // commands per stream queue
  std::uint64_t reference_counters = 0;  // kernels in flight
  std::uint64_t decode_cycles_per_command = 0;
  std::uint64_t dispatch_cycles_per_block = 0;
};

struct CopyEngines {
  std::uint64_t count = 0;
  std::uint64_t outstanding_packets = 0;  // per engine, sent and not yet acknowledged
};

struct Dram {
  Bytes bytes = 0;
  Bytes page_bytes = 0;
  Picoseconds latency_ps = 0;  // of the simple memory behind copies
  std::uint64_t bandwidth_mb_per_s = 0;
  std::uint64_t bus_bits = 0;
  std::uint64_t clock_khz = 0;
};

struct Gpu {
  std::string name;
  std::uint64_t compute_capability_major = 0, compute_capability_minor = 0;
  std::uint64_t core_clock_khz = 0;
  std::uint64_t shader_clock_khz = 0;
  Bytes constant_bytes = 0;
  Bytes l2_bytes = 0;
  std::uint64_t max_grid_x = 0, max_grid_y = 0, max_grid_z = 0;
  std::uint64_t max_block_x = 0, max_block_y = 0, max_block_z = 0;
  bool integrated = false;
  Sm sm;
  Functional functional;
  FrontEnd front_end;
  CopyEngines copy_engines;
  Dram dram;
};

struct Link {
  std::string name;
  std::uint64_t payload_mb_per_s_to_gpu = 0;
  std::uint64_t payload_mb_per_s_to_host = 0;
  Bytes packet_payload_bytes = 0;
  std::uint64_t latency_ns = 0;  // one way
  std::uint64_t queue_packets = 0;
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
  bool read_ahead = false;
  std::uint64_t queue_commands = 0;  // commands queued per channel before a call has to wait
};

struct Host {
  std::string name;
  Bytes dram_bytes = 0;
  std::uint64_t dram_latency_ns = 0;
};

struct Machine {
  std::string name;
  std::string description;
  Gpu gpu;
  Link link;
  Driver driver;
  Host host;
};

}  // namespace duet::config
