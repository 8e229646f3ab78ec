#include "report/timeline/timeline.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/json/json_writer.h"
#include "report/timeline/timeline_events.h"
#include "report/timeline/timeline_spans.h"

namespace duet::report {

namespace {

const char* group_name(TrackGroup group) {
  switch (group) {
    case TrackGroup::Thread:
      return "thread";
    case TrackGroup::Driver:
      return "driver";
    case TrackGroup::Stream:
      return "stream";
    case TrackGroup::Engine:
      return "engine";
  }
  return "?";
}

// "[1,2,3]" in place of a JSON array: a run may have very many.
void append(std::string& text, std::initializer_list<std::uint64_t> numbers) {
  char all[256];  // ten numbers of at most 20 digits
  char* at = all;
  for (const std::uint64_t number : numbers) {
    *at = at == all ? '[' : ',';
    ++at;
    at = std::to_chars(at, all + sizeof all, number).ptr;
  }
  *at++ = ']';
  text.append(all, at);
}

class Timeline {
 public:
  void call(const RunReport& report, const ApiCallRecord& record) {
    if (record.number > ApiCallRecord::kCalls) return;  // calls for --events alone
    ++calls_;
    TimelineSpan span;
    span.name = name(report.api[record.api].name);
    span.start_ps = span.prepared_ps = record.start_ps;
    span.end_ps = record.end_ps;
    span.call = record.number;
    span.kind = kind("call");
    spans_.add(TrackGroup::Thread, record.thread, span);
  }
  void kernel(const KernelRecord& kernel, std::string_view name) {
    if (kernel.complete != 0 || kernel.start_ps != 0) work(kernel, name, "kernel", 0);
  }
  void move(const TimelineMove& move) {
    engines_.try_emplace(move.engine, move.engine_name);
    TimelineSpan span;
    span.name = name(std::string(move.name));
    span.kind = kind("move");
    span.command = move.command;
    span.bytes = move.bytes;
    span.start_ps = span.prepared_ps = move.start_ps;
    span.end_ps = move.end_ps;
    spans_.add(TrackGroup::Engine, move.engine, span);
  }
  void copy(const CopyRecord& copy) { work(copy, copy_name(copy), copy_kind_name(copy.kind), copy.bytes); }

  // The members of an object. A run may have 20,000 spans: they are written as they are.
  void write(std::ostream& out, const RunReport& report) {
    spans_.finish();
    std::uint64_t all = 0;
    for (const Api& api : report.api) all += api.calls;
    Json readable = Json::object();
    for (const std::string& raw : names_.list)
      if (std::string text = readable_name(raw); text != raw) readable[raw] = std::move(text);
    const Json head = {{"readable", readable},
                       {"grain_ps", spans_.grain_ps()},
                       {"calls", {{"all", all}, {"kept", calls_}}},
                       {"names", names_.list},
                       {"kinds", kinds_.list}};
    std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.back() = ',';  // in place of its end
    out << text.substr(1) << "\"tracks\":[";
    for (const auto& [track, spans] : spans_.tracks()) {
      text = &track == &spans_.tracks().begin()->first ? "" : ",";
      text += "{\"group\":\"" + std::string(group_name(track.group)) +
              "\",\"number\":" + std::to_string(track.number);
      if (track.group == TrackGroup::Engine) text += ",\"name\":" + Json(engines_.at(track.number)).dump();
      text += ",\"spans\":[";
      for (const TimelineSpan& s : spans) {
        if (&s != &spans.front()) text += ',';
        append(text, s);
      }
      out << text << "]}";
    }
    out << ']';
  }

 private:
  struct Numbered {
    std::map<std::string, std::uint32_t, std::less<>> numbers;
    std::vector<std::string> list;
    std::uint32_t of(std::string_view name) {
      if (const auto known = numbers.find(name); known != numbers.end()) return known->second;
      list.emplace_back(name);
      return numbers.emplace(name, static_cast<std::uint32_t>(list.size() - 1)).first->second;
    }
  };
  std::uint32_t name(std::string_view text) { return names_.of(text); }
  std::uint32_t kind(std::string_view text) { return kinds_.of(text); }

  static void append(std::string& text, const TimelineSpan& s) {
    const std::size_t from = text.size();
    report::append(text, {s.name, s.kind, s.start_ps, s.end_ps, s.prepared_ps, s.command, s.call, s.bytes,
                          s.count, s.busy_ps});
    if (s.name == TimelineSpan::kSeveral) text.replace(from + 1, text.find(',', from) - from - 1, "null");
  }

  template <typename Record>
  void work(const Record& record, std::string_view text, std::string_view what, Bytes bytes) {
    TimelineSpan span;
    span.name = name(text);
    span.kind = kind(what);
    span.command = record.command;
    span.call = record.call;
    span.bytes = bytes;
    span.start_ps = record.driver_start_ps;
    span.prepared_ps = std::min(record.prepared_ps, record.start_ps);
    span.end_ps = record.start_ps;
    const bool launch = what == "kernel";  // its hand-over is a span of its own
    if (launch) span.end_ps = span.prepared_ps;
    if (span.end_ps > span.start_ps) spans_.add(TrackGroup::Driver, 0, span);
    if (launch && record.start_ps > span.prepared_ps) {
      TimelineSpan hand_over = span;
      hand_over.kind = kind("launch");
      hand_over.start_ps = span.prepared_ps;
      hand_over.end_ps = record.start_ps;
      spans_.add(TrackGroup::Driver, 0, hand_over);
    }
    span.start_ps = span.prepared_ps = record.start_ps;
    span.end_ps = record.end_ps;
    spans_.add(TrackGroup::Stream, record.stream, span);
  }

