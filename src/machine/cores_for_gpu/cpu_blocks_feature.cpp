// Thread blocks on the machine's cores (cpu_blocks.h): the feature, and its records.
#include <optional>

#include "base/error.h"
#include "machine/cores_for_gpu/cpu_blocks.h"
#include "machine/cores_for_gpu/cpu_blocks_options.h"
#include "machine/feature.h"
#include "machine/loaded_module.h"
#include "machine/run_options.h"
#include "report/journal/journal.h"

namespace duet::machine {

namespace {

class CpuBlocksFeature final : public Feature {
 public:
  explicit CpuBlocksFeature(bool simulated_host) : simulated_host_(simulated_host) {}

  const char* option() const override { return "--cpu-blocks"; }
  void plan(MachinePlan& plan) override { plan.take_cores(option()); }
  void attach(System& system, report::JournalWriter* journal) override {
    if (simulated_host_)
      throw Error(
          "--cpu-blocks needs the cores that --host simulated gives to the program: leave out one of them");
    journal_ = journal;
    blocks_.emplace(system);
    if (journal_ != nullptr) blocks_->ended = [this](const BlocksOnCores& run) { tell(run); };
  }
  void module_loaded(const LoadedModule& loaded, std::string_view ptx, const std::string& name) override {
    blocks_->programs().sources().add(loaded.module, std::string(ptx), name, loaded.variable_addresses);
  }
  void grid_made(gpu::Grid& grid) override { blocks_->programs().prepare(*grid.kernel); }
  void kernel_starts(const gpu::Grid& grid) override { blocks_->kernel_starts(grid); }
  void completed(const driver::CommandRecord& command) override { blocks_->completed(command); }

 private:
  void tell(const BlocksOnCores& run);

  const bool simulated_host_;
  report::JournalWriter* journal_ = nullptr;
  std::optional<CpuBlocks> blocks_;
};

void CpuBlocksFeature::tell(const BlocksOnCores& run) {
  report::CpuBlocksRecord record{};
  record.command = run.command;
  record.blocks = run.blocks;
  record.claims = run.claims;
  record.instructions = run.instructions;
  record.lines_written = run.lines_written;
  record.first_ps = run.first_ps.value_or(0);
  record.last_ps = run.last_ps.value_or(0);
  journal_->append(report::RecordType::CpuBlocks, &record, sizeof record, run.reason);
}

}  // namespace

std::vector<OptionField> CpuBlocksOptions::fields() {
  return {{.key = "cpu_blocks",
           .place = &on,
           .word = "--cpu-blocks",
           .text = "let cores that share a cache with the GPU execute thread blocks of its kernels too, from "
                   "the last one down (docs/use/preexec.md)"}};
}

std::unique_ptr<Feature> CpuBlocksOptions::feature(const RunOptions& run) const {
  return on ? std::make_unique<CpuBlocksFeature>(run.simulated_host) : nullptr;
}

}  // namespace duet::machine
