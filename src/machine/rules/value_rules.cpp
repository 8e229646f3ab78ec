#include "machine/rules/value_rules.h"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "config/setting.h"
#include "machine/rules/method_rules.h"
#include "memory/address_fields.h"
#include "memory/cache/pending_pool.h"
#include "memory/dram/scheduler.h"
#include "memory/dram/timing_rules.h"

namespace duet::machine {

namespace {

constexpr Bytes kMostCacheBytes = 4_GiB;            // of all caches of a machine
constexpr std::uint64_t kMostEntries = 1ull << 22;  // of all queues or tables of one kind
constexpr std::uint64_t kMostPorts = 256;           // of one side of an interconnect
constexpr std::uint64_t kMostSlicesOfAController = 64;

class Rules {
 public:
  Rules(const config::ResolvedMachine& resolved, bool functional)
      : resolved_(resolved), gpu_(resolved.machine.gpu) {
    memory();
    if (functional) return;
    sm();
    caches();
    levels();
    if (resolved.machine.memory_fabric) memory_fabric();
    dram();
  }

 private:
  const config::ResolvedValue& value(const std::string& key) const {
    return config::setting(resolved_.values, key);
  }
  std::string said(const std::string& key) const { return key + " = " + value(key).text; }
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const {
    config::refuse(resolved_.values, key, what);
  }

  void power_of_two(const std::string& key, std::uint64_t number) const {
    if (std::has_single_bit(number)) return;
    const std::uint64_t below = std::bit_floor(number);
    refuse(key, fmt::format("is not a power of two: {} or {}", below, 2 * below));
  }

  void memory() const {
    if (gpu_.dram.bytes < gpu_.dram.page_bytes)
      refuse("gpu.dram.page_bytes", "is more than " + said("gpu.dram.bytes"));
    if (resolved_.machine.host.dram_bytes < gpu_.dram.page_bytes)
      refuse("gpu.dram.page_bytes", "is more than " + said("host.dram_bytes"));
    const Bytes rings = gpu_.front_end.hardware_channels * gpu_.front_end.push_buffer_bytes;
    if (rings > resolved_.machine.host.dram_bytes / 2)
      refuse("gpu.front_end.push_buffer_bytes",
             fmt::format("times {} takes more than half of {}", said("gpu.front_end.hardware_channels"),
                         said("host.dram_bytes")));
    if (gpu_.front_end.push_buffer_bytes % 128 != 0)
      refuse("gpu.front_end.push_buffer_bytes", "is not a multiple of 128");
    const Bytes payload = resolved_.machine.link.packet_payload_bytes, line = gpu_.l2.line_bytes;
    if (payload > line && payload % line != 0)
      refuse("link.packet_payload_bytes", fmt::format("is above {} and not a multiple of it", line));
    if (gpu_.copy_engines.outstanding_packets < payload / line)
      refuse("gpu.copy_engines.outstanding_packets",
             fmt::format("is less than the {} lines of a packet of {}", payload / line,
                         said("link.packet_payload_bytes")));
  }

