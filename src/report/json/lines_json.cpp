// stats.json: source lines of kernels.
#include "report/json/json_writer.h"

namespace duet::report {

namespace {

// Stalls of count 0 are left out.
Json line_json(const HotLine& line) {
  Json json = {{"file", path_in_folder(line.file)},
               {"line", line.line},
               {"ptx", path_in_folder(line.ptx)},
               {"ptx_line", line.ptx_line},
               {"inlined", line.inlined},
               {"text", line.text},
               {"slots", line.slots()},
               {"issued", line.counts[0]},
               {"instructions", line.instructions}};
  Json& stalls = json["stalls"] = Json::object();
  for (std::size_t i = 1; i < static_cast<std::size_t>(IssueSlot::NoWarp); ++i)
    if (line.counts[i] != 0) stalls[issue_slot_name(static_cast<IssueSlot>(i))] = line.counts[i];
  for (std::size_t i = static_cast<std::size_t>(IssueSlot::NoWarp); i < kInstructionCounts; ++i)
    json[instruction_count_name(static_cast<InstructionCount>(i))] = line.counts[i];
  json["l1_misses"] = line.l1_misses;
  json["atomics"] = line.atomics;
  return json;
}

}  // namespace

Json lines_json(const KernelLines& kernel) {
  Json lines = Json::array();
  for (const HotLine& line : kernel.lines) lines.push_back(line_json(line));
  Json json = {{"kernel", kernel.kernel},
               {"launches", kernel.launches},
               {"lines", lines},
               {"no_line", {{"no_warp", kernel.no_warp_slots}}}};
  if (kernel.flops)
    json["flops"] = {
        {"fp16", kernel.flops->half}, {"fp32", kernel.flops->single}, {"fp64", kernel.flops->wide}};
  return json;
}

}  // namespace duet::report
