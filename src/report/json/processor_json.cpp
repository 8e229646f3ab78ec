// The processor in stats.json, with a GPU beside it and without.
#include "report/json/json_writer.h"

namespace duet::report {

namespace {
Json slots_json(const CoreSlots& of) {
  Json slots = Json::object();
  for (std::size_t i = 0; i < CoreSlots::kUses; ++i) slots[CoreSlots::kNames[i]] = of.slots[i];
  return slots;
}
}  // namespace

Json core_json(const CoreResult& core) {
  return {{"name", core.name},
          {"instructions", core.instructions},
          {"cycles", core.cycles},
          {"l1_misses", core.l1_misses},
          {"l2_misses", core.l2_misses},
          {"l3_misses", core.l3_misses},
          {"mispredictions", core.mispredictions},
          {"slots", slots_json(core.slots)}};
}

Json thread_json(const ThreadResult& thread) {
  return {{"id", thread.id},
          {"name", thread.name},
          {"core_time_ps", thread.core_time_ps},
          {"instructions", thread.instructions}};
}

Json profile_json(const ProcessorResult& processor) {
  if (processor.stacks.empty()) return Json::object();
  std::uint64_t samples = 0;
  Json functions = Json::array(), stacks = Json::array();
  for (const FunctionResult& function : functions_of(processor.stacks)) {
    samples += function.self_samples;
    functions.push_back({{"name", function.name},
                         {"self_samples", function.self_samples},
                         {"total_samples", function.total_samples},
                         {"self", slots_json(function.self)}});
  }
  for (const StackResult& stack : processor.stacks)
    stacks.push_back({{"functions", stack.functions}, {"samples", samples_of(stack)}});
  return {{"period_ps", processor.profile_period_ps},
          {"samples", samples},
          {"functions", functions},
          {"stacks", stacks}};
}

Json processor_totals(const ProcessorResult& processor, double wall_seconds) {
  const std::uint64_t instructions = processor.instructions();
  return {
      {"instructions", instructions},
      {"dram_read_bytes", processor.dram_read_bytes},
      {"dram_written_bytes", processor.dram_written_bytes},
      {"instructions_per_second", wall_seconds > 0 ? static_cast<double>(instructions) / wall_seconds : 0.0}};
}

}  // namespace duet::report