  void sm() const {
    power_of_two("gpu.sm.instruction_bytes", gpu_.sm.instruction_bytes);
    if (gpu_.sm.max_warps > 64)
      refuse("gpu.sm.max_warps", "is more than the 64 of a timed SM: use --functional");
    if (gpu_.sm.instruction_buffer < gpu_.sm.fetch_instructions)
      refuse("gpu.sm.instruction_buffer", "has no room for " + said("gpu.sm.fetch_instructions"));
    const std::uint64_t together = gpu_.sm.coalesced_threads;
    if (together != 0 && (together < 8 || !std::has_single_bit(together) || together > gpu_.sm.warp_width))
      refuse("gpu.sm.coalesced_threads",
             "is neither 0 nor a power of two from 8 to " + said("gpu.sm.warp_width"));
    const config::CopyEngines& engines = gpu_.copy_engines;
    const std::uint64_t clients = gpu_.sm.count + engines.count +
                                  (gpu_.full_empty.granule_bytes != 0 ? engines.bit_engines : 0) +
                                  engines.ports;
    if (clients > kMostPorts)
      refuse("gpu.sm.count",
             fmt::format("gives the interconnect {} ports with {}, {}, {} and the host's: {} are possible",
                         clients, said("gpu.copy_engines.count"), said("gpu.copy_engines.ports"),
                         said("gpu.copy_engines.bit_engines"), kMostPorts));
    entries("gpu.sm.pending_instructions", gpu_.sm.count, "gpu.sm.count");
    entries("gpu.interconnect.queue_packets", gpu_.sm.count, "gpu.sm.count");
    entries("gpu.copy_engines.outstanding_packets", engines.count, "gpu.copy_engines.count");
    entries("gpu.copy_engines.device_packets", engines.count, "gpu.copy_engines.count");
    const Bytes granule = gpu_.full_empty.granule_bytes;
    if (granule != 0 && (granule < 4 || !std::has_single_bit(granule)))
      refuse("gpu.full_empty.granule_bytes", "is neither 0 nor a power of two from 4");
  }

  // A table of so many entries, so many times.
  void entries(const std::string& key, std::uint64_t times, const std::string& times_key) const {
    const std::uint64_t all = number(key) * times;
    if (all > kMostEntries)
      refuse(key,
             fmt::format("with {} makes {} entries: {} are possible", said(times_key), all, kMostEntries));
  }
  std::uint64_t number(const std::string& key) const { return std::stoull(value(key).text); }

  // `times` of it; what `times_key` says.
  void lines(const std::string& prefix, const config::Cache& cache, std::uint64_t times,
             const std::string& times_key) {
    power_of_two(prefix + ".sets", cache.sets);
    power_of_two(prefix + ".line_bytes", cache.line_bytes);
    entries(prefix + ".mshrs", times, times_key);
    cache_bytes_ += cache.capacity() * times;
    if (cache_bytes_ > kMostCacheBytes)
      refuse(prefix + ".sets",
             fmt::format("with {}, {} and {} makes {} MiB of cache: {} MiB in all are possible",
                         said(prefix + ".ways"), said(prefix + ".line_bytes"), said(times_key),
                         (cache.capacity() * times) >> 20, kMostCacheBytes >> 20));
  }

  void read_cache(const std::string& prefix, const config::Cache& cache, std::uint64_t times,
                  const std::string& times_key) {
    lines(prefix, cache, times, times_key);
    if (cache.line_bytes % cache.sector_bytes != 0)
      refuse(prefix + ".sector_bytes", "does not divide " + said(prefix + ".line_bytes"));
    if (cache.replacement == "tree" && !std::has_single_bit(cache.ways))
      refuse(prefix + ".ways", "is not a power of two, as " + said(prefix + ".replacement") + " wants it");
    entries(prefix + ".queue_entries", times, times_key);
  }

  void cache(const std::string& prefix, const config::Cache& cache, std::uint64_t times,
             const std::string& times_key) {
    read_cache(prefix, cache, times, times_key);
    if (cache.pass_cycles > cache.latency_cycles)
      refuse(prefix + ".pass_cycles", "is more than " + said(prefix + ".latency_cycles"));
    if (cache.atomic_words_per_cycle != 0 && !cache.write_back)
      refuse(prefix + ".atomic_words_per_cycle",
             "wants " + prefix + ".write_back = true: set it, or 0 atomics here");
    if (cache.write_evict && (cache.write_back || cache.write_allocate))
      refuse(prefix + ".write_evict",
             fmt::format("wants {0}.write_back = false and {0}.write_allocate = false", prefix));
    if (cache.fetch_on_write && (!cache.write_back || !cache.write_allocate))
      refuse(prefix + ".fetch_on_write",
             fmt::format("wants {0}.write_back = true and {0}.write_allocate = true", prefix));
    if (cache.fetch_on_write && gpu_.full_empty.granule_bytes != 0)
      refuse(prefix + ".fetch_on_write", "wants gpu.full_empty.granule_bytes = 0");
  }

