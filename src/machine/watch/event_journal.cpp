#include "machine/watch/event_journal.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "machine/feature.h"
#include "machine/run_options.h"
#include "machine/system.h"
#include "machine/watch/trace_options.h"
#include "sim/engine.h"

namespace duet::machine {

std::uint32_t EventJournal::number_of(const sim::Component& component) {
  const auto [known, first] = numbers_.emplace(&component, static_cast<std::uint32_t>(numbers_.size()));
  if (first)
    journal_.append(report::RecordType::EventComponent, report::EventComponentRecord{known->second},
                    component.name());
  return known->second;
}

// Under the numbers that the statistics have in all of the journal.
void EventJournal::record_counts(const sim::Event& event) {
  const auto& parts = statistics_.parts();
  const auto part = std::find_if(parts.begin(), parts.end(),
                                 [&](const auto& one) { return one.component == event.component; });
  const std::uint32_t* const numbers = statistics_.statistic_of_value().data() + part->first;
  by_statistic_.resize(statistics_.declared().size());
  for (std::size_t i = 0; i < event.counts.size(); ++i) by_statistic_[numbers[i]] = event.counts[i];
  counts_.clear();
  report::add_increases(counts_, by_statistic_);
  journal_.append(report::RecordType::EventCounts, counts_.data(), counts_.size());
  for (std::size_t i = 0; i < event.counts.size(); ++i) by_statistic_[numbers[i]] = 0;
}

void EventJournal::take(const sim::Event& event) {
  // That of a kernel or copy is in its record.
  if (event.kind == TaskEventKind::Command && event.phase == TaskEventPhase::End && !command_ends_) return;
  const report::EventRecord record{event.kind,   event.phase,  number_of(*event.component),
                                   event.stream, event.unit,   event.time_ps,
                                   event.id,     event.parent, event.argument};
  if (!event.counts.empty()) record_counts(event);
  journal_.append(report::RecordType::Event, record, event.name);
}

namespace {

class Trace final : public Feature {
 public:
  explicit Trace(const TraceOptions& options) : options_(options) {}
  const char* option() const override { return "--trace-detail"; }
  void attach(System& system, report::JournalWriter* journal) override {
    if (journal == nullptr) return;
    constexpr TaskEventMask kDrawn = kAllTaskEvents & ~kNotDrawnEvents;
    TaskEventMask events = options_.events ? kDrawn : events_of(options_.detail);
    if (options_.push_buffer) events |= mask_of(TaskEventKind::PushBufferCommand);
    if (options_.explain) events |= kExplainedEvents;
    if (events == 0) return;
    journal_.emplace(*journal, system.statistics(), options_.explain);
    system.engine().report_events(*journal_, events);
  }

 private:
  const TraceOptions options_;
  std::optional<EventJournal> journal_;
};

TraceDetail detail_of(const std::string& word) {
  const auto found = std::find(kTraceDetails.begin(), kTraceDetails.end(), word);
  if (found == kTraceDetails.end()) throw Error("--trace-detail " + word + ": there is no such detail");
  return static_cast<TraceDetail>(found - kTraceDetails.begin());
}

}  // namespace

// Who asks for a detail gets all calls.
std::vector<OptionField> TraceOptions::fields() {
  return {{.key = "trace_detail",
           .place = TextPlace{[this] { return std::string(kTraceDetails[static_cast<std::size_t>(detail)]); },
                              [this](const std::string& word) {
                                detail = detail_of(word);
                                all_calls = detail != TraceDetail::None;
                              },
                              "warp"},
           .word = "--trace-detail",
           .text = "how much timeline.pftrace has, for Perfetto (docs/reference/events.md): `call`, without "
                   "this option "
                   "of the first 20,000 calls, otherwise of all; `command`, `block` and `warp` have more; "
                   "`none`: no such file",
           .type_name = "none|call|command|block|warp",
           .choices = {kTraceDetails.begin(), kTraceDetails.end()}},
          {.key = "trace_all_calls", .place = &all_calls},
          {.key = "trace_push_buffer",
           .place = &push_buffer,
           .word = "--trace-push-buffer",
           .text = "write every push-buffer command to push_buffer.txt"},
          {.key = "events",
           .place = &events,
           .word = "--events",
           .text = "write every call, copy and kernel to events.json (Chrome trace events)"},
          {.key = "explain", .place = &explain}};
}

std::unique_ptr<Feature> TraceOptions::feature(const RunOptions&) const {
  return std::make_unique<Trace>(*this);
}

}  // namespace duet::machine
