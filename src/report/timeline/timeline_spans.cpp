#include "report/timeline/timeline_spans.h"

#include <algorithm>

namespace duet::report {

namespace {

bool fits(const TimelineSpan& a, const TimelineSpan& b, Picoseconds grain) {
  return std::max(a.end_ps, b.end_ps) - a.start_ps <= grain;
}

void take(TimelineSpan& a, const TimelineSpan& b) {
  if (a.name != b.name) a.name = TimelineSpan::kSeveral;
  a.end_ps = std::max(a.end_ps, b.end_ps);
  a.prepared_ps = std::max(a.prepared_ps, b.prepared_ps);
  a.busy_ps += b.busy_ps;
  a.bytes += b.bytes;
  a.count += b.count;
}

void sort(std::vector<TimelineSpan>& spans) {
  const auto before = [](const TimelineSpan& a, const TimelineSpan& b) { return a.start_ps < b.start_ps; };
  if (std::is_sorted(spans.begin(), spans.end(), before)) return;  // mostly
  std::stable_sort(spans.begin(), spans.end(), before);
}

}  // namespace

void TimelineSpans::add(TrackGroup group, std::uint64_t number, const TimelineSpan& span) {
  auto& spans = tracks_[{group, number, span.kind}];
  spans.push_back(span);
  spans.back().busy_ps = span.end_ps - span.start_ps;
  last_ = std::max(last_, span.end_ps);
  if (++count_ > 2 * most_) join();  // not at every span
}

void TimelineSpans::finish() {
  for (auto& [track, spans] : tracks_) sort(spans);
  if (count_ > most_) join();
}

// First with the grain of what has been joined already: newer spans may fit by it.
void TimelineSpans::join() {
  for (auto& [track, spans] : tracks_) sort(spans);
  if (grain_ != 0) join_by_grain();
  while (count_ > most_ && grain_ <= last_) {
    grain_ = std::max({grain_ * 2, last_ / 65536, Picoseconds{1}});
    join_by_grain();
  }
}

void TimelineSpans::join_by_grain() {
  count_ = 0;
  for (auto& [track, spans] : tracks_) {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < spans.size(); ++i)
      if (fits(spans[kept], spans[i], grain_))
        take(spans[kept], spans[i]);
      else
        spans[++kept] = spans[i];
    if (!spans.empty()) spans.resize(kept + 1);
    count_ += spans.size();
  }
}

}  // namespace duet::report
