// Task events into the journal.
#pragma once

#include <cstdint>
#include <map>

#include "report/journal.h"
#include "sim/event_sink.h"

namespace duet::machine {

class EventJournal : public sim::EventSink {
 public:
  explicit EventJournal(report::JournalWriter& journal) : journal_(journal) {}
  void take(const sim::Event& event) override;

 private:
  std::uint32_t number_of(const sim::Component& component);

  report::JournalWriter& journal_;
  std::map<const sim::Component*, std::uint32_t>
      numbers_;  // of components, in the order of their first event
};

}  // namespace duet::machine
