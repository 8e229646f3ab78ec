// Every key of a machine file has an effect: for each there is a workload, and a value that changes what it
// takes (Time: simulated time or a statistic) or what it is told (Told). A key that is not in the table
// fails, so whoever adds one says what it is for.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "config/fields.h"
#include "config/loader.h"
#include "keys/workloads.h"
#include "machine/rules/idle_keys.h"

namespace duet::keys {
namespace {

enum class Effect {
  Time,        // simulated time, or a statistic
  Told,        // what a program is told, or what its calls answer
  Standstill,  // the workload cannot go on
  Refused,     // this value, and every other but that of the machine
  Label,       // names a thing for people; no program sees it
  Elsewhere    // of an interface that no workload uses: tests/opencl and tests/hsa see it
};

struct Row {
  const char* key;
  const char* value;
  Workload workload;
  std::vector<std::string> sets = {};  // of both runs
  Effect effect = Effect::Time;
  std::string machine = "gtx580";
};

// Small enough to be quick, and its caches to be full.
const std::vector<std::string> kSmall{"gpu.sm.count=2", "gpu.l2_slices=2",         "gpu.dram.channels=2",
                                      "gpu.l2.sets=16", "gpu.dram.bytes=67108864", "host.dram_bytes=67108864",
                                      "gpu.l2.mshrs=64"};
const std::vector<std::string> kHbm3{"gpu.dram.standard=HBM3", "gpu.dram.ranks=2", "gpu.dram.timing.rrd_l=9",
                                     "gpu.dram.timing.wtr_l=9"};
const std::vector<std::string> kBankRefresh{"gpu.dram.standard=HBM3", "gpu.dram.refresh_unit=bank",
                                            "gpu.dram.timing.refi=6000", "gpu.dram.timing.rfc_pb=100",
                                            "gpu.dram.timing.rrefd=8"};

const std::vector<Row>& time_of_sms() {
  static const std::vector<Row> rows{
      {"gpu.core_clock_khz", "600000", arithmetic},
      {"gpu.sm.count", "1", arithmetic},
      {"gpu.sm.warp_width", "16", arithmetic},
      {"gpu.sm.max_warps", "16", occupancy},
      {"gpu.sm.max_blocks", "2", occupancy},
      {"gpu.sm.max_threads", "512", occupancy},
      {"gpu.sm.registers", "16384", occupancy},
      {"gpu.sm.register_allocation_unit", "2048", occupancy},
      {"gpu.sm.warp_allocation_unit", "16", occupancy},
      {"gpu.sm.shared_bytes", "16384", occupancy, {"gpu.sm.max_shared_bytes_per_block=16384"}},
      {"gpu.sm.shared_allocation_unit", "16384", occupancy},
      {"gpu.sm.schedulers", "1", arithmetic},
      {"gpu.sm.scheduler", "lrr", memory},
      {"gpu.sm.blocking_issue", "true", arithmetic},
      {"gpu.sm.commit_cycles", "24", arithmetic, {"gpu.sm.blocking_issue=true"}},
      {"gpu.sm.instruction_bytes", "16", code},
      {"gpu.sm.instruction_buffer", "4", code},
      {"gpu.sm.fetch_instructions", "1", code},
      {"gpu.sm.decode_cycles", "9", code},
      {"gpu.sm.sequence_interval_cycles", "9", arithmetic},
      {"gpu.sm.register_banks", "0", arithmetic},
      {"gpu.sm.collector_units", "1", arithmetic},
      {"gpu.sm.sp_units", "1", arithmetic},
      {"gpu.sm.sfu_units", "2", arithmetic},
      {"gpu.sm.dp_units", "2", arithmetic},
      {"gpu.sm.load_store_queue", "1", memory},
      {"gpu.sm.pending_instructions", "2", memory},
      {"gpu.sm.coalesced_threads", "8", memory},
      {"gpu.sm.memory_requests", "2", memory},
      {"gpu.sm.shared_latency_cycles", "40", memory},
      {"gpu.sm.shared_pass_cycles", "40", memory},
      {"gpu.sm.shared_banks", "16", memory},
      {"gpu.sm.global_in_l1", "false", memory},
      {"gpu.sm.constants_cached", "false", memory},
      {"gpu.sm.integer.latency_cycles", "14", arithmetic},
      {"gpu.sm.integer.interval_cycles", "3", arithmetic},
      {"gpu.sm.integer_multiply.latency_cycles", "14", arithmetic},
      {"gpu.sm.integer_multiply.interval_cycles", "3", arithmetic},
      {"gpu.sm.ptx_instructions", "true", arithmetic},
      {"gpu.sm.integer_division.latency_cycles", "14", arithmetic, {"gpu.sm.ptx_instructions=true"}},
      {"gpu.sm.integer_division.interval_cycles", "3", arithmetic, {"gpu.sm.ptx_instructions=true"}},
      {"gpu.sm.floating.latency_cycles", "14", arithmetic},
      {"gpu.sm.floating.interval_cycles", "3", arithmetic},
      {"gpu.sm.double_precision.latency_cycles", "21", arithmetic},
      {"gpu.sm.double_precision.interval_cycles", "3", arithmetic},
      {"gpu.sm.special_function.latency_cycles", "14", arithmetic},
      {"gpu.sm.special_function.interval_cycles", "3", arithmetic},
      {"gpu.sm.half.latency_cycles", "14", arithmetic},
      {"gpu.sm.half.interval_cycles", "3", arithmetic},
      {"gpu.sm.conversion.latency_cycles", "14", arithmetic},
      {"gpu.sm.conversion.interval_cycles", "3", arithmetic},
      {"gpu.sm.int_units", "2", arithmetic},
      {"gpu.sm.shift.latency_cycles", "14", arithmetic},
      {"gpu.sm.shift.interval_cycles", "3", arithmetic},
      {"gpu.sm.bit_count.latency_cycles", "14", arithmetic},
      {"gpu.sm.bit_count.interval_cycles", "3", arithmetic},
      {"gpu.sm.shuffle.latency_cycles", "14", exchanges},
      {"gpu.sm.shuffle.interval_cycles", "3", exchanges},
      {"gpu.sm.barrier.latency_cycles", "14", exchanges},
      {"gpu.sm.barrier.interval_cycles", "3", exchanges},
      {"gpu.sm.control.latency_cycles", "14", arithmetic},
      {"gpu.sm.control.interval_cycles", "3", arithmetic},
  };
  return rows;
}

const std::vector<std::string> kPrefetch{"gpu.l1.prefetcher=stride", "gpu.full_empty.granule_bytes=0",
                                         "gpu.l1.prefetch_sets=2"};

const std::vector<Row>& caches() {
  static const std::vector<Row> rows{
      {"gpu.l1.sets", "4", memory},
      {"gpu.l1.ways", "1", memory},
      {"gpu.l1.line_bytes", "64", memory, {"gpu.l1.sector_bytes=64"}},
      {"gpu.l1.sector_bytes", "32", memory},
      {"gpu.l1.latency_cycles", "30", memory},
      {"gpu.l1.mshrs", "2", memory},
      {"gpu.l1.mshr_targets", "1", memory},
      {"gpu.l1.queue_entries", "1", memory},
      {"gpu.l1.write_back", "true", memory, {"gpu.l1.write_evict=false"}},
      {"gpu.l1.write_allocate", "true", memory, {"gpu.l1.write_evict=false"}},
      {"gpu.l1.write_evict", "false", memory},
      {"gpu.l1.hash_sets", "false", memory},
      {"gpu.l1.atomic_words_per_cycle", "4", memory, {"gpu.l1.write_evict=false", "gpu.l1.write_back=true"}},
      {"gpu.l1.replacement", "random", memory},
      {"gpu.l1.pass_cycles", "3", memory},
      {"gpu.l1.command_cycles", "1000", memory},
      {"gpu.l1.command_line_cycles", "10", memory},
      {"gpu.l1.prefetcher", "stride", strides, {"gpu.full_empty.granule_bytes=0"}},
      {"gpu.l1.prefetch_sets", "1", strides, kPrefetch},
      {"gpu.l1.prefetch_ways", "1", strides, kPrefetch},
      {"gpu.l1.prefetch_confidence", "5", strides, kPrefetch},
      {"gpu.l1.prefetch_distance", "3", strides, kPrefetch},
      {"gpu.l1.prefetch_degree", "3", strides, kPrefetch},
      {"gpu.l1.prefetch_queue", "1", strides, kPrefetch},
      {"gpu.constant_cache.sets", "4", memory},
      {"gpu.constant_cache.ways", "1", memory},
      {"gpu.constant_cache.line_bytes", "128", memory},
      {"gpu.constant_cache.sector_bytes", "32", memory},
      {"gpu.constant_cache.latency_cycles", "9", memory},
      {"gpu.constant_cache.mshrs", "1", memory},
      {"gpu.constant_cache.mshr_targets", "1", memory},
      {"gpu.constant_cache.queue_entries", "1", memory},
      {"gpu.constant_cache.hash_sets", "true", memory},
      {"gpu.constant_cache.replacement", "random", memory},
      {"gpu.instruction_cache.sets", "1", code},
      {"gpu.instruction_cache.ways", "1", code},
      {"gpu.instruction_cache.line_bytes", "64", code},
      {"gpu.instruction_cache.latency_cycles", "9", code},
      {"gpu.instruction_cache.mshrs", "1", code},
      {"gpu.instruction_cache.prefetch_lines", "8", code},
      {"gpu.l2_slices", "4", memory},
      {"gpu.l2.sets", "64", memory},
      {"gpu.l2.ways", "2", memory},
      {"gpu.l2.sector_bytes", "32", memory},
      {"gpu.l2.latency_cycles", "50", memory},
      {"gpu.l2.mshrs", "2", memory},
      {"gpu.l2.mshr_targets", "1", memory},
      {"gpu.l2.queue_entries", "1", memory},
      {"gpu.l2.write_allocate", "false", memory},
      {"gpu.l2.hash_sets", "true", memory},
      {"gpu.l2.replacement", "random", memory},
      {"gpu.l2.atomic_words_per_cycle", "1", memory},
      {"gpu.l2.atomic_conflict_cycles", "1", memory},
      {"gpu.interconnect.clock_khz", "500000", memory},
      {"gpu.interconnect.flit_bytes", "16", memory},
      {"gpu.interconnect.header_bytes", "40", memory},
      {"gpu.interconnect.latency_cycles", "25", memory},
      {"gpu.interconnect.queue_packets", "1", memory},
  };
  return rows;
}

const std::vector<std::string> kSectors{"gpu.l1.sector_bytes=32", "gpu.l2.sector_bytes=32"};
const std::string kL3 = DUET_SOURCE_DIRECTORY "/tests/keys/l3.toml";

// Of L2, what only a level below it makes possible, and of that level.
const std::vector<Row>& levels() {
  static const auto row = [](const char* key, const char* value, std::vector<std::string> sets = {}) {
    return Row{key, value, memory, std::move(sets), Effect::Time, kL3};
  };
  static const std::vector<Row> rows{
      {"gpu.l2.line_bytes", "64", memory, {"gpu.full_empty.granule_bytes=0", "gpu.l2.sector_bytes=32"}},
      row("gpu.l2.fetch_on_write", "true", {"gpu.full_empty.granule_bytes=0"}),
      row("gpu.l2.write_back", "false"),
      row("gpu.l2.write_evict", "true", {"gpu.l2.write_back=false", "gpu.l2.write_allocate=false"}),
      {"level[0].name", "", nullptr, {}, Effect::Label},
      row("level[0].slices", "4"),
      row("level[0].sets", "64"),
      row("level[0].ways", "2"),
      row("level[0].line_bytes", "64", {"level[0].sector_bytes=64", "gpu.full_empty.granule_bytes=0"}),
      row("level[0].sector_bytes", "32", kSectors),
      row("level[0].latency_cycles", "50"),
      row("level[0].mshrs", "2"),
      row("level[0].mshr_targets", "1", kSectors),
      row("level[0].queue_entries", "1", {"gpu.dram.queue_entries=1"}),
      row("level[0].write_back", "false",
          {"gpu.l2.atomic_words_per_cycle=4", "level[0].atomic_words_per_cycle=0"}),
      row("level[0].write_allocate", "false"),
      row("level[0].fetch_on_write", "true",
          {"gpu.l2.write_back=false", "gpu.l2.write_allocate=false", "gpu.full_empty.granule_bytes=0"}),
      row("level[0].write_evict", "true",
          {"gpu.l2.atomic_words_per_cycle=4", "level[0].atomic_words_per_cycle=0",
           "level[0].write_back=false", "level[0].write_allocate=false"}),
      row("level[0].hash_sets", "false"),
      row("level[0].replacement", "random"),
      row("level[0].atomic_words_per_cycle", "1"),
      row("level[0].atomic_conflict_cycles", "9"),
      row("level[0].interconnect.clock_khz", "500000"),
      row("level[0].interconnect.flit_bytes", "16"),
      row("level[0].interconnect.header_bytes", "40"),
      row("level[0].interconnect.latency_cycles", "25"),
      row("level[0].interconnect.queue_packets", "1"),
      row("level[0].wire_cycles", "30"),
      {"level[0].shared_with_processor", "true", memory, {}, Effect::Refused, kL3},
      row("level[0].perfect", "true", {"gpu.full_empty.granule_bytes=0"}),
      row("level[0].pending_requests", "2",
          {"gpu.full_empty.granule_bytes=0", "gpu.l2.atomic_words_per_cycle=4",
           "level[0].atomic_words_per_cycle=0"}),
  };
  return rows;
}

const std::vector<Row>& methods() {
  static const std::vector<Row> rows{
      {"method[0].name", "", nullptr, {}, Effect::Label},
      {"method[0].calls", "cudaFree", memory, {}, Effect::Refused},
      {"method[0].cpu", "write-back", memory, {}, Effect::Refused},
      {"method[0].gpu_l1", "false", memory},
      {"method[0].gpu_l2", "false", memory},
      {"method[0].route", "link", memory, {}, Effect::Refused},
      {"method[0].coalesced", "false", memory},
      {"method[1].name", "", nullptr, {}, Effect::Label},
      {"method[1].calls", "cudaMalloc", memory, {}, Effect::Refused},
      {"method[1].cpu", "uncached", memory, {}, Effect::Refused},
      {"method[1].gpu_l1", "true", memory, {}, Effect::Refused},
      {"method[1].gpu_l2", "true", memory, {}, Effect::Refused},
      {"method[1].route", "memory", memory, {}, Effect::Refused},
      {"method[1].coalesced", "false", calls},
      {"method[2].name", "", nullptr, {}, Effect::Label},
      {"method[2].calls", "cudaMalloc", memory, {}, Effect::Refused},
      {"method[2].cpu", "none", memory, {}, Effect::Refused},
      {"method[2].gpu_l1", "true", memory, {}, Effect::Refused},
      {"method[2].gpu_l2", "true", memory, {}, Effect::Refused},
      {"method[2].route", "memory", memory, {}, Effect::Refused},
      {"method[2].coalesced", "false", calls},
  };
  return rows;
}

const std::vector<Row>& dram() {
  static const std::vector<Row> rows{
      {"gpu.dram.bytes", "33554432", limits, {}, Effect::Told},
      {"gpu.dram.page_bytes", "65536", memory, {}, Effect::Told},
      {"gpu.dram.channels", "1", memory},
      {"gpu.dram.command_clock_khz", "500000", memory},
      {"gpu.dram.burst_cycles", "4", memory},
      {"gpu.dram.burst_bytes", "32", memory},
      {"gpu.dram.read_bytes", "32", memory, {"gpu.l2.sector_bytes=32"}},
      {"gpu.dram.standard", "DDR3", memory, {"gpu.dram.bank_groups=1"}},
      {"gpu.dram.banks", "4", memory},
      {"gpu.dram.bank_groups", "1", memory},
      {"gpu.dram.ranks", "2", memory, {"gpu.dram.standard=HBM3"}},
      {"gpu.dram.row_bytes", "1024", memory},
      {"gpu.dram.queue_entries", "2", memory},
      {"gpu.dram.controller_cycles", "50", memory},
      {"gpu.dram.scheduler", "fcfs", memory},
      {"gpu.dram.row_policy", "closed", memory},
      {"gpu.dram.refresh", "false", memory},
      {"gpu.dram.refresh_unit", "rank", memory, kBankRefresh},
      {"gpu.dram.interleave_bytes", "1024", memory},
      {"gpu.dram.address_fields", "row column:4 bank:2 group:2 column:8", memory},
      {"gpu.dram.hash_channels", "true", memory},
      {"gpu.dram.timing.rcd", "24", memory},
      {"gpu.dram.timing.rp", "24", memory},
      {"gpu.dram.timing.ras", "60", memory},
      {"gpu.dram.timing.rc", "90", memory},
      {"gpu.dram.timing.rrd", "20", memory},
      {"gpu.dram.timing.rrd_l", "40", memory, kHbm3},
      {"gpu.dram.timing.faw", "90", memory},
      {"gpu.dram.timing.aw32", "900", memory},
      {"gpu.dram.timing.cl", "30", memory},
      {"gpu.dram.timing.wl", "20", memory},
      {"gpu.dram.timing.ccd", "9", memory},
      {"gpu.dram.timing.ccd_l", "9", memory},
      {"gpu.dram.timing.wtr", "30", memory},
      {"gpu.dram.timing.wtr_l", "60", memory, kHbm3},
      {"gpu.dram.timing.wr", "60", memory},
      {"gpu.dram.timing.rtp", "40", memory},
      {"gpu.dram.timing.rtw", "50", memory},
      {"gpu.dram.timing.rtrs", "9", memory, kHbm3},
      {"gpu.dram.timing.rfc", "500", memory},
      {"gpu.dram.timing.rfc_pb", "300", memory, kBankRefresh},
      {"gpu.dram.timing.rrefd", "90", memory, kBankRefresh},
      {"gpu.dram.timing.refi", "1000", memory},
  };
  return rows;
}

const std::vector<Row>& full_empty() {
  static const std::vector<Row> rows{
      {"gpu.full_empty.granule_bytes", "128", limits, {}, Effect::Told},
      {"gpu.full_empty.queues", "4", tracked},
      {"gpu.full_empty.queue_entries", "1", tracked},
      {"gpu.full_empty.look_ahead", "16", tracked},
      {"gpu.full_empty.region_bytes", "1048576", limits, {}, Effect::Told},
      {"gpu.full_empty.bits", "inline", tracked},
      {"gpu.full_empty.atomic", "none", tracked},
      {"gpu.full_empty.narrow_store", "keep", tracked, {}, Effect::Standstill},
      {"gpu.full_empty.loads_in_l1", "false", tracked},
      {"gpu.full_empty.tracked", "all", tracked},
      {"gpu.full_empty.start", "empty", tracked, {}, Effect::Standstill},
      {"gpu.full_empty.reads_per_fill", "2", tracked, {}, Effect::Standstill},
      {"gpu.full_empty.nack_cycles", "100", tracked},
      {"gpu.full_empty.nack_limit", "2", tracked, {"gpu.full_empty.nack_cycles=100"}},
      {"gpu.full_empty.valid_masks", "false", tracked},
      {"gpu.full_empty.write_through", "false", tracked, {}, Effect::Standstill},
      {"gpu.full_empty.program_order", "false", tracked},
      {"gpu.full_empty.order_grain", "warp", tracked},
      {"gpu.full_empty.order_entries", "1", tracked},
      {"gpu.full_empty.class_credits", "false", tracked},
      {"gpu.full_empty.merge_by_trigger", "false", tracked},
      {"gpu.copy_engines.bit_engines", "0", tracked, {}, Effect::Standstill},
      {"gpu.copy_engines.bit_lines_outstanding", "1", tracked},
  };
  return rows;
}

const std::vector<Row>& front_end_and_host() {
  static const std::vector<std::string> counters{"driver.profiler.counters=true"};
  static const std::vector<Row> rows{
      {"gpu.front_end.hardware_channels", "8", streams},
      {"gpu.front_end.push_buffer_bytes", "256", streams},
      {"gpu.front_end.queue_width", "1", streams},
      {"gpu.front_end.queue_depth", "1", streams, {"driver.read_ahead=true"}},
      {"gpu.front_end.reference_counters", "1", streams},
      {"gpu.front_end.decode_cycles_per_command", "400", calls},
      {"gpu.front_end.dispatch_cycles_per_block", "400", calls},
      {"gpu.front_end.device_launch_cycles", "400", nested},
      {"gpu.front_end.device_launch_interval_cycles", "90000", nested},
      {"gpu.front_end.device_tail_launch_cycles", "90000", nested},
      {"gpu.front_end.device_launch_call_cycles", "90000", nested},
      {"gpu.front_end.user_queues", "2", limits, {}, Effect::Told},
      {"gpu.front_end.packet_cycles", "900", user_queues, {"gpu.front_end.user_queues=2"}},
      {"gpu.front_end.packet_poll_cycles", "9000", user_queues, {"gpu.front_end.user_queues=2"}},
      {"gpu.front_end.block_order", "reversed", hand_over},
      {"gpu.front_end.dispatch", "cross_level", uneven},
      {"gpu.device_heap.malloc_cycles", "90000", heap},
      {"gpu.device_heap.malloc_lane_cycles", "9000", heap},
      {"gpu.device_heap.malloc_interval_cycles", "90000", heap},
      {"gpu.device_heap.malloc_lane_interval_cycles", "9000", heap},
      {"gpu.device_heap.free_cycles", "90000", heap},
      {"gpu.device_heap.free_lane_cycles", "9000", heap},
      {"gpu.copy_engines.count", "1", calls},
      {"gpu.copy_engines.outstanding_packets", "2", calls},
      {"gpu.copy_engines.outstanding_acks", "0", calls},
      {"gpu.copy_engines.ports", "1", calls},
      {"gpu.copy_engines.device_packets", "0", calls},
      {"link.payload_mb_per_s_to_gpu", "1000", calls},
      {"link.payload_mb_per_s_to_host", "1000", calls},
      {"link.packet_payload_bytes", "64", calls},
      {"link.latency_ns", "700", calls},
      {"link.queue_packets", "1", calls},
      {"link.full_duplex", "false", calls},
      {"link.header_bytes", "64", calls},
      {"link.flit_bytes", "256", calls},
      {"link.byte_masks", "false", calls},
      {"driver.staging.mb_per_s", "1000", pageable},
      {"driver.staging.chunk_bytes", "16384", pageable},
      {"driver.staging.driver_ns", "77777", pageable, {"driver.staging.chunk_bytes=16384"}},
      {"driver.memcpy_sync.call_ns", "77777", calls},
      {"driver.memcpy_sync.driver_ns", "77777", calls},
      {"driver.memcpy_sync.finish_ns", "77777", calls},
      {"driver.memcpy_async.call_ns", "77777", calls},
      {"driver.memcpy_async.driver_ns", "77777", calls},
      {"driver.memset.call_ns", "77777", calls},
      {"driver.memset.driver_ns", "77777", calls},
      {"driver.launch.call_ns", "77777", calls},
      {"driver.launch.driver_ns", "77777", calls},
      {"driver.stream_synchronize.call_ns", "77777", calls},
      {"driver.stream_synchronize.finish_ns", "77777", calls},
      {"driver.device_synchronize.call_ns", "77777", calls},
      {"driver.device_synchronize.finish_ns", "77777", calls},
      {"driver.event_synchronize.call_ns", "77777", calls},
      {"driver.event_synchronize.finish_ns", "77777", calls},
      {"driver.event_record.call_ns", "77777", calls},
      {"driver.event_record.driver_ns", "77777", calls},
      {"driver.stream_wait_event.call_ns", "77777", calls},
      {"driver.stream_wait_event.driver_ns", "77777", calls},
      {"driver.host_function.call_ns", "77777", calls},
      {"driver.host_function.driver_ns", "77777", calls},
      {"driver.query.call_ns", "77777", calls},
      {"driver.allocate.call_ns", "77777", calls},
      {"driver.other.call_ns", "77777", calls},
      {"driver.start_up.opencl_us", "", nullptr, {}, Effect::Elsewhere},
      {"driver.start_up.hsa_us", "", nullptr, {}, Effect::Elsewhere},
      {"driver.handlers.on_cores", "", nullptr, {}, Effect::Elsewhere},
      {"driver.handlers.page_ns", "", nullptr, {}, Effect::Elsewhere},
      {"driver.handlers.interrupt_ns", "", nullptr, {}, Effect::Elsewhere},
      {"driver.profiler.counters", "true", calls},
      {"driver.profiler.setup_ns", "77777", calls, counters},
      {"driver.profiler.readout_ns", "77777", calls, counters},
      {"driver.read_ahead", "true", calls},
      {"driver.queue_commands", "1", streams},
      {"host.dram_bytes", "1048576", limits, {}, Effect::Told},
      {"host.dram_latency_ns", "700", calls},
      {"host.dram_bandwidth_mb_per_s", "1000", calls},
  };
  return rows;
}

const std::vector<Row>& told_only() {
  static const std::vector<Row> rows{
      {"name", "", nullptr, {}, Effect::Label},
      {"description", "", nullptr, {}, Effect::Label},
      {"link.name", "", nullptr, {}, Effect::Label},
      {"host.name", "", nullptr, {}, Effect::Label},
      {"gpu.name", "another", limits, {}, Effect::Told},
      {"gpu.compute_capability_major", "9", limits, {}, Effect::Told},
      {"gpu.compute_capability_minor", "1", limits, {}, Effect::Told},
      {"gpu.constant_bytes", "4096", limits, {}, Effect::Told},
      {"gpu.max_grid_x", "7", limits, {}, Effect::Told},
      {"gpu.max_grid_y", "7", limits, {}, Effect::Told},
      {"gpu.max_grid_z", "7", limits, {}, Effect::Told},
      {"gpu.max_block_x", "7", limits, {}, Effect::Told},
      {"gpu.max_block_y", "7", limits, {}, Effect::Told},
      {"gpu.max_block_z", "7", limits, {}, Effect::Told},
      {"gpu.sm.max_threads_per_block", "512", limits, {}, Effect::Told},
      {"gpu.sm.max_registers_per_thread", "20", occupancy},
      {"gpu.sm.max_shared_bytes_per_block", "1024", limits, {}, Effect::Told},
      {"gpu.integrated", "true", limits, {}, Effect::Told},
      {"gpu.front_end.stream_priorities", "6", limits, {}, Effect::Told},
      {"gpu.concurrent_managed_access", "true", limits, {}, Effect::Told},
  };
  return rows;
}

const std::vector<Row>& functional_gpu() {
  static const std::vector<Row> rows{
      {"gpu.functional.block_start_cycles", "700", calls},
      {"gpu.functional.milli_cycles_per_warp_instruction", "9000", calls},
      {"gpu.functional.quantum_warp_instructions", "64", hand_over},
      {"gpu.functional.copy_block_bytes", "0", calls},
      {"gpu.functional.dram_latency_ps", "900000", calls},
  };
  return rows;
}

std::vector<std::string> sets_of(const Row& row, bool moved) {
  std::vector<std::string> sets = kSmall;
  sets.insert(sets.end(), row.sets.begin(), row.sets.end());
  if (moved) sets.push_back(std::string(row.key) + "=" + row.value);
  return sets;
}

// Without the row's value; many rows have it in common.
const Outcome& before(const Row& row, bool functional) {
  static std::map<std::tuple<Workload, std::string, std::vector<std::string>, bool>, Outcome> known;
  const auto [found, is_new] =
      known.try_emplace({row.workload, row.machine, sets_of(row, false), functional});
  if (is_new) found->second = run(row.machine, sets_of(row, false), functional, row.workload);
  return found->second;
}
Outcome after(const Row& row, bool functional) {
  return run(row.machine, sets_of(row, true), functional, row.workload);
}

std::string difference(const Row& row, bool functional) {
  const Outcome &one = before(row, functional), other = after(row, functional);
  if (row.effect == Effect::Refused)
    return other.refused.find(row.key) != std::string::npos ? "" : "it is not refused: " + other.refused;
  if (!one.refused.empty()) return "before: " + one.refused;
  if (row.effect == Effect::Standstill)
    return other.refused.find("can make no progress") != std::string::npos ? "" : "it goes on";
  if (!other.refused.empty()) return "after: " + other.refused;
  if (row.workload != limits)  // all calls succeed: what they answer otherwise is a line of its own
    for (const Outcome& outcome : {one, other})
      if (std::count(outcome.told.begin(), outcome.told.end(), '\n') != 1)
        return "a call fails: " + outcome.told.substr(0, outcome.told.find('\n'));
  const bool same = row.effect == Effect::Time ? one.time == other.time : one.told == other.told;
  return same ? "nothing changes" : "";
}

// One row in `step` by day, all at night (tests/whole.py).
class Some {
 public:
  explicit Some(unsigned step) : step_(std::getenv("DUET_TEST_WHOLE") != nullptr ? 1 : step) {}
  bool next() { return number_++ % step_ == 0; }

