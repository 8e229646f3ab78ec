#include "config/derived.h"

#include <algorithm>
#include <array>
#include <utility>

namespace duet::config {

namespace {

// Transfers of one burst, in all implemented standards (JEDEC GDDR5, DDR3, HBM3: bursts of 8).
constexpr std::uint64_t kTransfersOfBurst = 8;

constexpr std::uint64_t kKhzPerMhz = 1000;

}  // namespace

Bytes capacity_of_l2(const Gpu& gpu) { return gpu.l2_slices * gpu.l2.capacity(); }

std::uint64_t bandwidth_mb_per_s(const Dram& dram) {
  const std::uint64_t rate =
      dram.channels * dram.burst_bytes * dram.command_clock_khz / dram.burst_cycles / kKhzPerMhz;
  return std::max<std::uint64_t>(rate, 1);
}

std::uint64_t bus_bits(const Dram& dram) { return dram.channels * dram.burst_bytes * 8 / kTransfersOfBurst; }

std::uint64_t memory_clock_khz(const Dram& dram) {
  return dram.command_clock_khz * kTransfersOfBurst / dram.burst_cycles / 2;
}

std::uint64_t single_to_double_ratio(const Sm& sm) {
  const std::uint64_t double_units = sm.dp_units != 0 ? sm.dp_units : sm.sfu_units;
  const std::uint64_t single = sm.sp_units * sm.double_precision.interval_cycles;
  const std::uint64_t both = double_units * sm.floating.interval_cycles;
  return std::max<std::uint64_t>((single + both / 2) / both, 1);
}

std::string why_dropped(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kDropped{{
      {"gpu.l2_bytes", "set gpu.l2_slices, gpu.l2.sets, gpu.l2.ways and gpu.l2.line_bytes"},
      {"gpu.shader_clock_khz", "set gpu.core_clock_khz"},
      {"gpu.sm.cores", "set gpu.sm.sp_units and gpu.sm.floating.interval_cycles"},
      {"gpu.dram.bandwidth_mb_per_s",
       "set gpu.dram.channels, gpu.dram.command_clock_khz, gpu.dram.burst_bytes and gpu.dram.burst_cycles"},
      {"gpu.dram.bus_bits", "set gpu.dram.channels and gpu.dram.burst_bytes"},
      {"gpu.dram.clock_khz", "set gpu.dram.command_clock_khz and gpu.dram.burst_cycles"},
      {"gpu.dram.latency_ps",
       "set gpu.dram.controller_cycles and gpu.dram.timing.*, and gpu.functional.dram_latency_ps with "
       "--functional"},
      {"driver.memset.finish_ns", "cudaMemset returns without waiting"},
  }};
  for (const auto& [dropped, why] : kDropped)
    if (dropped == key) return std::string(why);
  const std::size_t dot = key.rfind('.') + 1;  // 0: there is none
  const std::string_view cache = key.substr(0, dot), name = key.substr(dot);
  const auto is_one_of = [name](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool of_writes = is_one_of({"write_back", "write_allocate", "write_evict", "atomic_words_per_cycle"});
  if (of_writes && (cache == "gpu.constant_cache." || cache == "gpu.instruction_cache."))
    return "nobody writes to this cache";
  if (cache == "gpu.instruction_cache." &&
      is_one_of({"sector_bytes", "mshr_targets", "queue_entries", "hash_sets"}))
    return "the instruction cache has sets, ways, line_bytes, latency_cycles, mshrs and prefetch_lines";
  return {};
}

}  // namespace duet::config
