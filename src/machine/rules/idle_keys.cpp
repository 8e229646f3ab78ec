#include "machine/rules/idle_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "config/fields.h"
#include "memory/dram/standards.h"

namespace duet::machine {

namespace {

// "gpu.l1.*" stands for all keys that begin so.
bool matches(std::string_view pattern, std::string_view key) {
  if (!pattern.ends_with('*')) return pattern == key;
  return key.starts_with(pattern.substr(0, pattern.size() - 1));
}

template <std::size_t N>
bool any_matches(const std::array<std::string_view, N>& patterns, std::string_view key) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [key](std::string_view pattern) { return matches(pattern, key); });
}

// What only the timed GPU reads, but for the exceptions: a program is told of them, or they give the DRAM's
// bandwidth.
constexpr std::array<std::string_view, 46> kTimedOnly{"gpu.sm.schedulers",
                                                      "gpu.sm.int_units",
                                                      "gpu.sm.scheduler",
                                                      "gpu.sm.blocking_issue",
                                                      "gpu.sm.commit_cycles",
                                                      "gpu.sm.instruction_*",
                                                      "gpu.sm.fetch_instructions",
                                                      "gpu.sm.decode_cycles",
                                                      "gpu.sm.sequence_interval_cycles",
                                                      "gpu.sm.register_banks",
                                                      "gpu.sm.collector_units",
                                                      "gpu.sm.load_store_queue",
                                                      "gpu.sm.pending_instructions",
                                                      "gpu.sm.coalesced_threads",
                                                      "gpu.sm.memory_requests",
                                                      "gpu.sm.shared_latency_cycles",
                                                      "gpu.sm.shared_pass_cycles",
                                                      "gpu.front_end.dispatch",
                                                      "gpu.front_end.device_launch_call_cycles",
                                                      "gpu.device_heap.*",
                                                      "gpu.sm.shared_banks",
                                                      "gpu.sm.global_in_l1",
                                                      "gpu.sm.constants_cached",
                                                      "gpu.sm.integer.*",
                                                      "gpu.sm.shift.*",
                                                      "gpu.sm.integer_multiply.*",
                                                      "gpu.sm.integer_division.*",
                                                      "gpu.sm.floating.*",
                                                      "gpu.sm.double_precision.*",
                                                      "gpu.sm.special_function.*",
                                                      "gpu.sm.half.*",
                                                      "gpu.sm.conversion.*",
                                                      "gpu.sm.bit_count.*",
                                                      "gpu.sm.shuffle.*",
                                                      "gpu.sm.barrier.*",
                                                      "gpu.sm.control.*",
                                                      "gpu.l1.*",
                                                      "gpu.constant_cache.*",
                                                      "gpu.instruction_cache.*",
                                                      "gpu.l2.*",
                                                      "gpu.interconnect.*",
                                                      "gpu.full_empty.*",
                                                      "memory_fabric.*",
                                                      "translation.*",
                                                      "link.byte_masks",
                                                      "level[*"};
constexpr std::array<std::string_view, 19> kTimedDram{
    "gpu.dram.standard",       "gpu.dram.read_bytes",
    "gpu.dram.banks",          "gpu.dram.bank_groups",
    "gpu.dram.ranks",          "gpu.dram.row_bytes",
    "gpu.dram.queue_entries",  "gpu.dram.controller_cycles",
    "gpu.dram.scheduler",      "gpu.dram.row_policy",
    "gpu.dram.refresh*",       "gpu.dram.interleave_bytes",
    "gpu.dram.address_fields", "gpu.dram.hash_channels",
    "gpu.dram.timing.*",       "gpu.copy_engines.outstanding_acks",
    "gpu.copy_engines.ports",  "gpu.copy_engines.device_packets",
    "gpu.copy_engines.bit_*"};
constexpr std::array<std::string_view, 5> kToldToo{"gpu.sm.floating.interval_cycles",
                                                   "gpu.sm.double_precision.interval_cycles", "gpu.l2.sets",
                                                   "gpu.l2.ways", "gpu.l2.line_bytes"};

// A controller has its queues without full/empty bits, too.
constexpr std::array<std::string_view, 4> kReadWithoutBits{
    "gpu.full_empty.granule_bytes", "gpu.full_empty.queues", "gpu.full_empty.queue_entries",
    "gpu.full_empty.look_ahead"};

struct Rule {
  std::string_view keys;
  bool (*idle)(const config::Machine& machine);
  const char* why;
};

