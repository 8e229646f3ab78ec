// Each key of a machine file: place in the structs, range, unit, description.
#include "config/fields.h"

#include <algorithm>
#include <cctype>

namespace duet::config {

namespace {

void add_gpu(std::vector<Field>& fields, Gpu& gpu) {
  const std::vector<Field> own{
      {"gpu.name", &gpu.name, 0u, 0u, "", "device name as cudaGetDeviceProperties reports it"},
      {"gpu.compute_capability_major", &gpu.compute_capability_major, 1u, 99u, "",
       "compute capability, major"},
      {"gpu.compute_capability_minor", &gpu.compute_capability_minor, 0u, 99u, "",
       "compute capability, minor"},
      {"gpu.core_clock_khz", &gpu.core_clock_khz, 1u, 10000000u, "kHz",
       "clock of SMs, L1 and front end; also what the program is told, and what its clock64() counts"},
      {"gpu.constant_bytes", &gpu.constant_bytes, 0u, 16777216u, "B", "constant memory"},
      {"gpu.max_grid_x", &gpu.max_grid_x, 1u, 2147483647u, "blocks", "largest grid in x"},
      {"gpu.max_grid_y", &gpu.max_grid_y, 1u, 2147483647u, "blocks", "largest grid in y"},
      {"gpu.max_grid_z", &gpu.max_grid_z, 1u, 2147483647u, "blocks", "largest grid in z"},
      {"gpu.max_block_x", &gpu.max_block_x, 1u, 2048u, "threads", "largest block in x"},
      {"gpu.max_block_y", &gpu.max_block_y, 1u, 2048u, "threads", "largest block in y"},
      {"gpu.max_block_z", &gpu.max_block_z, 1u, 2048u, "threads", "largest block in z"},
      {"gpu.integrated", &gpu.integrated, 0u, 0u, "", "GPU shares the host's memory"},
      {"gpu.concurrent_managed_access", &gpu.concurrent_managed_access, 0u, 0u, "",
       "the host may touch managed memory while kernels run"},
      {"gpu.sm.count", &gpu.sm.count, 1u, 1024u, "SMs", "streaming multiprocessors"},
      {"gpu.sm.warp_width", &gpu.sm.warp_width, 1u, 64u, "threads", "threads of a warp"},
      {"gpu.sm.max_warps", &gpu.sm.max_warps, 1u, 256u, "warps", "resident warps of an SM"},
      {"gpu.sm.max_blocks", &gpu.sm.max_blocks, 1u, 128u, "blocks", "resident blocks of an SM"},
      {"gpu.sm.max_threads", &gpu.sm.max_threads, 1u, 16384u, "threads", "resident threads of an SM"},
      {"gpu.sm.max_threads_per_block", &gpu.sm.max_threads_per_block, 1u, 2048u, "threads", "largest block"},
      {"gpu.sm.registers", &gpu.sm.registers, 1u, 1048576u, "registers", "32-bit registers of an SM"},
      {"gpu.sm.max_registers_per_thread", &gpu.sm.max_registers_per_thread, 1u, 255u, "registers",
       "largest number of registers of a thread"},
      {"gpu.sm.register_allocation_unit", &gpu.sm.register_allocation_unit, 1u, 4096u, "registers",
       "registers are given to a warp in multiples of this"},
      {"gpu.sm.warp_allocation_unit", &gpu.sm.warp_allocation_unit, 1u, 64u, "warps",
       "warps of a block are rounded up to a multiple of this"},
      {"gpu.sm.shared_bytes", &gpu.sm.shared_bytes, 0u, 16777216u, "B", "shared memory of an SM"},
      {"gpu.sm.max_shared_bytes_per_block", &gpu.sm.max_shared_bytes_per_block, 0u, 16777216u, "B",
       "shared memory that one block may use"},
      {"gpu.sm.shared_allocation_unit", &gpu.sm.shared_allocation_unit, 1u, 65536u, "B",
       "shared memory is given in multiples of this"},
      {"gpu.sm.schedulers", &gpu.sm.schedulers, 1u, 16u, "", "warp schedulers"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

void add_functional_and_front_end(std::vector<Field>& fields, Gpu& gpu) {
  const std::vector<Field> own{
      {"gpu.functional.block_start_cycles", &gpu.functional.block_start_cycles, 0u, 1000000u, "core cycles",
       "functional model: time to start a block"},
      {"gpu.functional.milli_cycles_per_warp_instruction", &gpu.functional.milli_cycles_per_warp_instruction,
       1u, 1000000u, "1/1000 core cycle", "functional model: time per machine warp instruction of a block"},
      {"gpu.functional.quantum_warp_instructions", &gpu.functional.quantum_warp_instructions, 1u, 1000000000u,
       "warp instructions", "functional model: instructions of a block before others get their turn"},
      {"gpu.functional.copy_block_bytes", &gpu.functional.copy_block_bytes, 0u, 32768u, "B",
       "functional model: requests of a copy; 0: lines, as on the timed GPU"},
      {"gpu.functional.dram_latency_ps", &gpu.functional.dram_latency_ps, 1u, 1000000000u, "ps",
       "functional model: access latency of device memory seen by copies"},
      {"gpu.front_end.hardware_channels", &gpu.front_end.hardware_channels, 1u, 1024u, "channels",
       "push buffer channels; streams are multiplexed onto them (hu2016 3.4)"},
      {"gpu.front_end.push_buffer_bytes", &gpu.front_end.push_buffer_bytes, 256u, 1073741824u, "B",
       "push buffer of a channel"},
      {"gpu.front_end.queue_width", &gpu.front_end.queue_width, 1u, 4096u, "streams",
       "stream queues of the work distributor"},
      {"gpu.front_end.queue_depth", &gpu.front_end.queue_depth, 1u, 4096u, "commands",
       "commands in one stream queue"},
      {"gpu.front_end.reference_counters", &gpu.front_end.reference_counters, 1u, 4096u, "",
       "kernels in flight"},
      {"gpu.front_end.stream_priorities", &gpu.front_end.stream_priorities, 1u, 64u, "levels",
       "priorities of streams: 0, and above it as many negative numbers; 1: there are none"},
      {"gpu.front_end.decode_cycles_per_command", &gpu.front_end.decode_cycles_per_command, 1u, 1000000u,
       "core cycles", "push buffer command decode"},
      {"gpu.front_end.dispatch_cycles_per_block", &gpu.front_end.dispatch_cycles_per_block, 1u, 1000000u,
       "core cycles", "work distributor: launching one block"},
      {"gpu.front_end.device_launch_cycles", &gpu.front_end.device_launch_cycles, 1u, 1000000u, "core cycles",
       "from a launch by a kernel until the work distributor has it"},
      {"gpu.front_end.device_launch_interval_cycles", &gpu.front_end.device_launch_interval_cycles, 0u,
       1000000u, "core cycles", "between the starts of two kernels that kernels launched"},
      {"gpu.front_end.device_tail_launch_cycles", &gpu.front_end.device_tail_launch_cycles, 0u, 1000000u,
       "core cycles", "from the end of all before a tail launch to its start"},
      {"gpu.front_end.device_launch_call_cycles", &gpu.front_end.device_launch_call_cycles, 0u, 1000000u,
       "core cycles", "for which a launch by a kernel holds up the warp that calls"},
      {"gpu.front_end.user_queues", &gpu.front_end.user_queues, 0u, 1024u, "queues",
       "queues of programs whose packets the GPU takes itself (HSA); 0: it cannot"},
      {"gpu.front_end.packet_cycles", &gpu.front_end.packet_cycles, 1u, 1000000u, "core cycles",
       "decode of a packet of a user queue"},
      {"gpu.front_end.packet_poll_cycles", &gpu.front_end.packet_poll_cycles, 1u, 1000000u, "core cycles",
       "until a packet that is not ready, or a signal that is not 0, is read again"},
      {"gpu.front_end.block_order", &gpu.front_end.block_order, 0u, 0u, "",
       "in which a grid's blocks are dispatched: from the first, from the last, or far from each other",
       kBlockOrders},
      {"gpu.front_end.dispatch", &gpu.front_end.dispatch, 0u, 0u, "",
       "one dispatcher for blocks and another for warps: what a block takes of an SM is free when the block "
       "ends; or one for both: a warp's slot, threads and registers are free when the warp ends",
       kDispatches},
      {"gpu.device_heap.malloc_cycles", &gpu.device_heap.malloc_cycles, 0u, 1000000u, "core cycles",
       "for which device malloc by one lane holds up its warp"},
      {"gpu.device_heap.malloc_lane_cycles", &gpu.device_heap.malloc_lane_cycles, 0u, 1000000u, "core cycles",
       "more, for each further lane that calls with it"},
      {"gpu.device_heap.malloc_interval_cycles", &gpu.device_heap.malloc_interval_cycles, 0u, 1000000u,
       "core cycles", "from device malloc by one lane to the next warp's, on any SM"},
      {"gpu.device_heap.malloc_lane_interval_cycles", &gpu.device_heap.malloc_lane_interval_cycles, 0u,
       1000000u, "core cycles", "more, for each further lane that called with it"},
      {"gpu.device_heap.free_cycles", &gpu.device_heap.free_cycles, 0u, 1000000u, "core cycles",
       "for which device free by one lane holds up its warp"},
      {"gpu.device_heap.free_lane_cycles", &gpu.device_heap.free_lane_cycles, 0u, 1000000u, "core cycles",
       "more, for each further lane that calls with it"},
      {"gpu.copy_engines.count", &gpu.copy_engines.count, 1u, 64u, "", "data transfer engines"},
      {"gpu.copy_engines.outstanding_packets", &gpu.copy_engines.outstanding_packets, 1u, 65536u, "packets",
       "packets of one engine that are being read or wait until their write is sent, or acknowledged"},
      {"gpu.copy_engines.outstanding_acks", &gpu.copy_engines.outstanding_acks, 0u, 65536u, "writes",
       "of one engine, of what it has read, without a trigger, that are sent and not acknowledged; 0: they "
       "keep "
       "their places of outstanding_packets until then"},
      {"gpu.copy_engines.ports", &gpu.copy_engines.ports, 1u, 64u, "ports",
       "of L2's interconnect over which a move inside device memory is spread, a packet a core cycle each; "
       "all but one are every engine's"},
      {"gpu.copy_engines.device_packets", &gpu.copy_engines.device_packets, 0u, 65536u, "packets",
       "as outstanding_packets, for a move inside device memory; 0: as many"},
      {"gpu.copy_engines.bit_engines", &gpu.copy_engines.bit_engines, 0u, 64u, "engines",
       "for changes of full/empty bits without data; 0: copy engines make them"},
      {"gpu.copy_engines.bit_lines_outstanding", &gpu.copy_engines.bit_lines_outstanding, 1u, 65536u, "lines",
       "of one such engine whose bits are being changed"},
      {"gpu.dram.bytes", &gpu.dram.bytes, 1048576u, 35184372088832u, "B", "device memory"},
      {"gpu.dram.page_bytes", &gpu.dram.page_bytes, 4096u, 1073741824u, "B",
       "page of the GPU's address space; a power of two"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

void add_link(std::vector<Field>& fields, const std::string& prefix, Link& link) {
  const std::vector<Field> own{
      {prefix + ".name", &link.name, 0u, 0u, "", "link between host and GPU"},
      {prefix + ".payload_mb_per_s_to_gpu", &link.payload_mb_per_s_to_gpu, 1u, 10000000u, "MB/s",
       "payload bandwidth, host to GPU"},
      {prefix + ".payload_mb_per_s_to_host", &link.payload_mb_per_s_to_host, 1u, 10000000u, "MB/s",
       "payload bandwidth, GPU to host"},
      {prefix + ".packet_payload_bytes", &link.packet_payload_bytes, 4u, 4096u, "B",
       "largest payload of a packet; above 128 whole lines, usable when all have arrived"},
      {prefix + ".latency_ns", &link.latency_ns, 0u, 1000000u, "ns", "one-way latency"},
      {prefix + ".queue_packets", &link.queue_packets, 1u, 1048576u, "packets",
       "packets in each direction's queue"},
      {prefix + ".full_duplex", &link.full_duplex, 0u, 0u, "",
       "the directions do not disturb each other; off: they share one wire and take turns"},
      {prefix + ".header_bytes", &link.header_bytes, 0u, 256u, "B",
       "of a packet on the wire, beside its payload; 0: the bandwidths above are of payload alone"},
      {prefix + ".flit_bytes", &link.flit_bytes, 1u, 256u, "B",
       "a packet takes whole ones of the wire's time"},
      {prefix + ".byte_masks", &link.byte_masks, 0u, 0u, "",
       "a write with holes is one packet; off: one for each run of its bytes"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

void add_driver(std::vector<Field>& fields, Driver& driver) {
  const std::vector<Field> own{
      {"driver.memcpy_sync.call_ns", &driver.memcpy_sync.call_ns, 0u, 1000000000u, "ns",
       "cudaMemcpy: stage (i), until control returns"},
      {"driver.memcpy_sync.driver_ns", &driver.memcpy_sync.driver_ns, 0u, 1000000000u, "ns",
       "cudaMemcpy: stage (ii), driver preparing"},
      {"driver.memcpy_sync.finish_ns", &driver.memcpy_sync.finish_ns, 0u, 1000000000u, "ns",
       "cudaMemcpy: after the work is done"},
      {"driver.memcpy_async.call_ns", &driver.memcpy_async.call_ns, 0u, 1000000000u, "ns",
       "cudaMemcpyAsync: stage (i), until control returns"},
      {"driver.memcpy_async.driver_ns", &driver.memcpy_async.driver_ns, 0u, 1000000000u, "ns",
       "cudaMemcpyAsync: stage (ii), driver preparing"},
      {"driver.memset.call_ns", &driver.memset.call_ns, 0u, 1000000000u, "ns",
       "cudaMemset, cudaMemsetAsync: stage (i), until control returns"},
      {"driver.memset.driver_ns", &driver.memset.driver_ns, 0u, 1000000000u, "ns",
       "cudaMemset, cudaMemsetAsync: stage (ii), driver preparing"},
      {"driver.launch.call_ns", &driver.launch.call_ns, 0u, 1000000000u, "ns",
       "kernel launch: stage (i), until control returns"},
      {"driver.launch.driver_ns", &driver.launch.driver_ns, 0u, 1000000000u, "ns",
       "kernel launch: stage (ii), driver preparing"},
      {"driver.stream_synchronize.call_ns", &driver.stream_synchronize.call_ns, 0u, 1000000000u, "ns",
       "cudaStreamSynchronize: stage (i), until control returns"},
      {"driver.stream_synchronize.finish_ns", &driver.stream_synchronize.finish_ns, 0u, 1000000000u, "ns",
       "cudaStreamSynchronize: after the work is done"},
      {"driver.device_synchronize.call_ns", &driver.device_synchronize.call_ns, 0u, 1000000000u, "ns",
       "cudaDeviceSynchronize: stage (i), until control returns"},
      {"driver.device_synchronize.finish_ns", &driver.device_synchronize.finish_ns, 0u, 1000000000u, "ns",
       "cudaDeviceSynchronize: after the work is done"},
      {"driver.event_synchronize.call_ns", &driver.event_synchronize.call_ns, 0u, 1000000000u, "ns",
       "cudaEventSynchronize: stage (i), until control returns"},
      {"driver.event_synchronize.finish_ns", &driver.event_synchronize.finish_ns, 0u, 1000000000u, "ns",
       "cudaEventSynchronize: after the work is done"},
      {"driver.event_record.call_ns", &driver.event_record.call_ns, 0u, 1000000000u, "ns",
       "cudaEventRecord: stage (i), until control returns"},
      {"driver.event_record.driver_ns", &driver.event_record.driver_ns, 0u, 1000000000u, "ns",
       "cudaEventRecord: stage (ii), driver preparing"},
      {"driver.stream_wait_event.call_ns", &driver.stream_wait_event.call_ns, 0u, 1000000000u, "ns",
       "cudaStreamWaitEvent: stage (i), until control returns"},
      {"driver.stream_wait_event.driver_ns", &driver.stream_wait_event.driver_ns, 0u, 1000000000u, "ns",
       "cudaStreamWaitEvent: stage (ii), driver preparing"},
      {"driver.host_function.call_ns", &driver.host_function.call_ns, 0u, 1000000000u, "ns",
       "cudaLaunchHostFunc: stage (i), until control returns"},
      {"driver.host_function.driver_ns", &driver.host_function.driver_ns, 0u, 1000000000u, "ns",
       "cudaLaunchHostFunc: stage (ii), driver preparing"},
      {"driver.query.call_ns", &driver.query.call_ns, 0u, 1000000000u, "ns",
       "cudaStreamQuery, cudaEventQuery: stage (i), until control returns"},
      {"driver.allocate.call_ns", &driver.allocate.call_ns, 0u, 1000000000u, "ns",
       "cudaMalloc, cudaFree and other memory management: stage (i), until control returns"},
      {"driver.other.call_ns", &driver.other.call_ns, 0u, 1000000000u, "ns",
       "every other call: stage (i), until control returns"},
      {"driver.start_up.opencl_us", &driver.start_up.opencl_us, 0u, 60000000u, "us",
       "OpenCL: the first call of a process, on top of its own latency"},
      {"driver.start_up.hsa_us", &driver.start_up.hsa_us, 0u, 60000000u, "us",
       "hsa_init: the first of a process, on top of its own latency"},
      {"driver.handlers.on_cores", &driver.handlers.on_cores, 0u, 0u, "",
       "work on the GPU's page table and interrupts are code on simulated cores, where there are any"},
      {"driver.handlers.page_ns", &driver.handlers.page_ns, 0u, 1000000u, "ns",
       "where they are no code: an entry of the GPU's page table (method.translation = table)"},
      {"driver.handlers.interrupt_ns", &driver.handlers.interrupt_ns, 0u, 1000000000u, "ns",
       "where they are no code: an interrupt, when a thread has slept until the GPU was done"},
      {"driver.profiler.counters", &driver.profiler.counters, 0u, 0u, "",
       "hardware counters are read around every kernel: kernels run one at a time, and a launch returns when "
       "they have been read"},
      {"driver.profiler.setup_ns", &driver.profiler.setup_ns, 0u, 1000000000u, "ns",
       "with counters, a launch: setting them up"},
      {"driver.profiler.readout_ns", &driver.profiler.readout_ns, 0u, 1000000000u, "ns",
       "with counters, a launch: reading them when the kernel has ended"},
      {"driver.staging.mb_per_s", &driver.staging.mb_per_s, 0u, 10000000u, "MB/s",
       "rate at which the processor moves pageable host memory to and from the staging buffers of a copy; 0: "
       "no staging, pageable memory as fast as pinned"},
      {"driver.staging.chunk_bytes", &driver.staging.chunk_bytes, 4096u, 1073741824u, "B",
       "a piece of a staged copy, and each of its two buffers"},
      {"driver.staging.driver_ns", &driver.staging.piece.driver_ns, 0u, 1000000000u, "ns",
       "stage (ii) of each piece after the first"},
      {"driver.read_ahead", &driver.read_ahead, 0u, 0u, "",
       "a command may be prepared before its predecessor in the stream is complete"},
      {"driver.queue_commands", &driver.queue_commands, 1u, 1048576u, "commands",
       "commands queued per channel before a call waits"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

// Of the driver on cores of the machine.
void add_driver_on_cores(std::vector<Field>& fields, Driver& driver) {
  fields.push_back({"driver.added_to_instructions", &driver.added_to_instructions, 0u, 0u, "",
                    "with --host simulated: a call's latency passes on top of what the program's own "
                    "instructions in the call take; false: it holds them"});
}

void add_host(std::vector<Field>& fields, Host& host) {
  const std::vector<Field> own{
      {"host.name", &host.name, 0u, 0u, "", "host processor"},
      {"host.dram_bytes", &host.dram_bytes, 1048576u, 35184372088832u, "B",
       "host memory; what is pinned, managed or registered has to find room in it"},
      {"host.dram_latency_ns", &host.dram_latency_ns, 0u, 1000000u, "ns",
       "host memory latency seen by the link"},
      {"host.dram_bandwidth_mb_per_s", &host.dram_bandwidth_mb_per_s, 0u, 10000000u, "MB/s",
       "host memory bandwidth for what crosses the link; 0: no limit"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

void add_levels(std::vector<Field>& fields, std::vector<Level>& levels) {
  for (std::size_t i = 0; i < levels.size(); ++i)
    add_level(fields, "level[" + std::to_string(i) + "]", levels[i]);
}

void add_methods(std::vector<Field>& fields, std::vector<Method>& methods, bool maintained, bool translated) {
  for (std::size_t i = 0; i < methods.size(); ++i)
    add_method(fields, "method[" + std::to_string(i) + "]", methods[i], maintained, translated);
}

std::vector<Field> names(std::string& name, std::string& description) {
  return {{"name", &name, 0u, 0u, "", "the machine's name"},
          {"description", &description, 0u, 0u, "", "one line for `duet machines`"}};
}

}  // namespace

std::string statistics_name(const Level& level) {
  std::string name = level.name;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

std::vector<Field> fields_of(Topology& t) {
  std::vector<Field> fields = names(t.name, t.description);
  if (t.gpu) {
    add_gpu(fields, *t.gpu);
    add_functional_and_front_end(fields, *t.gpu);
    add_timed_gpu(fields, *t.gpu);
  }
  if (t.cpu) add_cpu(fields, *t.cpu);
  if (t.memory_fabric) add_memory_fabric(fields, *t.memory_fabric);
  add_levels(fields, t.levels);
  if (t.translation) add_translation(fields, *t.translation);
  add_methods(fields, t.methods, t.memory_fabric.has_value(), t.translation.has_value());
  for (std::size_t i = 0; i < t.links.size(); ++i)
    add_link(fields, t.links.size() == 1 ? "link" : "link[" + std::to_string(i) + "]", t.links[i]);
  if (t.gpu) add_driver(fields, t.driver);
  if (t.gpu && t.cpu) add_driver_on_cores(fields, t.driver);
  add_host(fields, t.host);
  return fields;
}

std::vector<Field> fields_of(Machine& m) {
  std::vector<Field> fields = names(m.name, m.description);
  add_gpu(fields, m.gpu);
  add_functional_and_front_end(fields, m.gpu);
  add_timed_gpu(fields, m.gpu);
  if (m.cpu) add_cpu(fields, *m.cpu);
  if (m.memory_fabric) add_memory_fabric(fields, *m.memory_fabric);
  add_levels(fields, m.levels);
  if (m.translation) add_translation(fields, *m.translation);
  add_methods(fields, m.methods, m.memory_fabric.has_value(), m.translation.has_value());
  add_link(fields, "link", m.link);
  add_driver(fields, m.driver);
  if (m.cpu) add_driver_on_cores(fields, m.driver);
  add_host(fields, m.host);
  return fields;
}

}  // namespace duet::config
