#include "report/timeline/timeline_counters.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/results/intervals.h"

namespace duet::report {

namespace {

// How a value comes from an interval's counts.
enum class Rate { BytesPerSecond, PerCycle, Percent, Now };
struct Shown {
  const char* name;
  Rate rate;
  bool each;                                 // a track a component, or one for all together
  std::vector<const char*> of, not_of = {};  // added up; of a percentage both are the whole
};
const char* unit_of(Rate rate) {
  switch (rate) {
    case Rate::BytesPerSecond:
      return "B/s";
    case Rate::PerCycle:
      return "/core cycle";
    case Rate::Percent:
      return "%";
    case Rate::Now:
      break;
  }
  return "now";
}

const std::vector<Shown>& shown() {
  static const std::vector<Shown> kShown = {
      {"warp instructions", Rate::PerCycle, false, {"sm.warp_instructions"}},
      {"resident warps", Rate::Now, false, {"sm.resident_warps"}},
      {"issue slots used",
       Rate::Percent,
       false,
       {"sm.slots_issued"},
       {"sm.slots_unit_busy", "sm.slots_load_store_busy", "sm.slots_dependency", "sm.slots_memory",
        "sm.slots_tracked_order", "sm.slots_fence", "sm.slots_barrier", "sm.slots_fetch",
        "sm.slots_no_warp"}},
      {"L1 read hits", Rate::Percent, false, {"l1.read_hits"}, {"l1.read_misses", "l1.read_merges"}},
      {"L1 misses on their way", Rate::Now, false, {"l1.registers_held"}},
      {"L2 read hits", Rate::Percent, false, {"l2.read_hits"}, {"l2.read_misses", "l2.read_merges"}},
      {"L2 misses on their way", Rate::Now, false, {"l2.registers_held"}},
      {"DRAM read", Rate::BytesPerSecond, false, {"dram.read_bytes"}},
      {"DRAM written", Rate::BytesPerSecond, false, {"dram.written_bytes"}},
      {"DRAM requests queued", Rate::Now, false, {"dram.queued"}},
      {"link to GPU", Rate::BytesPerSecond, false, {"link.to_gpu_payload_bytes"}},
      {"link to host", Rate::BytesPerSecond, false, {"link.to_host_payload_bytes"}},
      {"copied", Rate::BytesPerSecond, false, {"copy_engine.bytes"}},
      {"tasks queued", Rate::Now, false, {"front_end.queued_tasks"}},
      {"read and written", Rate::BytesPerSecond, true, {"dram.read_bytes", "dram.written_bytes"}},
      {"requests queued", Rate::Now, true, {"dram.queued"}},
      {"warp instructions", Rate::PerCycle, true, {"sm.warp_instructions"}},
      {"resident warps", Rate::Now, true, {"sm.resident_warps"}},
      {"copied", Rate::BytesPerSecond, true, {"copy_engine.bytes"}}};
  return kShown;
}

class CounterTracks {
 public:
  CounterTracks(PerfettoWriter& trace, const RunReport& report) : trace_(trace), report_(report) {}

  void add(const IntervalColumns& columns, const Interval& interval) {
    if (lines_.empty()) make(columns);
    for (Line& line : lines_) {
      if (line.shown->rate == Rate::Now) {
        if (interval.has_states) show(line, interval.end_ps, sum(line.of, interval));
      } else {
        show(line, interval.start_ps, value(line, interval));
      }
    }
    end_ps_ = interval.end_ps;
  }
  void end() {
    for (Line& line : lines_)
      if (line.shown->rate != Rate::Now) show(line, end_ps_, 0);
  }

 private:
  struct Line {
    const Shown* shown;
    PerfettoWriter::Track track;
    std::vector<std::size_t> of, not_of;  // columns
    double last = std::numeric_limits<double>::quiet_NaN();
  };

  void make(const IntervalColumns& columns) {
    const PerfettoWriter::Track group = trace_.process("counters");
    std::map<std::string, PerfettoWriter::Track> components;
    std::map<std::pair<const Shown*, std::string>, Line> lines;
    for (const Shown& shown : shown())
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].component.empty() == shown.each) continue;
        const auto among = [&](const std::vector<const char*>& names) {
          return std::find(names.begin(), names.end(), columns[i].statistic) != names.end();
        };
        if (!among(shown.of) && !among(shown.not_of)) continue;
        const auto [line, is_new] =
            lines.emplace(std::pair(&shown, columns[i].component), Line{&shown, 0, {}, {}});
        if (is_new) {
          PerfettoWriter::Track parent = group;
          if (shown.each) {
            const auto rank = static_cast<std::uint32_t>(shown_count() + components.size());
            const auto [known, first] = components.emplace(columns[i].component, 0);
            if (first) known->second = trace_.track(group, columns[i].component, rank);
            parent = known->second;
          }
          line->second.track = trace_.counter(parent, shown.name, unit_of(shown.rate),
                                              static_cast<std::uint32_t>(&shown - shown_first()));
        }
        (among(shown.of) ? line->second.of : line->second.not_of).push_back(i);
      }
    for (auto& [key, line] : lines) lines_.push_back(std::move(line));
  }
  static const Shown* shown_first() { return shown().data(); }
  static std::size_t shown_count() { return shown().size(); }

  static double sum(const std::vector<std::size_t>& columns, const Interval& interval) {
    std::uint64_t sum = 0;
    for (const std::size_t column : columns) sum += interval.values[column];
    return static_cast<double>(sum);
  }
  double value(const Line& line, const Interval& interval) const {
    const double counted = sum(line.of, interval);
    const double seconds = static_cast<double>(interval.end_ps - interval.start_ps) * 1e-12;
    double whole = 1;
    if (line.shown->rate == Rate::Percent) whole = (counted + sum(line.not_of, interval)) / 100;
    if (line.shown->rate == Rate::BytesPerSecond) whole = seconds;
    if (line.shown->rate == Rate::PerCycle)
      whole = seconds * static_cast<double>(report_.core_clock_khz) * 1000;
    return whole > 0 ? counted / whole : 0;
  }
  // A value holds until the next one.
  void show(Line& line, Picoseconds time, double value) {
    if (value == line.last) return;
    trace_.count(line.track, time, value);
    line.last = value;
  }

  PerfettoWriter& trace_;
  const RunReport& report_;
  std::vector<Line> lines_;
  Picoseconds end_ps_ = 0;
};

}  // namespace

void write_counters(PerfettoWriter& trace, const RunReport& report) {
  CounterTracks tracks(trace, report);
  for_each_interval(
      report, std::numeric_limits<std::uint64_t>::max(),
      [&](const IntervalColumns& columns, const Interval& interval) { tracks.add(columns, interval); });
  tracks.end();
}

}  // namespace duet::report