  void caches() {
    cache("gpu.l1", gpu_.l1, gpu_.sm.count, "gpu.sm.count");
    prefetcher();
    read_cache("gpu.constant_cache", gpu_.constant_cache, gpu_.sm.count, "gpu.sm.count");
    lines("gpu.instruction_cache", gpu_.instruction_cache, gpu_.sm.count, "gpu.sm.count");
    cache("gpu.l2", gpu_.l2, gpu_.l2_slices, "gpu.l2_slices");
    if (gpu_.l2.line_bytes != memory::kLineBytes && gpu_.full_empty.granule_bytes != 0)
      refuse("gpu.l2.line_bytes", fmt::format("is not {}, which full/empty bits want: set "
                                              "gpu.full_empty.granule_bytes = 0",
                                              memory::kLineBytes));
  }

  void prefetcher() const {
    const config::StridePrefetch& own = gpu_.l1_prefetch;
    power_of_two("gpu.l1.prefetch_sets", own.sets);
    entries("gpu.l1.prefetch_ways", own.sets * gpu_.sm.count, "gpu.l1.prefetch_sets");
    if (own.prefetcher != "none" && gpu_.full_empty.granule_bytes != 0)
      refuse("gpu.l1.prefetcher", "wants gpu.full_empty.granule_bytes = 0");
  }

  void slices(const std::string& key, std::uint64_t number, bool is_last) const {
    if (number >= kMostPorts)
      refuse(key, fmt::format("is more ports of an interconnect than there can be: {}", kMostPorts - 1));
    if (!is_last) return;
    if (number % gpu_.dram.channels != 0) refuse(key, "is not a multiple of " + said("gpu.dram.channels"));
    if (number / gpu_.dram.channels > kMostSlicesOfAController)
      refuse(key, fmt::format("is more than {} for each of {}", kMostSlicesOfAController,
                              said("gpu.dram.channels")));
  }

  void levels() {
    const std::vector<config::Level>& all = resolved_.machine.levels;
    slices("gpu.l2_slices", gpu_.l2_slices, all.empty());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string prefix = fmt::format("level[{}]", i);
      slices(prefix + ".slices", all[i].slices, i + 1 == all.size());
      cache(prefix, all[i].cache, all[i].slices, prefix + ".slices");
      entries(prefix + ".interconnect.queue_packets", all[i].slices, prefix + ".slices");
      if (all[i].shared_with_processor) shared(prefix, all[i]);
      if (all[i].perfect) perfect(prefix, all, i);
      if (all[i].pending_requests != 0) pending(prefix, all[i]);
    }
  }

  // What it does in memory must be the newest, and be seen below.
  void perfect(const std::string& prefix, const std::vector<config::Level>& all, std::size_t at) const {
    const std::string key = prefix + ".perfect";
    const config::Cache& cache = all[at].cache;
    if (!cache.write_back || !cache.write_allocate)
      refuse(key, fmt::format("wants {0}.write_back = true and {0}.write_allocate = true", prefix));
    if (gpu_.full_empty.granule_bytes != 0) refuse(key, "wants gpu.full_empty.granule_bytes = 0");
    if (at + 1 != all.size()) refuse(key, "and a level below it: a perfect one is the last");
  }

  void pending(const std::string& prefix, const config::Level& level) const {
    const std::string key = prefix + ".pending_requests";
    if (gpu_.full_empty.granule_bytes != 0) refuse(key, "wants gpu.full_empty.granule_bytes = 0");
    if (level.cache.atomic_words_per_cycle != 0)
      refuse(key, fmt::format("wants {}.atomic_words_per_cycle = 0", prefix));
    if (level.slices > memory::PendingPool::kMostSlices)
      refuse(key, fmt::format("wants no more than {} slices", memory::PendingPool::kMostSlices));
  }

