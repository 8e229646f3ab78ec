#include "report/host_report.h"

#include <algorithm>

namespace duet::report {

const std::array<const char*, CoreSlots::kUses> CoreSlots::kNames = {
    "retiring", "bad_speculation", "front_end", "instruction_cache", "memory_l2", "memory_below", "stores",
    "core",     "serial"};
const std::array<const char*, CoreSlots::kUses> CoreSlots::kTitles = {
    "retire", "bad sp", "front", "instr", "L2", "below", "stores", "core", "serial"};

namespace {

std::uint64_t value_of(const ComponentResult& component, const std::string& name) {
  const std::string full = component.kind + "." + name;
  const auto found = std::find_if(component.counters.begin(), component.counters.end(),
                                  [&](const auto& counter) { return counter.first == full; });
  return found == component.counters.end() ? 0 : found->second;
}

CoreResult core_of(const ComponentResult& component) {
  const auto value = [&](const std::string& name) { return value_of(component, name); };
  CoreResult core;
  core.name = component.name;
  core.instructions = value("instructions");
  core.cycles = value("cycles");
  core.l1_misses = value("l1_misses") + value("instruction_misses");
  core.l2_misses = value("l3_hits") + value("lines_from_memory") + value("lines_from_cores");
  core.l3_misses = value("lines_from_memory");
  core.mispredictions = value("mispredictions");
  for (std::size_t i = 2; i < CoreSlots::kUses; ++i)
    core.slots.slots[i] = value(std::string("slots_") + CoreSlots::kNames[i]);
  // Those of instructions that were done again are as lost as those after a wrong prediction.
  const std::uint64_t squashed = value("squashed");
  core.slots.slots[0] = value("slots_used") - squashed;
  core.slots.slots[1] = value("slots_bad_speculation") + squashed;
  return core;
}

}  // namespace

std::uint64_t HostReport::instructions() const {
  std::uint64_t sum = 0;
  for (const CoreResult& core : cores) sum += core.instructions;
  return sum;
}

void derive_cores(HostReport& report) {
  for (const ComponentResult& component : report.components) {
    if (component.kind == "core") report.cores.push_back(core_of(component));
    if (component.kind != "host_memory") continue;
    report.dram_read_bytes += value_of(component, "read_bytes");
    report.dram_written_bytes += value_of(component, "written_bytes");
  }
}

}  // namespace duet::report
