// Moves of single data transfer engines and blocks on single SMs, from a journal with their events
// (docs/reference/events.md, `--trace-detail command` and `block`):
//
//   TimelineEvents events(end_ps, [&](const TimelineMove& move) { ... });   // a complete move
//   events.component(number, "SM 0");
//   events.event(record, "copy");
//   events.end();                                  // open events end with the run
//   for (const auto& [number, sm] : events.sms()) ...
//
// The times of blocks are added up in kColumns parts of the run, so a run with many costs no more.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/units.h"
#include "report/journal/journal_records.h"

namespace duet::report {

struct TimelineMove {
  std::uint32_t engine;
  const std::string& engine_name;
  std::string_view name;
  Picoseconds start_ps, end_ps;
  std::uint64_t command;
  Bytes bytes;
};

class TimelineEvents {
 public:
  static constexpr std::uint64_t kColumns = 400;
  struct Sm {
    std::string name;
    std::vector<Picoseconds> of;  // a column each: times of its blocks, added up
  };
  TimelineEvents(Picoseconds end_ps, std::function<void(const TimelineMove&)> moved);
  void component(std::uint32_t number, std::string_view name) { components_[number] = name; }
  void event(const EventRecord& event, std::string_view name);
  void end();
  Picoseconds column_ps() const { return column_ps_; }
  const std::map<std::uint32_t, Sm>& sms() const { return sms_; }  // by number; none: nobody told

 private:
  struct Begun {
    EventRecord record;
    std::string name;
  };
  void close(const Begun& begun, Picoseconds end_ps);

  const Picoseconds end_ps_, column_ps_;
  const std::function<void(const TimelineMove&)> moved_;
  std::map<std::uint32_t, std::string> components_;
  std::map<std::tuple<TaskEventKind, std::uint64_t, std::uint64_t>, Begun> begun_;
  std::map<std::uint32_t, Sm> sms_;
};

}  // namespace duet::report
