// Only some launches are simulated in time (sample/sampler.h): the feature, and its records.
#include <optional>

#include "gpu/functional/functional_sm.h"
#include "machine/feature.h"
#include "machine/record_shape.h"
#include "machine/run_options.h"
#include "machine/time_models/fast_forward.h"
#include "machine/time_models/fast_forwarded_gpu.h"
#include "machine/time_models/sample_options.h"
#include "predict/predictor.h"
#include "report/journal/journal.h"
#include "sample/sampler.h"

namespace duet::machine {

namespace {

class Sampling final : public Feature, gpu::BlockPolicy {
 public:
  explicit Sampling(double error_percent) : error_percent_(error_percent) {}

  const char* option() const override { return "--sample"; }
  void plan(MachinePlan& plan) override {
    plan_fast_forwarding(plan, this, option());
    plan.functional_gpu = predict::functional_gpu(plan.machine.gpu);
  }
  void attach(System& system, report::JournalWriter* journal) override {
    engine_ = &system.engine();
    journal_ = journal;
    gpu_.emplace(system);
    sampler_.emplace(
        error_percent_ / 100, [this](const sample::Launch& launch) { tell(launch); },
        [this](const gpu::Grid& grid, std::uint32_t sm) { gpu_->executes(grid, sm); });
    system.services().recorder = &*sampler_;
  }
  void begins(gpu::Grid& grid) override { sampler_->begins(grid); }
  bool fast_forwards_rest(const gpu::Grid& grid, std::uint64_t dispatched) override {
    return sampler_->block_ends(grid, dispatched, engine_->now());
  }
  void grid_ends(const gpu::Grid& grid) override { sampler_->ends(grid, engine_->now()); }
  void fast_forwards(const gpu::Grid& grid) override { gpu_->fast_forwards(grid); }
  void resumes() override { gpu_->resumes(); }

 private:
  void tell(const sample::Launch& launch);

  const double error_percent_;
  sim::Engine* engine_ = nullptr;
  report::JournalWriter* journal_ = nullptr;
  std::optional<FastForwardedGpu> gpu_;
  std::optional<sample::Sampler> sampler_;
};

void Sampling::tell(const sample::Launch& launch) {
  if (journal_ == nullptr) return;
  const gpu::Grid& grid = *launch.grid;
  report::SampleRecord record{};
  record.command = grid.command;
  record.error_percent = error_percent_;
  record.group = launch.group;
  record.window = launch.choice.window;
  record.timed = launch.choice.timed;
  record.warming = launch.warming;
  record.overlapped = launch.overlapped;
  record.failed = launch.failed;
  set_shape(record, grid);
  record.dynamic_shared_bytes = grid.dynamic_shared_bytes;
  record.work = launch.work;
  record.timed_blocks = launch.timed_blocks;
  record.time_ps = launch.time_ps;
  record.error_ps = launch.error_ps;
  journal_->append(report::RecordType::Sample, &record, sizeof record,
                   launch.first_of_group ? grid.kernel->name : std::string());
}

}  // namespace

std::vector<OptionField> SampleOptions::fields() {
  return {{.key = "sample",
           .place = &on,
           .word = "--sample",
           .text = "simulate only some launches of each kernel in time, and estimate the others with a bound "
                   "of the error (docs/use/sample.md)"},
          {.key = "sample_error_percent",
           .place = &error_percent,
           .word = "--sample-error",
           .text = "with --sample: the error of the kernels' time to be aimed at, in %, at 95 % confidence",
           .type_name = "PERCENT",
           .least = 0.1,
           .most = 100,
           .shows_value = true,
           .needs = "--sample"}};
}

std::unique_ptr<Feature> SampleOptions::feature(const RunOptions&) const {
  return on ? std::make_unique<Sampling>(error_percent) : nullptr;
}

}  // namespace duet::machine
