#include "machine/watch/line_journal.h"

#include <string>
#include <vector>

namespace duet::machine {

namespace {

using report::LineInstruction;

// The kernel's instructions, and the text of its record.
struct Description {
  std::vector<LineInstruction> instructions;
  std::string text;
};

LineInstruction::Kind kind_of(const ptx::MicroOp& op) {
  switch (op.kind) {
    case ptx::Kind::Load:
      return LineInstruction::Kind::Load;
    case ptx::Kind::Image:
      return op.opcode == ptx::Opcode::Sust ? LineInstruction::Kind::Other : LineInstruction::Kind::Load;
    case ptx::Kind::Atomic:
      return LineInstruction::Kind::Atomic;
    default:
      return LineInstruction::Kind::Other;
  }
}

Description describe(const ptx::Kernel& kernel) {
  Description result;
  result.text = kernel.name + '\n' + kernel.module_name;
  std::map<std::string, std::uint32_t> places;
  std::map<std::uint32_t, std::uint32_t> known;  // places of PTX lines
  const auto place_of = [&](std::uint32_t ptx_line) {
    const auto place = kernel.sources != nullptr ? kernel.sources->find(ptx_line) : std::nullopt;
    if (!place) return LineInstruction::kNoPlace;
    const std::string text = place->file + '\t' + std::to_string(place->line) + '\t' + place->inner_file +
                             '\t' + std::to_string(place->inner_line);
    const auto [at, is_new] = places.try_emplace(text, static_cast<std::uint32_t>(places.size()));
    if (is_new) result.text += '\n' + text;
    return at->second;
  };
  for (const ptx::MicroOp& op : kernel.code) {
    const auto [at, is_new] = known.try_emplace(op.ptx_line, 0);
    if (is_new) at->second = place_of(op.ptx_line);
    LineInstruction instruction{};
    instruction.ptx_line = op.ptx_line;
    instruction.place = at->second;
    instruction.machine_instructions = op.machine_instructions;
    instruction.kind = kind_of(op);
    result.instructions.push_back(instruction);
  }
  return result;
}

}  // namespace

LineJournal::Entry& LineJournal::entry_of(const ptx::Kernel& kernel) {
  const auto [at, is_new] = entries_.try_emplace(&kernel);
  if (is_new) {
    at->second.counts = gpu::LineCounts(kernel.code.size());
    const Description description = describe(kernel);
    at->second.number = journal_.describe_lines(description.instructions, description.text);
  }
  return at->second;
}

void LineJournal::completed(const ptx::Kernel& kernel) {
  ++entry_of(kernel).launches;
  changed(kernel);
}

void LineJournal::record() {
  for (const ptx::Kernel* kernel : changed_) {
    Entry& entry = entry_of(*kernel);
    system_.take_lines(*kernel, entry.counts);
    if (entry.number)
      journal_.publish_lines(*entry.number, entry.launches, entry.counts.no_warp_slots, entry.counts.by_pc);
  }
  changed_.clear();
}

}  // namespace duet::machine
