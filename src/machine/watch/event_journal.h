// Writes task events into the journal, with the counts during them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "report/journal/journal.h"
#include "sim/event_sink.h"
#include "sim/statistics.h"

namespace duet::machine {

class EventJournal : public sim::EventSink {
 public:
  // `command_ends`: also the completion of commands that have no record of their own, as of events.
  EventJournal(report::JournalWriter& journal, const sim::Statistics& statistics, bool command_ends)
      : journal_(journal), statistics_(statistics), command_ends_(command_ends) {}
  void take(const sim::Event& event) override;

 private:
  std::uint32_t number_of(const sim::Component& component);
  void record_counts(const sim::Event& event);

  report::JournalWriter& journal_;
  const sim::Statistics& statistics_;
  const bool command_ends_;
  std::vector<std::uint64_t> by_statistic_;  // all 0 between two events
  std::vector<std::byte> counts_;            // being put together
  std::map<const sim::Component*, std::uint32_t>
      numbers_;  // of components, in the order of their first event
};

}  // namespace duet::machine
