#include "machine/watch/event_journal.h"

#include <algorithm>

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

}  // namespace duet::machine