  TimelineSpans spans_;
  Numbered names_, kinds_;
  std::map<std::uint64_t, std::string> engines_;  // names
  std::uint64_t calls_ = 0;
};

// The critical path from the run's begin: the part of each stretch. Empty stretches lie beyond the kept
// steps.
std::string path_text(const RunReport& report, const std::vector<PathStep>& steps) {
  struct Stretch {
    std::uint32_t part;
    Picoseconds start_ps, end_ps;
  };
  const TimeAccount& account = report.account;
  std::vector<Stretch> back;
  const auto add = [&](std::uint32_t part, Picoseconds start, Picoseconds end) {
    if (start >= end) return;
    if (!back.empty() && back.back().part == part && back.back().start_ps == end)
      back.back().start_ps = start;
    else
      back.push_back({part, start, end});
  };
  add(account.last_part, account.last_start_ps, account.time_ps);
  for (std::uint32_t step = account.path_step; step != 0 && step <= steps.size();
       step = steps[step - 1].before)
    add(steps[step - 1].part, steps[step - 1].start_ps, steps[step - 1].end_ps);
  std::string list = "[";
  for (auto stretch = back.rbegin(); stretch != back.rend(); ++stretch) {
    if (stretch != back.rbegin()) list += ',';
    append(list, {stretch->part, stretch->start_ps, stretch->end_ps});
  }
  return list + "]";
}

// Adds the entries of a journal record with one or more.
template <typename Record>
void add_all(std::vector<Record>& list, const std::byte* record, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(Record) <= bytes; at += sizeof(Record))
    list.push_back(record_as<Record>(record + at, sizeof(Record)));
}

bool has(std::uint32_t moment, Activity activity) {
  return (moment >> static_cast<std::uint32_t>(activity) & 1) != 0;
}

// Whether a run at this moment has this part of the critical path (machine/watch/time_account.cpp).
bool goes_with(std::uint32_t moment, std::uint32_t part) {
  const PathPart is = !has(moment, Activity::Call)    ? PathPart::BetweenCalls
                      : has(moment, Activity::Kernel) ? PathPart::Kernels
                      : has(moment, Activity::Copy)   ? PathPart::OtherCopies
                      : has(moment, Activity::Driver) ? PathPart::Driver
                                                      : PathPart::Calls;
  return part == static_cast<std::uint32_t>(is);
}

// The stretches still open. Of two moments the run's current one comes last.
std::vector<MomentStretch> open_stretches(const TimeAccount& account) {
  std::vector<MomentStretch> open;
  for (std::uint32_t moment = 0; moment < kMomentKinds; ++moment)
    if (account.open_ps[moment] != 0)
      open.push_back({moment, 0, account.open_start_ps, account.time_ps, account.open_ps[moment]});
  if (open.size() != 2) return open;
  if (goes_with(open[0].moment, account.last_part)) std::swap(open[0], open[1]);
  if (!goes_with(open[1].moment, account.last_part) || goes_with(open[0].moment, account.last_part))
    return open;
  open[0].end_ps = open[1].start_ps = open[0].start_ps + open[0].of_ps;
  return open;
}

// [[activities (1 kernel, 2 copy, 4 driver, 8 call), start, end, for how long of it], ...]
void write_moments(std::ostream& out, std::vector<MomentStretch> stretches, const TimeAccount& account) {
  const std::vector<MomentStretch> open = open_stretches(account);
  stretches.insert(stretches.end(), open.begin(), open.end());
  std::string text;
  for (const MomentStretch& s : stretches) {
    if (&s != &stretches.front()) text += ',';
    append(text, {s.moment, s.start_ps, s.end_ps, s.of_ps});
  }
  out << text;
}

// {"column_ps": ..., "sms": [{"name": "SM 0", "of": [...]}, ...]}, the blocks' time in each column, added up
void write_blocks(std::ostream& out, const TimelineEvents& events) {
  if (events.sms().empty()) return;
  Json list = Json::array();
  for (const auto& [number, sm] : events.sms()) list.push_back({{"name", sm.name}, {"of", sm.of}});
  out << ",\"blocks\":" << Json{{"column_ps", events.column_ps()}, {"sms", list}}.dump();
}

}  // namespace

void write_timeline_json(std::ostream& out, const RunReport& report) {
  Timeline timeline;
  std::vector<PathStep> steps;
  std::vector<MomentStretch> stretches;
  TimelineEvents events(report.account.time_ps, [&](const TimelineMove& move) { timeline.move(move); });
  report.journal->for_each(
      [&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
        switch (type) {
          case RecordType::ApiCall:
            return timeline.call(report, record_as<ApiCallRecord>(record, bytes));
          case RecordType::Kernel:
            return timeline.kernel(record_as<KernelRecord>(record, bytes), text);
          case RecordType::Copy:
            return timeline.copy(record_as<CopyRecord>(record, bytes));
          case RecordType::PathSteps:
            return add_all(steps, record, bytes);
          case RecordType::MomentStretches:
            return add_all(stretches, record, bytes);
          case RecordType::EventComponent:
            return events.component(record_as<EventComponentRecord>(record, bytes).number, text);
          case RecordType::Event:
            return events.event(record_as<EventRecord>(record, bytes), text);
          default:
            return;
        }
      });
  report.for_each_running_kernel([&](const KernelResult& kernel) { timeline.kernel(kernel, kernel.name); });
  events.end();
  Json parts = Json::array();
  for (const TimePart& part : critical_path(report.account)) parts.push_back(part.name);
  out << '{';
  timeline.write(out, report);
  out << ",\"parts\":" << parts.dump() << ",\"path\":" << path_text(report, steps) << ",\"moments\":[";
  write_moments(out, std::move(stretches), report.account);
  out << ']';
  write_blocks(out, events);
  out << '}';
}

}  // namespace duet::report