constexpr std::array<Rule, 21> kRules{{
    {"translation.*",
     [](const config::Machine& m) { return m.translation && m.translation->tlb_entries == 0; },
     "translation.tlb_entries is 0: translation is free"},
    {"gpu.full_empty.*", [](const config::Machine& m) { return m.gpu.full_empty.granule_bytes == 0; },
     "gpu.full_empty.granule_bytes is 0: there are no full/empty bits"},
    {"gpu.copy_engines.bit_*", [](const config::Machine& m) { return m.gpu.full_empty.granule_bytes == 0; },
     "gpu.full_empty.granule_bytes is 0: there are no full/empty bits"},
    {"gpu.front_end.packet_*", [](const config::Machine& m) { return m.gpu.front_end.user_queues == 0; },
     "gpu.front_end.user_queues is 0: the GPU takes no packets itself"},
    {"driver.start_up.hsa_us", [](const config::Machine& m) { return m.gpu.front_end.user_queues == 0; },
     "gpu.front_end.user_queues is 0: there is no HSA"},
    {"gpu.copy_engines.bit_lines_outstanding",
     [](const config::Machine& m) { return m.gpu.copy_engines.bit_engines == 0; },
     "gpu.copy_engines.bit_engines is 0"},
    {"gpu.full_empty.nack_limit", [](const config::Machine& m) { return m.gpu.full_empty.nack_cycles == 0; },
     "gpu.full_empty.nack_cycles is 0: nothing is refused"},
    {"gpu.full_empty.order_*", [](const config::Machine& m) { return !m.gpu.full_empty.program_order; },
     "gpu.full_empty.program_order is false"},
    {"gpu.full_empty.order_entries",
     [](const config::Machine& m) { return m.gpu.full_empty.order_grain == "warp"; },
     "gpu.full_empty.order_grain is \"warp\""},
    {"driver.profiler.setup_ns", [](const config::Machine& m) { return !m.driver.profiler.counters; },
     "driver.profiler.counters is false"},
    {"driver.profiler.readout_ns", [](const config::Machine& m) { return !m.driver.profiler.counters; },
     "driver.profiler.counters is false"},
    {"gpu.front_end.queue_depth", [](const config::Machine& m) { return !m.driver.read_ahead; },
     "driver.read_ahead is false: a stream has one command at a time in the front end"},
    {"gpu.l2.atomic_conflict_cycles",
     [](const config::Machine& m) { return m.gpu.l2.atomic_words_per_cycle == 0; },
     "gpu.l2.atomic_words_per_cycle is 0: L2 performs no atomics"},
    {"gpu.constant_cache.sets", [](const config::Machine& m) { return !m.gpu.sm.constants_cached; },
     "gpu.sm.constants_cached is false"},
    {"gpu.constant_cache.ways", [](const config::Machine& m) { return !m.gpu.sm.constants_cached; },
     "gpu.sm.constants_cached is false"},
    {"gpu.constant_cache.replacement", [](const config::Machine& m) { return !m.gpu.sm.constants_cached; },
     "gpu.sm.constants_cached is false"},
    {"gpu.sm.commit_cycles", [](const config::Machine& m) { return !m.gpu.sm.blocking_issue; },
     "gpu.sm.blocking_issue is false"},
    {"gpu.sm.integer_division.*", [](const config::Machine& m) { return !m.gpu.sm.ptx_instructions; },
     "gpu.sm.ptx_instructions is false: a division is a sequence of other instructions"},
    {"gpu.l1.prefetch_*", [](const config::Machine& m) { return m.gpu.l1_prefetch.prefetcher == "none"; },
     "gpu.l1.prefetcher is \"none\""},
    {"gpu.dram.refresh_unit", [](const config::Machine& m) { return !m.gpu.dram.refresh; },
     "gpu.dram.refresh is false"},
    {"gpu.dram.timing.refi", [](const config::Machine& m) { return !m.gpu.dram.refresh; },
     "gpu.dram.refresh is false"},
}};

std::string why_idle_timing(const config::Machine& machine, const std::string& key) {
  config::Dram own = machine.gpu.dram;
  std::vector<config::Field> fields;
  config::add_dram(fields, own);
  for (const config::Field& field : fields) {
    if (field.key != key) continue;
    for (const auto parameter : memory::kTimingParameters)
      if (std::get<std::uint64_t*>(field.value) == &(own.timing.*parameter))
        return memory::why_unused(machine.gpu.dram, parameter);
  }
  return {};
}

// Atomics are performed at the first level that can.
std::string why_idle_atomics(const config::Machine& machine, const std::string& key) {
  std::string performed;
  if (machine.gpu.l2.atomic_words_per_cycle != 0) performed = "L2";
  for (std::size_t i = 0; i < machine.levels.size(); ++i) {
    const config::Level& level = machine.levels[i];
    const std::string prefix = fmt::format("level[{}].atomic_", i);
    if (key.starts_with(prefix)) {
      if (!performed.empty()) return fmt::format("{} performs the atomics", performed);
      if (key == prefix + "conflict_cycles" && level.cache.atomic_words_per_cycle == 0)
        return fmt::format("{}words_per_cycle is 0: {} performs no atomics", prefix, level.name);
    }
    if (performed.empty() && level.cache.atomic_words_per_cycle != 0) performed = level.name;
  }
  return {};
}

