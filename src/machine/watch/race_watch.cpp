// Races between commands (memory/race_detector.h), and their records.
#include <optional>

#include "machine/feature.h"
#include "machine/run_options.h"
#include "machine/system.h"
#include "machine/watch/race_options.h"
#include "memory/race_detector.h"
#include "report/journal/journal.h"

namespace duet::machine {

namespace {

class RaceWatch final : public Feature {
 public:
  const char* option() const override { return "--check-races"; }
  void plan(MachinePlan& plan) override {
    races_.emplace([this](std::uint64_t earlier,
                          std::uint64_t later) { return system_->driver().ordered(earlier, later); },
                   &plan.engine);
    plan.races = &*races_;
  }
  void attach(System& system, report::JournalWriter* journal) override {
    system_ = &system;
    journal_ = journal;
    system.driver().keep_order();
  }
  void completed(const driver::CommandRecord& command) override {
    if (journal_ == nullptr) return;
    for (const memory::Race& race : races_->take(command.id)) tell(race);
    for (const memory::Conflict& conflict : races_->take_conflicts(command.id)) tell(conflict);
  }
  void record_end() override {
    if (journal_ == nullptr) return;
    for (const memory::Race& race : races_->take_all()) tell(race);
    for (const memory::Conflict& conflict : races_->take_conflicts(0)) tell(conflict);
  }

 private:
  void tell(const memory::Race& race);
  void tell(const memory::Conflict& conflict);

  System* system_ = nullptr;
  report::JournalWriter* journal_ = nullptr;
  std::optional<memory::RaceDetector> races_;
};

void RaceWatch::tell(const memory::Race& race) {
  const memory::AddressSpace& space = system_->address_space();
  const driver::CommandLabel &reader = system_->driver().label(race.reader),
                             &writer = system_->driver().label(race.writer);
  report::RaceRecord record{};
  record.reader = {race.reader, reader.stream, race.reader_is_kernel};
  record.writer = {race.writer, writer.stream, race.writer_is_kernel};
  record.first = space.pages().virtual_of(race.first).value();
  record.last = space.pages().virtual_of(race.last).value();
  record.bytes = race.bytes;
  record.read_ps = race.read_ps;
  record.written_ps = race.written_ps;
  record.sm = race.first_of_kernel.unit;
  record.ptx_line = race.first_of_kernel.ptx_line;
  const ptx::Kernel* const kernel = race.reader_is_kernel ? reader.kernel : writer.kernel;
  journal_->append(
      report::RecordType::Race, record,
      reader.name + '\n' + writer.name + '\n' + (kernel != nullptr ? kernel->place_of(record.ptx_line) : ""));
}

void RaceWatch::tell(const memory::Conflict& conflict) {
  const memory::AddressSpace& space = system_->address_space();
  report::ConflictRecord record{};
  std::string text;
  const memory::Conflict::Side* const sides[] = {&conflict.first, &conflict.second};
  for (std::size_t i = 0; i < 2; ++i) {
    const memory::Conflict::Side& side = *sides[i];
    const driver::CommandLabel& label = system_->driver().label(side.command);
    record.sides[i] = {{side.command, label.stream, side.kernel}, side.writes, side.ptx_line};
    text += label.name + '\n' + (side.kernel ? label.kernel->place_of(side.ptx_line) : std::string()) + '\n';
  }
  const VirtualAddress first = space.pages().virtual_of(conflict.lowest);
  record.first = first.value();
  record.last = space.pages().virtual_of(conflict.highest).value();
  record.bytes = conflict.bytes;
  journal_->append(report::RecordType::Conflict, record,
                   text + space.place_of(first, record.last - record.first + 1));
}

}  // namespace

std::vector<OptionField> RaceOptions::fields() {
  return {{.key = "check_races",
           .place = &on,
           .word = "--check-races",
           .text = "name the bytes that two commands (kernels, copies, fills) touch, at least one of them "
                   "writing, while no stream, event, wait or full/empty bit orders the two, whether or not "
                   "it went wrong in this run; not found: races within a kernel, with the host, of atomic, "
                   "volatile and scoped accesses, and between kernels that pass each other values by these"}};
}

std::unique_ptr<Feature> RaceOptions::feature(const RunOptions&) const {
  return on ? std::make_unique<RaceWatch>() : nullptr;
}

}  // namespace duet::machine
