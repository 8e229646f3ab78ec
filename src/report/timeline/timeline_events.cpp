#include "report/timeline/timeline_events.h"

#include <algorithm>
#include <utility>

namespace duet::report {

TimelineEvents::TimelineEvents(Picoseconds end_ps, std::function<void(const TimelineMove&)> moved)
    : end_ps_(end_ps),
      column_ps_(std::max<Picoseconds>((end_ps + kColumns - 1) / kColumns, 1)),
      moved_(std::move(moved)) {}

void TimelineEvents::event(const EventRecord& event, std::string_view name) {
  if (event.kind != TaskEventKind::Move && event.kind != TaskEventKind::Block) return;
  const auto key = std::tuple(event.kind, event.parent, event.id);
  if (event.phase == TaskEventPhase::Begin)
    begun_[key] = {event, std::string(name)};
  else if (const auto begun = begun_.extract(key); !begun.empty())
    close(begun.mapped(), event.time_ps);
}

void TimelineEvents::end() {
  for (const auto& [key, begun] : begun_) close(begun, end_ps_);
  begun_.clear();
}

void TimelineEvents::close(const Begun& begun, Picoseconds end_ps) {
  const EventRecord& record = begun.record;
  const std::string& component = components_[record.component];
  if (record.kind == TaskEventKind::Move)
    return moved_({record.unit, component, begun.name, record.time_ps, std::max(end_ps, record.time_ps),
                   record.parent, record.argument});
  Sm& sm = sms_[record.unit];
  if (sm.of.empty()) sm = {component, std::vector<Picoseconds>(kColumns)};
  const Picoseconds end = std::min(end_ps, end_ps_);
  for (Picoseconds from = record.time_ps; from < end;) {
    const Picoseconds column = from / column_ps_, to = std::min(end, (column + 1) * column_ps_);
    sm.of[column] += to - from;
    from = to;
  }
}

}  // namespace duet::report
