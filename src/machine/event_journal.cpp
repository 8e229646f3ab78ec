#include "machine/event_journal.h"

#include "sim/engine.h"

namespace duet::machine {

std::uint32_t EventJournal::number_of(const sim::Component& component) {
  const auto [known, first] = numbers_.emplace(&component, static_cast<std::uint32_t>(numbers_.size()));
  if (first)
    journal_.append(report::RecordType::EventComponent, report::EventComponentRecord{known->second},
                    component.name());
  return known->second;
}

void EventJournal::take(const sim::Event& event) {
  const report::EventRecord record{event.kind,   event.phase,  number_of(*event.component),
                                   event.stream, event.unit,   event.time_ps,
                                   event.id,     event.parent, event.argument};
  journal_.append(report::RecordType::Event, record, event.name);
}

}  // namespace duet::machine
