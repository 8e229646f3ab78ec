// Pre-execution beside the kernels of a run (preexecution.h): the feature, and its records.
#include <cstring>
#include <optional>

#include "base/error.h"
#include "gpu/occupancy.h"
#include "machine/cores_for_gpu/preexecution.h"
#include "machine/feature.h"
#include "machine/loaded_module.h"
#include "machine/run_options.h"
#include "report/journal/journal.h"

namespace duet::machine {

namespace {

class PreexecutionFeature final : public Feature {
 public:
  PreexecutionFeature(const PreexecutionOptions& options, bool lent) : options_(options), lent_(lent) {}

  const char* option() const override { return "--preexec"; }
  void plan(MachinePlan& plan) override { plan.take_cores(option()); }
  void attach(System& system, report::JournalWriter* journal) override;
  void module_loaded(const LoadedModule& loaded, std::string_view ptx, const std::string& name) override {
    preexecution_->programs().sources().add(loaded.module, std::string(ptx), name, loaded.variable_addresses);
  }
  void grid_made(gpu::Grid& grid) override { preexecution_->programs().prepare(grid); }
  void launch_sent(const driver::CommandRecord& command) override { preexecution_->launched(command); }
  void block_starts(const gpu::Grid& grid) override { preexecution_->block_started(grid); }
  void completed(const driver::CommandRecord& command) override { preexecution_->completed(command); }
  CoreBorrower* borrower() override { return &*preexecution_; }

 private:
  void tell_options();
  void tell(const PreexecutionRun& run);

  const PreexecutionOptions options_;
  const bool lent_;
  report::JournalWriter* journal_ = nullptr;
  std::optional<Preexecution> preexecution_;
};

void PreexecutionFeature::attach(System& system, report::JournalWriter* journal) {
  journal_ = journal;
  preexecution_.emplace(
      system, options_,
      [&config = system.config()](const gpu::Grid& grid) {
        return gpu::occupancy(config.gpu.sm, *grid.kernel, grid.block.count(), grid.dynamic_shared_bytes);
      },
      lent_);
  if (journal_ == nullptr) return;
  preexecution_->ended = [this](const PreexecutionRun& run) { tell(run); };
  tell_options();
}

void PreexecutionFeature::tell_options() {
  std::string text = std::string("mode=") + name_of(options_.mode) + '\n';
  for (const auto& [key, value] : settings(options_)) text += key + '=' + value + '\n';
  journal_->append(report::RecordType::PreexecutionOptions, text.data(), 0, text);
}

void PreexecutionFeature::tell(const PreexecutionRun& run) {
  report::PreexecutionRecord record{};
  record.command = run.command;
  record.started_ps = run.started_ps.value_or(0);
  record.ended_ps = run.ended_ps.value_or(0);
  record.on_core_ps = run.on_core_ps;
  record.interruptions = run.interruptions;
  record.private_hits = run.private_hits;
  record.stale_hits = run.stale_hits;
  record.wrong_hits = run.wrong_hits;
  record.lines_dropped = run.lines_dropped;
  record.block_writes = run.block_writes;
  record.started = run.started_ps.has_value();
  record.ended = run.ended_ps.has_value();
  record.accesses = static_cast<std::uint32_t>(run.program->accesses);
  record.covered = static_cast<std::uint32_t>(run.program->covered);
  record.instructions = run.instructions;
  record.loads = run.loads;
  record.suppressed_loads = run.suppressed_loads;
  record.requests = run.requests;
  record.l3_hits = run.l3_hits;
  record.lines_from_memory = run.lines_from_memory;
  record.polls = run.polls;
  record.skip_factor = run.program->skip_factor;
  record.samples = static_cast<std::uint32_t>(run.skip_factors.size());
  std::vector<std::byte> bytes(sizeof record + run.skip_factors.size() * sizeof(report::SkipFactorSample));
  std::memcpy(bytes.data(), &record, sizeof record);
  for (std::size_t i = 0; i < run.skip_factors.size(); ++i) {
    const report::SkipFactorSample sample{run.skip_factors[i].time_ps, run.skip_factors[i].skip_factor};
    std::memcpy(bytes.data() + sizeof record + i * sizeof sample, &sample, sizeof sample);
  }
  std::string text = run.program->reason;
  for (const std::string& line : run.program->not_prefetched) text += '\n' + line;
  journal_->append(report::RecordType::Preexecution, bytes.data(), bytes.size(), text);
}

}  // namespace

std::unique_ptr<Feature> PreexecutionOptions::feature(const RunOptions& run) const {
  if (on() && is_paced() && blocks == "forwarded")
    throw Error(
        "--preexec-set: first_wave and waves_ahead are for blocks=implicit: forwarded ids keep the pace");
  return on() ? std::make_unique<PreexecutionFeature>(*this, run.simulated_host) : nullptr;
}

}  // namespace duet::machine
