// The checks of a run: of its kernels (check/checker.h), of what it does not release, of its calls, and of
// the simulator (model_check.h); and the records of what they find.
#include <cstring>
#include <map>
#include <optional>
#include <string>

#include "base/readable_name.h"
#include "check/checker.h"
#include "gpu/functional/functional_sm.h"
#include "machine/cores_for_gpu/cpu_blocks_options.h"
#include "machine/feature.h"
#include "machine/run_options.h"
#include "machine/system.h"
#include "machine/watch/check_options.h"
#include "machine/watch/command_checks.h"
#include "machine/watch/host_frames.h"
#include "machine/watch/host_pages.h"
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

// A managed variable: whichever call loads its module makes it.
bool of_module(const memory::Allocation& allocation) {
  return allocation.kind == memory::AllocationKind::Managed &&
         std::strstr(allocation.call, "Managed") == nullptr;
}

class CheckWatch final : public Feature {
 public:
  CheckWatch(const check::Checks& checks, const RunOptions& run)
      : checks_(checks),
        simulated_host_(run.simulated_host),
        looks_at_model_(checks.model || always_checks_model(run)) {}

  const char* option() const override { return "--check"; }
  void attach(System& system, report::JournalWriter* journal) override;
  void submitted(driver::CommandId id, const driver::Command& command) override;
  void kernel_starts(const gpu::Grid& grid) override {
    if (checker_) checker_->kernel_starts(static_cast<check::CommandNumber>(grid.command));
  }
  void completed(const driver::CommandRecord& command) override {
    if (checker_) checker_->completed(static_cast<check::CommandNumber>(command.id));
    record_findings();
  }
  void record_end() override { record_findings(); }
  void resource_changed(const char* kind, std::uint64_t id, bool made) override;
  void memory_in_stream(const StreamMemoryChange& change) override;
  void reset(bool begins) override { resets_ = begins; }
  bool keeps_freed_memory() const override { return checks_.memory; }
  HostPages* host_pages() override { return pages_ ? &*pages_ : nullptr; }
  void call_failed(const char* call, const char* error) override;

 private:
  check::Findings& findings() { return checker_ ? checker_->findings() : findings_; }
  void record_findings();
  void allocation_changed(const memory::Allocation& allocation, bool made);
  std::string frames() const { return simulated_host_ ? std::string() : program_frames(); }
  std::string call_of(check::CommandNumber command) const;
  void close_pages(driver::CommandId id, const driver::CopyJob& job);

  const check::Checks checks_;
  const bool simulated_host_, looks_at_model_;
  driver::Driver* driver_ = nullptr;
  memory::AddressSpace* space_ = nullptr;
  std::map<check::CommandNumber, std::string> calls_;  // frames of the program
  report::JournalWriter* journal_ = nullptr;
  bool resets_ = false;
  check::Findings findings_;  // of a run that checks no kernels
  std::optional<check::Checker> checker_;
  std::optional<HostPages> pages_;
  std::optional<ModelCheck> model_check_;
};

void CheckWatch::attach(System& system, report::JournalWriter* journal) {
  journal_ = journal;
  driver::Driver& driver = system.driver();
  driver_ = &driver;
  space_ = &system.address_space();
  if (checks_.of_kernels()) {
    driver.keep_order();
    check::Checker::Order order = order_of(driver);
    order.call = [this](check::CommandNumber command) { return call_of(command); };
    checker_.emplace(checks_, system.address_space(), std::move(order), !simulated_host_);
    system.services().checker = &*checker_;
    if (checks_.races && !simulated_host_)
      pages_.emplace(driver, [this](driver::CommandId id, VirtualAddress address, const Touch& touch) {
        checker_->host_touches(static_cast<check::CommandNumber>(id), address, touch.writes,
                               program_frames(touch.from));
        record_findings();
      });
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
  if (!checks_.leaks || allocation.call == nullptr || of_module(allocation) || resets_) return;
  report::ResourceRecord record{};
  record.id = allocation.base.value();
  record.bytes = allocation.bytes;
  record.made = made;
  record.number = allocation.call_number;
  journal_->append(report::RecordType::Resource, record,
                   std::string(allocation.call) + (made ? '\n' + frames() : std::string()));
}

void CheckWatch::submitted(driver::CommandId id, const driver::Command& command) {
  if (!checker_) return;
  const bool launch = command.kind == driver::CommandKind::Launch;
  if (launch || command.kind == driver::CommandKind::Copy || command.kind == driver::CommandKind::Fill)
    if (std::string at = frames(); !at.empty())
      calls_[static_cast<check::CommandNumber>(id)] =
          (launch ? "@=" + readable_name(command.grid->kernel->name) : std::string()) + at;
  tell_command(*checker_, id, command);
  if (pages_ && command.kind == driver::CommandKind::Copy) close_pages(id, command.copy);
}

void CheckWatch::close_pages(driver::CommandId id, const driver::CopyJob& job) {
  const bool dense = job.slices == 1 && (job.rows == 1 || job.to.row_pitch == job.width_bytes);
  if (job.to.host && dense) pages_->written_by(id, job.to.address, job.width_bytes * job.rows);
}

std::string CheckWatch::call_of(check::CommandNumber command) const {
  const auto call = calls_.find(command);
  return call == calls_.end() ? std::string() : call->second;
}

// What a pool keeps is not the program's leak; what the program has of a pool is.
void CheckWatch::memory_in_stream(const StreamMemoryChange& change) {
  const memory::Allocation* const allocation = space_->find(change.base);
  if (allocation == nullptr || allocation->call == nullptr) return;
  if (checks_.leaks && journal_ != nullptr) {
    report::ResourceRecord record{};
    record.id = change.base.value();
    record.bytes = change.bytes;
    record.made = change.made;
    record.number = allocation->call_number;
    record.in_stream = true;
    journal_->append(report::RecordType::Resource, record,
                     std::string(allocation->call) + (change.made ? '\n' + frames() : std::string()));
  }
  if (!checker_ || !checks_.memory) return;
  check::Region* const region = checker_->global().find(change.base);
  if (region == nullptr) return;
  if (change.made) region->begin_again(change.bytes);
  region->in_stream_order = true;
  const driver::StreamPoint point = driver_->point(change.stream);
  const check::StreamTime time{point.number, static_cast<check::CommandNumber>(point.submitted),
                               static_cast<std::uint32_t>(change.stream), frames()};
  if (change.made)
    checker_->stream_memory().allocated(change.base, region->name(), time);
  else
    checker_->stream_memory().freed(change.base, region->name(), time, change.all_done);
  record_findings();
}

void CheckWatch::call_failed(const char* call, const char* error) {
  if (!checks_.api || journal_ == nullptr) return;
  journal_->append(report::RecordType::FailedAt, nullptr, 0,
                   std::string(call) + '\n' + error + '\n' + frames());
}

void CheckWatch::resource_changed(const char* kind, std::uint64_t id, bool made) {
  if (!checks_.leaks || resets_ || journal_ == nullptr) return;
  report::ResourceRecord record{};
  record.id = id;
  record.made = made;
  record.number = static_cast<std::uint32_t>(id);
  journal_->append(report::RecordType::Resource, record, kind);
}

// Those that are new, or were seen again.
void CheckWatch::record_findings() {
  if (journal_ == nullptr) return;
  if (const std::string note = findings().take_note(); !note.empty())
    journal_->append(report::RecordType::CheckNote, nullptr, 0, note);
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
