// Spans of tracks, at most so many. Where more come, neighbours of a track are taken together:
//
//   TimelineSpans spans;
//   spans.add(TrackGroup::Stream, 1, {name, kind, start, end});
//   spans.finish();                       // spans.tracks(): each in the order of its begins
//
// The rule: neighbours of one kind on a track become one span when they last no longer than `grain` together,
// gaps included. The grain begins with 0 and doubles until there are few enough.
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "base/units.h"

namespace duet::report {

enum class TrackGroup : std::uint8_t { Thread, Driver, Stream, Engine };

struct TimelineSpan {
  std::uint32_t name = 0;  // kSeveral: of joined spans
  std::uint32_t kind = 0;
  Picoseconds start_ps = 0, end_ps = 0;
  Picoseconds prepared_ps = 0;  // of the driver's: the end of stage (ii)
  Picoseconds busy_ps = 0;      // the sum of joined spans' times
  std::uint64_t command = 0, call = 0, bytes = 0, count = 1;
  static constexpr std::uint32_t kSeveral = ~0u;
};

class TimelineSpans {
 public:
  struct Track {  // has spans of one kind, so other kinds between them do not keep them apart
    TrackGroup group;
    std::uint64_t number;
    std::uint32_t kind;
    auto operator<=>(const Track&) const = default;
  };
  static constexpr std::size_t kMost = 20'000;
  explicit TimelineSpans(std::size_t most = kMost) : most_(most) {}
  void add(TrackGroup group, std::uint64_t number, const TimelineSpan& span);
  void finish();
  Picoseconds grain_ps() const { return grain_; }
  const std::map<Track, std::vector<TimelineSpan>>& tracks() const { return tracks_; }

 private:
  void join();
  void join_by_grain();

  std::size_t most_, count_ = 0;
  Picoseconds grain_ = 0, last_ = 0;
  std::map<Track, std::vector<TimelineSpan>> tracks_;
};

}  // namespace duet::report