// A perfect level has no lines of its own, and nothing on its way.
std::string why_idle_perfect(const config::Machine& machine, const std::string& key) {
  constexpr std::array<std::string_view, 8> kLines{
      "sets",         "ways",      "sector_bytes", "mshrs",
      "mshr_targets", "hash_sets", "replacement",  "pending_requests"};
  for (std::size_t i = 0; i < machine.levels.size(); ++i) {
    const std::string prefix = fmt::format("level[{}].", i);
    if (machine.levels[i].perfect && key.starts_with(prefix) &&
        any_matches(kLines, std::string_view(key).substr(prefix.size())))
      return prefix + "perfect is true: it has every line";
  }
  return {};
}

// A pool of pending requests stands for the registers of each slice.
std::string why_idle_registers(const config::Machine& machine, const std::string& key) {
  for (std::size_t i = 0; i < machine.levels.size(); ++i) {
    const std::string prefix = fmt::format("level[{}].", i);
    if (machine.levels[i].pending_requests != 0 &&
        (key == prefix + "mshrs" || key == prefix + "mshr_targets"))
      return prefix + "pending_requests is not 0: it counts instead";
  }
  return {};
}

// Of a row that names calls, only simulated cores meet its `cpu`, and only the timed GPU the rest.
std::string why_idle_method(const config::Machine& machine, const std::string& key, bool functional,
                            OnCores on_cores) {
  for (std::size_t i = 0; i < machine.methods.size(); ++i) {
    const std::string prefix = fmt::format("method[{}].", i);
    if (!key.starts_with(prefix) || key == prefix + "name" || key == prefix + "calls") continue;
    if (machine.methods[i].calls.empty()) return prefix + "calls names no call";
    if (key == prefix + "cpu" && on_cores != OnCores::Host)
      return "only a program on the machine's cores (--host simulated) meets it";
    if (key != prefix + "cpu" && functional) return "the functional GPU does not model it";
    if (key == prefix + "gpu_l1" && !machine.gpu.sm.global_in_l1 && !machine.gpu.sm.constants_cached)
      return "gpu.sm.global_in_l1 and gpu.sm.constants_cached are false";
  }
  return {};
}

}  // namespace

std::string why_idle(const config::Machine& machine, const std::string& key, bool functional,
                     OnCores on_cores) {
  // The GPU's own part of [memory_fabric] is for its programs everywhere.
  if (on_cores == OnCores::Nothing && key != "memory_fabric.maintenance.l2_line_cycles" &&
      (matches("cpu.*", key) || matches("memory_fabric.*", key)))
    return "only a program on the machine's cores (--host simulated, --preexec, --cpu-blocks) meets it";
  if (on_cores != OnCores::Host && key == "driver.added_to_instructions")
    return "only a program on the machine's cores (--host simulated) meets it";
  if (functional) {
    const bool timed = any_matches(kTimedOnly, key) || any_matches(kTimedDram, key);
    if (timed && !any_matches(kToldToo, key)) return "the functional GPU does not model it";
  } else if (matches("gpu.functional.*", key)) {
    return "only the functional GPU (--functional) reads it";
  }
  if (key == "translation.tlb_entries") return {};
  for (const Rule& rule : kRules)
    if (matches(rule.keys, key) && !any_matches(kReadWithoutBits, key) && rule.idle(machine)) return rule.why;
  if (key.starts_with("gpu.dram.timing.")) return why_idle_timing(machine, key);
  if (key.starts_with("method[")) return why_idle_method(machine, key, functional, on_cores);
  for (const auto& rule : {why_idle_perfect, why_idle_registers})
    if (const std::string why = rule(machine, key); !why.empty()) return why;
  return why_idle_atomics(machine, key);
}

std::vector<std::string> idle_settings(const config::ResolvedMachine& machine, bool functional,
                                       OnCores on_cores) {
  std::vector<std::string> lines;
  for (const config::ResolvedValue& value : machine.values) {
    if (value.set_by == config::SetBy::Machine) continue;
    const bool of_file = value.set_by == config::SetBy::FileOverAnother;
    const std::string why =
        why_idle(machine.machine, value.key, functional && !of_file, of_file ? OnCores::Host : on_cores);
    // What a file says for the functional GPU is not idle: the machine is run on both. Levels, methods and
    // the translation are given with all of their keys.
    if (why.empty() ||
        (of_file && (matches("gpu.functional.*", value.key) || value.key.starts_with("translation.") ||
                     value.key.starts_with("level[") || value.key.starts_with("method["))))
      continue;
    lines.push_back(fmt::format("{}: {} = {} does nothing: {}", value.where, value.key, value.text, why));
  }
  return lines;
}

}  // namespace duet::machine
