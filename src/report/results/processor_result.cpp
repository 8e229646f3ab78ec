#include "report/results/processor_result.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

namespace duet::report {

const std::array<const char*, CoreSlots::kUses> CoreSlots::kNames = {
    "retiring", "bad_speculation", "front_end", "instruction_cache", "memory_l2", "memory_below", "stores",
    "core",     "serial"};
const std::array<const char*, CoreSlots::kUses> CoreSlots::kTitles = {
    "retire", "bad sp", "front", "instr", "L2", "below", "stores", "core", "serial"};

namespace {

std::uint64_t value_of(const Counters& counters, const std::string& name) {
  const auto found = std::find_if(counters.begin(), counters.end(),
                                  [&](const auto& counter) { return counter.first == name; });
  return found == counters.end() ? 0 : found->second;
}

}  // namespace

CoreResult core_result(const std::string& name, const Counters& counters) {
  const auto value = [&](const std::string& own) { return value_of(counters, "core." + own); };
  CoreResult core;
  core.name = name;
  core.instructions = value("instructions");
  core.cycles = value("cycles");
  core.l1_misses = value("l1_misses") + value("instruction_misses");
  core.l2_misses = value("l3_hits") + value("lines_from_memory") + value("lines_from_cores");
  core.l3_misses = value("lines_from_memory");
  core.mispredictions = value("mispredictions");
  for (std::size_t i = 2; i < CoreSlots::kUses; ++i)
    core.slots.slots[i] = value(std::string("slots_") + CoreSlots::kNames[i]);
  // Slots of squashed instructions are as lost as slots after a wrong prediction. The last ones' slots may
  // not have been counted yet.
  const std::uint64_t used = value("slots_used"), squashed = std::min(value("squashed"), used);
  core.slots.slots[0] = used - squashed;
  core.slots.slots[1] = value("slots_bad_speculation") + squashed;
  return core;
}

std::uint64_t ProcessorResult::instructions() const {
  std::uint64_t sum = 0;
  for (const CoreResult& core : cores) sum += core.instructions;
  return sum;
}

std::uint64_t samples_of(const StackResult& stack) {
  return std::accumulate(stack.samples.slots.begin(), stack.samples.slots.end(), std::uint64_t{0});
}

std::string folded_stacks(const std::vector<StackResult>& stacks) {
  std::string text;
  for (const StackResult& stack : stacks)
    text += stack.functions + " " + std::to_string(samples_of(stack)) + "\n";
  return text;
}

std::vector<FunctionResult> functions_of(const std::vector<StackResult>& stacks) {
  std::map<std::string, FunctionResult> by_name;
  for (const StackResult& stack : stacks) {
    const std::uint64_t samples = samples_of(stack);
    std::set<std::string> active;
    std::istringstream names(stack.functions);
    std::string name;
    while (std::getline(names, name, ';')) active.insert(name);
    for (const std::string& one : active) by_name[one].total_samples += samples;
    FunctionResult& innermost = by_name[name];
    innermost.self_samples += samples;
    for (std::size_t i = 0; i < CoreSlots::kUses; ++i) innermost.self.slots[i] += stack.samples.slots[i];
  }
  std::vector<FunctionResult> functions;
  for (auto& [name, function] : by_name) {
    function.name = name;
    functions.push_back(std::move(function));
  }
  std::stable_sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) {
    return a.self_samples != b.self_samples ? a.self_samples > b.self_samples
                                            : a.total_samples > b.total_samples;
  });
  return functions;
}

void add_components(ProcessorResult& result, const std::vector<ComponentResult>& components) {
  for (const ComponentResult& component : components) {
    if (component.kind == "core") result.cores.push_back(core_result(component.name, component.counters));
    if (component.kind != "host_memory") continue;
    result.dram_read_bytes += value_of(component.counters, "host_memory.read_bytes");
    result.dram_written_bytes += value_of(component.counters, "host_memory.written_bytes");
  }
}

}  // namespace duet::report
