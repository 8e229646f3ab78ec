// The checks of a run: of its kernels (check/checker.h), of what it does not release, of its calls, and of
// the simulator (model_check.h); and the records of what they find.
#include <optional>

#include "check/checker.h"
#include "gpu/functional/functional_sm.h"
#include "machine/cores_for_gpu/cpu_blocks_options.h"
#include "machine/feature.h"
#include "machine/run_options.h"
#include "machine/system.h"
#include "machine/watch/check_options.h"
#include "machine/watch/command_checks.h"
#include "machine/watch/model_check.h"
#include "report/journal/journal.h"

namespace duet::machine {

namespace {

// Debug builds look at every run, but for those whose events do not tell all, or come from two threads.
bool always_checks_model(const RunOptions& run) {
#ifdef NDEBUG
  constexpr bool kAlways = false;
#else
  constexpr bool kAlways = true;
#endif
  return kAlways && !run.two_threads && !run.of<CpuBlocksOptions>().on;
}

class CheckWatch final : public Feature {
 public:
  CheckWatch(const check::Checks& checks, const RunOptions& run)
      : checks_(checks),
        simulated_host_(run.simulated_host),
        looks_at_model_(checks.model || always_checks_model(run)) {}

  const char* option() const override { return "--check"; }
  void attach(System& system, report::JournalWriter* journal) override;
  void submitted(driver::CommandId id, const driver::Command& command) override {
    if (checker_) tell_command(*checker_, id, command);
  }
  void kernel_starts(const gpu::Grid& grid) override {
    if (checker_) checker_->kernel_starts(static_cast<check::CommandNumber>(grid.command));
  }
  void completed(const driver::CommandRecord& command) override {
    if (checker_) checker_->completed(static_cast<check::CommandNumber>(command.id));
    record_findings();
  }
  void record_end() override { record_findings(); }
  void resource_changed(const char* kind, std::uint64_t id, bool made) override;

 private:
  check::Findings& findings() { return checker_ ? checker_->findings() : findings_; }
  void record_findings();
  void allocation_changed(const memory::Allocation& allocation, bool made);

  const check::Checks checks_;
  const bool simulated_host_, looks_at_model_;
  report::JournalWriter* journal_ = nullptr;
  check::Findings findings_;  // of a run that checks no kernels
  std::optional<check::Checker> checker_;
  std::optional<ModelCheck> model_check_;
};

void CheckWatch::attach(System& system, report::JournalWriter* journal) {
  journal_ = journal;
  driver::Driver& driver = system.driver();
  if (checks_.of_kernels()) {
    driver.keep_order();
    checker_.emplace(checks_, system.address_space(), order_of(driver), !simulated_host_);
    system.services().checker = &*checker_;
  }
  if (looks_at_model_) {
    model_check_.emplace(system.config(), driver, checks_.model ? &findings() : nullptr);
    system.engine().report_events(*model_check_, model::kModelEvents);
  }
  if (journal_ == nullptr || !checks_.any()) return;
  const std::string words = check::text_of(checks_);
  journal_->append(report::RecordType::Checks, words.data(), 0, words);
  system.address_space().on_change = [this](const memory::Allocation& allocation, bool made) {
    allocation_changed(allocation, made);
  };
}

void CheckWatch::allocation_changed(const memory::Allocation& allocation, bool made) {
  if (!made && checker_) checker_->global().released(allocation);
  if (!checks_.leaks || allocation.call == nullptr) return;
  report::ResourceRecord record{};
  record.id = allocation.base.value();
  record.bytes = allocation.bytes;
  record.made = made;
  record.number = allocation.call_number;
  journal_->append(report::RecordType::Resource, record, allocation.call);
}

void CheckWatch::resource_changed(const char* kind, std::uint64_t id, bool made) {
  if (!checks_.leaks || journal_ == nullptr) return;
  report::ResourceRecord record{};
  record.id = id;
  record.made = made;
  record.number = static_cast<std::uint32_t>(id);
  journal_->append(report::RecordType::Resource, record, kind);
}

// Those that are new, or were seen again.
void CheckWatch::record_findings() {
  if (journal_ == nullptr) return;
  findings().take_changed([this](std::size_t number, const check::Finding& finding) {
    report::FindingRecord record{};
    record.number = number;
    record.count = finding.count;
    journal_->append(report::RecordType::Finding, record,
                     std::string(check::check_of(finding.kind)) + '\n' + check::name_of(finding.kind) + '\n' +
                         finding.text);
  });
}

}  // namespace

std::vector<OptionField> CheckOptions::fields() {
  return {{.key = "check",
           .place = TextPlace{[this] { return check::text_of(checks); },
                              [this](const std::string& words) {
                                checks = words.empty() ? check::Checks() : check::checks_of(words);
                              },
                              "memory,leaks"},
           .word = "--check",
           .text = "look for faults of the program (docs/use/check.md), of these kinds, with commas between: "
                   "memory, races, init, sync, leaks, api, model (of the simulator: hu2016's rules), or all; "
                   "what is found is told at the end and stands in stats.json",
           .type_name = "KINDS"}};
}

std::unique_ptr<Feature> CheckOptions::feature(const RunOptions& run) const {
  if (!checks.any() && !always_checks_model(run)) return nullptr;
  return std::make_unique<CheckWatch>(checks, run);
}

}  // namespace duet::machine
