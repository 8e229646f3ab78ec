#include "machine/watch/line_journal.h"

#include <optional>
#include <string>
#include <vector>

#include "gpu/sm/sm.h"
#include "machine/feature.h"
#include "machine/run_options.h"
#include "machine/watch/line_options.h"

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
    for (const auto& sm : system_.timed_sms()) sm->take_lines(*kernel, entry.counts);
    if (entry.number)
      journal_.publish_lines(*entry.number, entry.launches, entry.counts.no_warp_slots, entry.counts.by_pc);
  }
  changed_.clear();
}

namespace {

class Lines final : public Feature {
 public:
  const char* option() const override { return "--lines"; }
  void plan(MachinePlan& plan) override { plan.counts_lines = true; }
  void attach(System& system, report::JournalWriter* journal) override {
    driver_ = &system.driver();
    if (journal != nullptr) journal_.emplace(system, *journal);
  }
  void completed(const driver::CommandRecord& command) override {
    if (journal_ && command.grid != nullptr && !command.grid->fast_forward)
      journal_->completed(*command.grid->kernel);
  }
  void device_launch_ends(const gpu::Grid& grid) override {
    if (journal_) journal_->completed(*grid.kernel);
  }
  void record() override { journal_->record(); }
  void record_end() override {
    driver_->for_each_running_kernel(
        [this](const driver::CommandRecord& command) { journal_->changed(*command.grid->kernel); });
    journal_->record();
  }

 private:
  driver::Driver* driver_ = nullptr;
  std::optional<LineJournal> journal_;
};

}  // namespace

std::vector<OptionField> LineOptions::fields() {
  return {{.key = "lines",
           .place = &asked,
           .word = "--lines,!--no-lines",
           .text = "which lines of the source kernels spend their issue slots, requests and bytes on, in "
                   "stats.json and report.html (docs/reference/stats-json.md); timed GPU; without either "
                   "word where there "
                   "is a report.html"}};
}

std::unique_ptr<Feature> LineOptions::feature(const RunOptions& run) const {
  return on() && !run.functional ? std::make_unique<Lines>() : nullptr;
}

}  // namespace duet::machine
