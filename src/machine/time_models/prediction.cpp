// Kernels take the time of a model (predict/predictor.h): the feature, and its records.
#include <algorithm>
#include <iterator>
#include <optional>

#include "gpu/functional/functional_sm.h"
#include "machine/build/board.h"
#include "machine/feature.h"
#include "machine/run_options.h"
#include "machine/system.h"
#include "machine/time_models/predict_options.h"
#include "predict/predictor.h"
#include "report/journal/journal.h"

namespace duet::machine {

namespace {

class Prediction final : public Feature, gpu::BlockPolicy {
 public:
  explicit Prediction(bool sampled) : sampled_(sampled) {}

  const char* option() const override { return sampled_ ? "duet predict --sampled" : "duet predict"; }
  void plan(MachinePlan& plan) override {
    plan.time_of_model = true;
    plan.functional_gpu = predict::functional_gpu(plan.machine.gpu);
    if (sampled_) plan.decide(this, option());
  }
  void attach(System& system, report::JournalWriter* journal) override {
    journal_ = journal;
    notice_ps_ = system.config().link.latency_ns * 1000;
    predictor_.emplace(system.config(), system.address_space(), sampled_,
                       [this](const predict::Prediction& prediction) { tell(prediction); });
    system.services().recorder = &predictor_->recorder();
    memory::SimpleMemory& memory = *system.board().device_memory();
    memory.tell_before_writes([this](const memory::Request& request) {
      predictor_->written_by_copy(request.address, request.bytes, request.pc);
    });
    if (!sampled_) return;
    memory.tell_before_reads(
        [this](const memory::Request& request) { predictor_->read_by_copy(request.address, request.pc); });
  }
  std::uint64_t skips(const gpu::Grid& grid, std::uint64_t block, std::uint64_t most) override {
    return predictor_->skips(grid, block, most);
  }

 private:
  void tell(const predict::Prediction& prediction);

  const bool sampled_;
  report::JournalWriter* journal_ = nullptr;
  Picoseconds notice_ps_ = 0;  // from a kernel's end to the host's knowledge of it, over the link
  std::optional<predict::Predictor> predictor_;
};

void Prediction::tell(const predict::Prediction& prediction) {
  if (journal_ == nullptr) return;
  const predict::SmTimes& times = prediction.times;
  report::PredictionRecord record{};
  record.command = prediction.recording->grid->command;
  const Picoseconds notice = prediction.recording->grid->parent == nullptr ? notice_ps_ : 0;
  record.time_ps = prediction.time_ps + notice;
  for (std::size_t i = 0; i < prediction.without_ps.size(); ++i)
    record.without_ps[i] = prediction.without_ps[i] != 0 ? prediction.without_ps[i] + notice : 0;
  record.roofline_ps = prediction.roofline_ps;
  record.hong_kim_ps = prediction.hong_kim_ps;
  record.issue_slots = times.slots;
  const double busy[] = {times.load_store_busy, times.port_busy, times.l2_busy, times.dram_busy,
                         times.atomics_busy};
  std::copy(std::begin(busy), std::end(busy), record.busy);
  record.computed_share = times.computed_share;
  record.l1_requests = times.l1_requests;
  record.l1_hits = times.l1_hits;
  record.requests_below = times.requests_below;
  record.dram_requests = times.dram_requests;
  record.doubts = prediction.doubts;
  record.repeated = prediction.repeated;
  record.partial = prediction.recording->partial;
  journal_->append(report::RecordType::Prediction, record, prediction.recording->grid->kernel->name);
}

}  // namespace

std::vector<OptionField> PredictOptions::fields() {
  return {{.key = "predict", .place = &on}, {.key = "sampled", .place = &sampled}};
}

std::unique_ptr<Feature> PredictOptions::feature(const RunOptions&) const {
  return on ? std::make_unique<Prediction>(sampled) : nullptr;
}

}  // namespace duet::machine
