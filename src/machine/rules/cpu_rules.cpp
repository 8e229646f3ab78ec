#include "machine/rules/cpu_rules.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>

#include "base/units.h"
#include "config/setting.h"

namespace duet::machine {

namespace {

constexpr Bytes kMostCacheBytes =
    1_GiB;  // of all caches of all cores; each line takes some bytes of this computer

class CpuRules {
 public:
  explicit CpuRules(const config::ResolvedTopology& machine)
      : values_(machine.values), cpu_(*machine.topology.cpu) {
    power_of_two("cpu.line_bytes", cpu_.line_bytes);
    cache("cpu.instruction_cache", cpu_.instruction_cache.sets, cpu_.instruction_cache.ways, cpu_.cores);
    cache("cpu.l1", cpu_.l1.sets, cpu_.l1.ways, cpu_.cores);
    if (cpu_.l2.sets != 0) cache("cpu.l2", cpu_.l2.sets, cpu_.l2.ways, cpu_.cores);
    if (cpu_.l3.sets != 0) cache("cpu.l3", cpu_.l3.sets, cpu_.l3.ways, 1);
    power_of_two("cpu.write_combining.bytes", cpu_.write_combining.bytes);
    if (cpu_.write_combining.bytes > cpu_.line_bytes)
      config::refuse(values_, "cpu.write_combining.bytes", "is more than " + said("cpu.line_bytes"));
    window("cpu.load_entries", cpu_.load_entries);
    window("cpu.scheduler_entries", cpu_.scheduler_entries);
  }

 private:
  std::string said(const std::string& key) const { return key + " = " + config::setting(values_, key).text; }

  void power_of_two(const std::string& key, std::uint64_t number) const {
    if (std::has_single_bit(number)) return;
    const std::uint64_t below = std::bit_floor(number);
    config::refuse(values_, key, fmt::format("is not a power of two: {} or {}", below, 2 * below));
  }

  void cache(const std::string& prefix, std::uint64_t sets, std::uint64_t ways, std::uint64_t times) {
    power_of_two(prefix + ".sets", sets);
    const Bytes bytes = sets * ways * cpu_.line_bytes * times;
    cache_bytes_ += bytes;
    if (cache_bytes_ <= kMostCacheBytes) return;
    const std::string cores = times == 1 ? "" : " and " + said("cpu.cores");
    config::refuse(
        values_, prefix + ".sets",
        fmt::format("with {}, {}{} makes {} MiB of cache: {} MiB in all are possible", said(prefix + ".ways"),
                    said("cpu.line_bytes"), cores, bytes >> 20, kMostCacheBytes >> 20));
  }

  // No more than the reorder buffer holds can be in use.
  void window(const std::string& key, std::uint64_t entries) const {
    const config::ResolvedValue& value = config::setting(values_, key);
    if (entries > cpu_.rob_entries && value.set_by == config::SetBy::CommandLine)
      config::refuse(values_, key, "is more than " + said("cpu.rob_entries"));
  }

  const std::vector<config::ResolvedValue>& values_;
  const config::Cpu& cpu_;
  Bytes cache_bytes_ = 0;
};

struct IdleRule {
  std::string_view keys, but;  // those that begin so, without one
  bool (*idle)(const config::Cpu& cpu);
  const char* why;
};

constexpr IdleRule kIdle[] = {
    {"cpu.l2.", "cpu.l2.sets", [](const config::Cpu& cpu) { return cpu.l2.sets == 0; },
     "cpu.l2.sets is 0: there is no L2"},
    {"cpu.l3.", "cpu.l3.sets", [](const config::Cpu& cpu) { return cpu.l3.sets == 0; },
     "cpu.l3.sets is 0: there is no L3"},
    {"cpu.l2.prefetch_lines", "", [](const config::Cpu& cpu) { return cpu.l2.prefetcher == "none"; },
     "cpu.l2.prefetcher is \"none\""},
    {"cpu.l1.prefetch", "", [](const config::Cpu& cpu) { return cpu.l2.sets != 0; },
     "L2 prefetches for both: only the outermost private cache has a prefetcher"},
    {"cpu.l1.prefetch_lines", "", [](const config::Cpu& cpu) { return cpu.l1.prefetcher == "none"; },
     "cpu.l1.prefetcher is \"none\""},
    {"cpu.instruction_cache.prefetch", "", [](const config::Cpu&) { return true; },
     "only the outermost private cache has a prefetcher"},
    {"cpu.tlb.l2_ways", "", [](const config::Cpu& cpu) { return cpu.tlb.l2_entries == 0; },
     "cpu.tlb.l2_entries is 0: there is no second level"},
    {"cpu.tlb.l2_latency_cycles", "", [](const config::Cpu& cpu) { return cpu.tlb.l2_entries == 0; },
     "cpu.tlb.l2_entries is 0: there is no second level"},
};

}  // namespace

void check_cpu_values(const config::ResolvedTopology& machine) { CpuRules{machine}; }

std::vector<std::string> idle_cpu_settings(const config::ResolvedTopology& machine) {
  std::vector<std::string> lines;
  for (const config::ResolvedValue& value : machine.values) {
    if (value.set_by == config::SetBy::Machine) continue;
    for (const IdleRule& rule : kIdle) {
      if (!value.key.starts_with(rule.keys) || value.key == rule.but || !rule.idle(*machine.topology.cpu))
        continue;
      lines.push_back(
          fmt::format("{}: {} = {} does nothing: {}", value.where, value.key, value.text, rule.why));
      break;
    }
  }
  return lines;
}

}  // namespace duet::machine