  void shared(const std::string& prefix, const config::Level& level) {
    const std::string key = prefix + ".shared_with_processor";
    const std::optional<config::Cpu>& cpu = resolved_.machine.cpu;
    if (!cpu) refuse(key, "needs a processor, and there is no [cpu]");
    if (cpu->l3.sets != 0) refuse(key, "and " + said("cpu.l3.sets") + ": the cores would have two L3");
    if (level.cache.line_bytes < cpu->line_bytes)
      refuse(prefix + ".line_bytes", "is less than " + said("cpu.line_bytes"));
    if (std::exchange(is_shared_, true)) refuse(key, "and another level is shared, too");
  }

  void memory_fabric() const {
    const std::string key = "memory_fabric.clock_khz";
    const std::optional<config::Cpu>& cpu = resolved_.machine.cpu;
    if (!cpu) refuse(key, "needs a processor, and there is no [cpu]");
    if (is_shared_) refuse(key, "and a level that the processor shares: its cores would have two memories");
    if (gpu_.full_empty.granule_bytes != 0) refuse(key, "wants gpu.full_empty.granule_bytes = 0");
    constexpr Bytes kPageOfCores = 4096;
    if (gpu_.dram.page_bytes != kPageOfCores)
      refuse("gpu.dram.page_bytes",
             fmt::format("must be {} with [memory_fabric], as the cores' pages are", kPageOfCores));
    if (gpu_.dram.interleave_bytes < cpu->line_bytes)
      refuse("gpu.dram.interleave_bytes", "is less than " + said("cpu.line_bytes"));
    entries("memory_fabric.queue_packets", gpu_.dram.channels, "gpu.dram.channels");
  }

  void dram() const {
    const config::Dram& dram = gpu_.dram;
    power_of_two("gpu.dram.banks", dram.banks);
    power_of_two("gpu.dram.bank_groups", dram.bank_groups);
    power_of_two("gpu.dram.ranks", dram.ranks);
    power_of_two("gpu.dram.row_bytes", dram.row_bytes);
    power_of_two("gpu.dram.interleave_bytes", dram.interleave_bytes);
    if (dram.banks > memory::kMaxBanks)
      refuse("gpu.dram.banks", fmt::format("is more than {}", memory::kMaxBanks));
    if (dram.bank_groups * dram.ranks > dram.banks)
      refuse("gpu.dram.banks",
             fmt::format("is less than {} times {}", said("gpu.dram.bank_groups"), said("gpu.dram.ranks")));
    if (dram.read_bytes > dram.burst_bytes)
      refuse("gpu.dram.read_bytes", "is more than " + said("gpu.dram.burst_bytes"));
    by("gpu.dram.standard", [&] { memory::timing_rules(dram); });
    by("gpu.dram.address_fields", [&] { memory::address_fields(dram); });
    entries("gpu.dram.queue_entries", dram.channels, "gpu.dram.channels");
    entries("gpu.full_empty.queue_entries", dram.channels, "gpu.dram.channels");
    const Cycle needed = memory::refresh_needs(dram);
    if (dram.refresh && dram.timing.refi <= needed)
      refuse("gpu.dram.timing.refi",
             fmt::format(
                 "leaves no time between refreshes: it takes more than {} with {}, {}, {}, {}, {} and {}",
                 needed, said("gpu.dram.timing.rcd"), said("gpu.dram.timing.ras"), said("gpu.dram.timing.rc"),
                 said("gpu.dram.timing.wr"), said("gpu.dram.timing.rp"),
                 said(dram.refresh_unit == "bank" ? "gpu.dram.timing.rfc_pb" : "gpu.dram.timing.rfc")));
  }

  // `check` refuses the key's value itself, by its name.
  template <typename F>
  void by(const std::string& key, const F& check) const {
    try {
      check();
    } catch (const Error& error) {
      throw Error(value(key).where + ": " + error.what());
    }
  }

  const config::ResolvedMachine& resolved_;
  const config::Gpu& gpu_;
  Bytes cache_bytes_ = 0;
  bool is_shared_ = false;  // a level by the processor
};

}  // namespace

void check_values(const config::ResolvedMachine& machine, bool functional) {
  Rules(machine, functional);
  check_methods(machine);
}

}  // namespace duet::machine