 private:
  unsigned step_, number_ = 0;
};

void expect_effects(const std::vector<Row>& rows, bool functional = false) {
  Some some(3);
  for (const Row& row : rows) {
    if (row.workload == nullptr || !some.next()) continue;
    EXPECT_EQ(difference(row, functional), "") << row.key << " = " << row.value;
  }
}

TEST(Keys, OfSms) { expect_effects(time_of_sms()); }
TEST(Keys, OfCaches) { expect_effects(caches()); }
TEST(Keys, OfLevels) { expect_effects(levels()); }
TEST(Keys, OfMethods) { expect_effects(methods()); }
TEST(Keys, OfDram) { expect_effects(dram()); }
TEST(Keys, OfFullEmptyBits) { expect_effects(full_empty()); }
TEST(Keys, OfFrontEndAndHost) { expect_effects(front_end_and_host()); }
TEST(Keys, ThatAProgramIsTold) { expect_effects(told_only()); }
TEST(Keys, OfTheFunctionalGpu) { expect_effects(functional_gpu(), true); }

using Tables = std::vector<const std::vector<Row>*>;
const Tables& timed_tables() {
  static const Tables tables{
      &time_of_sms(),        &caches(),   &levels(), &methods(), &dram(), &full_empty(),
      &front_end_and_host(), &told_only()};
  return tables;
}

bool is_run(const Row& row) { return row.workload != nullptr && row.effect != Effect::Refused; }

std::string why_idle(const Row& row, bool functional) {
  return machine::why_idle(
      config::load_machine(row.machine, DUET_SOURCE_DIRECTORY "/machines", sets_of(row, false)).machine,
      row.key, functional);
}

// What has an effect is not called idle.
TEST(IdleKeys, NoneHasAnEffect) {
  for (const std::vector<Row>* rows : timed_tables())
    for (const Row& row : *rows) {
      if (is_run(row)) {
        EXPECT_EQ(why_idle(row, false), "") << row.key;
      }
    }
  for (const Row& row : functional_gpu()) {
    EXPECT_EQ(why_idle(row, true), "") << row.key;
    EXPECT_NE(why_idle(row, false), "") << row.key;
  }
}

void expect_idle(const Row& row) {
  EXPECT_NE(why_idle(row, false), "") << row.key;
  const Outcome &one = before(row, false), other = after(row, false);
  EXPECT_EQ(one.refused + other.refused, "") << row.key;
  EXPECT_TRUE(one.time == other.time && one.told == other.told) << row.key << " has an effect";
}

// Each rule: what is idle changes nothing.
TEST(IdleKeys, ChangeNothing) {
  static const std::vector<std::string> no_bits{"gpu.full_empty.granule_bytes=0"};
  static const std::vector<std::string> ddr3{"gpu.dram.standard=DDR3", "gpu.dram.bank_groups=1"};
  static const std::vector<std::string> no_refresh{"gpu.dram.refresh=false"};
  static const std::vector<std::string> no_order{"gpu.full_empty.program_order=false"};
  const std::vector<Row> rows{
      {"gpu.functional.block_start_cycles", "777", memory},
      {"gpu.full_empty.class_credits", "false", memory, no_bits},
      {"gpu.copy_engines.bit_engines", "0", calls, no_bits},
      {"gpu.copy_engines.bit_lines_outstanding",
       "1",
       tracked,
       {"gpu.copy_engines.bit_engines=0", "gpu.copy_engines.count=3"}},
      {"gpu.full_empty.nack_limit", "1", tracked},
      {"gpu.full_empty.order_grain", "warp", tracked, no_order},
      {"gpu.full_empty.order_entries", "1", tracked, no_order},
      {"gpu.full_empty.order_entries", "1", tracked, {"gpu.full_empty.order_grain=warp"}},
      {"driver.profiler.setup_ns", "1", calls},
      {"driver.profiler.readout_ns", "1", calls},
      {"gpu.front_end.queue_depth", "1", streams},
      {"gpu.front_end.queue_depth", "1", calls},
      {"gpu.front_end.queue_depth", "1", tracked},
      {"gpu.l2.atomic_conflict_cycles", "1", memory, {"gpu.l2.atomic_words_per_cycle=0"}},
      {"gpu.constant_cache.sets", "4", memory, {"gpu.sm.constants_cached=false"}},
      {"gpu.constant_cache.ways", "1", memory, {"gpu.sm.constants_cached=false"}},
      {"gpu.constant_cache.replacement", "random", memory, {"gpu.sm.constants_cached=false"}},
      {"gpu.sm.commit_cycles", "24", arithmetic},
      {"method[0].gpu_l1", "false", memory, {"gpu.sm.global_in_l1=false", "gpu.sm.constants_cached=false"}},
      {"gpu.l1.prefetch_sets", "1", strides},
      {"gpu.l1.prefetch_distance", "3", strides},
      {"gpu.dram.refresh_unit", "bank", memory, {"gpu.dram.refresh=false", "gpu.dram.standard=HBM3"}},
      {"gpu.dram.timing.refi", "1", memory, no_refresh},
      {"gpu.dram.timing.rfc", "900", memory, no_refresh},
      {"gpu.dram.timing.rfc_pb", "900", memory},
      {"gpu.dram.timing.rrefd", "900", memory},
      {"gpu.dram.timing.rrd_l", "900", memory},
      {"gpu.dram.timing.wtr_l", "900", memory},
      {"gpu.dram.timing.rtrs", "900", memory},
      {"gpu.dram.timing.rtrs", "900", memory, ddr3},
      {"gpu.dram.timing.aw32", "900", memory, ddr3},
      {"gpu.dram.timing.ccd_l", "900", memory, ddr3},
      {"gpu.dram.timing.rfc", "900", memory, kBankRefresh},
      {"level[0].atomic_words_per_cycle",
       "1",
       memory,
       {"gpu.l2.atomic_words_per_cycle=16"},
       Effect::Time,
       kL3},
      {"level[0].atomic_conflict_cycles",
       "1",
       memory,
       {"level[0].atomic_words_per_cycle=0"},
       Effect::Time,
       kL3},
  };
  Some some(3);
  for (const Row& row : rows)
    if (some.next()) expect_idle(row);
  const std::vector<std::string> perfect{"level[0].perfect=true", "gpu.full_empty.granule_bytes=0"};
  for (const auto& [key, value] : {std::pair("sets", "64"),
                                   {"ways", "2"},
                                   {"sector_bytes", "32"},
                                   {"mshrs", "2"},
                                   {"mshr_targets", "1"},
                                   {"hash_sets", "false"},
                                   {"replacement", "random"}}) {
    const std::string name = std::string("level[0].") + key;
    if (some.next()) expect_idle({name.c_str(), value, memory, perfect, Effect::Time, kL3});
  }
  const std::vector<std::string> pool{"level[0].pending_requests=8", "gpu.full_empty.granule_bytes=0",
                                      "gpu.l2.atomic_words_per_cycle=4", "level[0].atomic_words_per_cycle=0"};
  for (const auto& [key, value] : {std::pair("level[0].mshrs", "2"), {"level[0].mshr_targets", "1"}})
    if (some.next()) expect_idle({key, value, memory, pool, Effect::Time, kL3});
  for (Row row : full_empty()) {
    row.sets = no_bits;
    if (why_idle(row, false) == "") continue;
    for (const Workload workload : {memory, calls}) {
      row.workload = workload;
      if (some.next()) expect_idle(row);
    }
  }
}

// On the functional GPU every key of the timed one either changes something or is called idle.
TEST(IdleKeys, OnTheFunctionalGpu) {
  // What these workloads do not show there: a queue that is never full, and packets within a request.
  const std::set<std::string> unseen{"gpu.front_end.queue_depth", "link.packet_payload_bytes"};
  Some some(8);
  for (const std::vector<Row>* rows : timed_tables())
    for (const Row& row : *rows) {
      if (!is_run(row) || row.machine != "gtx580" || unseen.contains(row.key) || !some.next()) continue;
      const Outcome &one = before(row, true), other = after(row, true);
      EXPECT_EQ(one.refused + other.refused, "") << row.key;
      const bool same = one.time == other.time && one.told == other.told;
      EXPECT_EQ(same, why_idle(row, true) != "") << row.key << ": " << why_idle(row, true);
    }
}

std::vector<std::string> idle_settings(const std::string& machine, const std::vector<std::string>& sets,
                                       bool functional = false) {
  return machine::idle_settings(config::load_machine(machine, DUET_SOURCE_DIRECTORY "/machines", sets),
                                functional);
}

TEST(IdleKeys, WhoSetsOneIsToldWhy) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(
      idle_settings("gtx580", {"gpu.dram.timing.rfc_pb=20"}),
      Lines{
          "--set: gpu.dram.timing.rfc_pb = 20 does nothing: gpu.dram.standard = \"GDDR5\" has no such rule"});
  EXPECT_EQ(idle_settings("gtx580", {"gpu.l1.sets=16"}), Lines{});
  EXPECT_EQ(idle_settings("gtx580", {"gpu.l1.sets=16"}, true),
            Lines{"--set: gpu.l1.sets = 16 does nothing: the functional GPU does not model it"});
  const auto fused = config::load_machine("fused", DUET_SOURCE_DIRECTORY "/machines", {"cpu.l2.misses=4"});
  EXPECT_EQ(machine::idle_settings(fused, false),
            Lines{"--set: cpu.l2.misses = 4 does nothing: only a program on the machine's cores (--host "
                  "simulated, --preexec, --cpu-blocks) meets it"});
  for (const machine::OnCores on_cores : {machine::OnCores::Preexecution, machine::OnCores::Host})
    EXPECT_EQ(machine::idle_settings(fused, false, on_cores), Lines{});
  const std::string path =
      std::string(testing::TempDir()) + "duet-idle-" + std::to_string(getpid()) + ".toml";
  std::ofstream(path) << "base = \"gtx580\"\nname = \"own\"\n[gpu.dram]\nrefresh = false\n"
                         "[gpu.dram.timing]\nrfc = 70\nrrd_l = 6\n[gpu.l1]\nsets = 64\n";
  // A value that the base has too is no setting, and a file is made for both GPUs.
  for (const bool functional : {false, true})
    EXPECT_EQ(idle_settings(path, {}, functional),
              Lines{path + ":6: gpu.dram.timing.rfc = 70 does nothing: gpu.dram.refresh is false"});
  std::filesystem::remove(path);
  const std::string machines = DUET_SOURCE_DIRECTORY "/machines";
  for (const auto& machine : config::list_machines(machines)) {
    if (!config::load_topology(machine.name, machines).topology.gpu) continue;  // cpu_rules knows those
    for (const bool functional : {false, true})
      EXPECT_EQ(idle_settings(machine.name, {}, functional), Lines{}) << machine.name;
  }
}

TEST(Keys, AllAreInATable) {
  std::set<std::string> in_tables, declared;
  for (const auto* rows : {&time_of_sms(), &caches(), &levels(), &dram(), &full_empty(),
                           &front_end_and_host(), &told_only(), &functional_gpu()})
    for (const Row& row : *rows) EXPECT_TRUE(in_tables.insert(row.key).second) << row.key << " twice";
  config::Machine machine;
  machine.levels.emplace_back();
  for (const config::Field& field : config::fields_of(machine)) declared.insert(field.key);
  EXPECT_EQ(in_tables, declared);
}

}  // namespace
}  // namespace duet::keys
