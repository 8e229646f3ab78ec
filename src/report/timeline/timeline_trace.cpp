#include "report/timeline/timeline_trace.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/command_work.h"
#include "report/results/block_places.h"
#include "report/timeline/perfetto_writer.h"
#include "report/timeline/timeline_counters.h"

namespace duet::report {

namespace {

using Track = PerfettoWriter::Track;

class TimelineTrace {
 public:
  TimelineTrace(std::ostream& out, const RunReport& report)
      : trace_(out),
        report_(report),
        events_(events_of(report.trace_detail)),
        last_call_(report.all_calls ? std::numeric_limits<std::uint64_t>::max() : ApiCallRecord::kCalls) {}

  void record(RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
    switch (type) {
      case RecordType::ApiCall:
        return call(record_as<ApiCallRecord>(record, bytes));
      case RecordType::Kernel:
        return kernel(record_as<KernelRecord>(record, bytes), text);
      case RecordType::Copy:
        return copy(record_as<CopyRecord>(record, bytes));
      case RecordType::Mark:
        return trace_.instant(track(Group::Host, kMarks, "marks"), text,
                              record_as<MarkRecord>(record, sizeof(MarkRecord)).time_ps, {});
      case RecordType::Range:
        return range(record_as<RangeRecord>(record, bytes), text);
      case RecordType::EventComponent:
        components_[record_as<EventComponentRecord>(record, bytes).number] = text;
        return;
      case RecordType::EventCounts:
        return counts(record, bytes);
      case RecordType::Event:
        return event(record_as<EventRecord>(record, bytes), text);
      default:
        return;
    }
  }

  void kernel(const KernelRecord& kernel, std::string_view name) {
    if (kernel.complete == 0 && kernel.start_ps == 0) return;
    work(kernel, readable(name),
         {{"grid", grid_.of(kernel.grid)},
          {"block", block_.of(kernel.block)},
          {"cycles", kernel.cycles},
          {"warp_instructions", kernel.warp_instructions}});
  }

  // Events open at the run's cut were going on until then.
  void end() {
    for (auto& [thread, calls] : returned_) write(thread, calls);
    for (auto& [thread, ranges] : pushed_)
      while (!ranges.empty()) pop(thread, report_.simulated_ps);
    for (const auto& [id, range] : started_) write(range, report_.simulated_ps);
    write_counters(trace_, report_);
    for (const auto& [key, open] : open_) close(open, std::max(open.begin.time_ps, report_.simulated_ps));
  }

 private:
  enum class Group { Host, Driver, Streams, Launches, Engines, Sms, Cores, PushBuffers, Count };
  static constexpr std::uint32_t kMarks = 0, kRanges = 1, kNvtx = 2;  // ranks beside threads
  static constexpr std::uint32_t kFirstThread = 1000;                 // its number in the trace
  // The key of a track in its group; on an SM the place there, from 1.
  using Place = std::tuple<Group, std::uint32_t, std::uint32_t>;
  static constexpr std::uint32_t kFirstWarp = 1u << 16;  // places of warps on an SM, behind the blocks'

  using Key = std::tuple<TaskEventKind, std::uint64_t, std::uint64_t>;
  struct Open {
    EventRecord begin;
    std::string name;
    std::uint32_t slot = 0;  // of a block on its SM
  };
  struct ReturnedCall {
    ApiCallRecord record;
    std::vector<std::uint64_t> commands;
  };
  struct StartedRange {
    Picoseconds start_ps;
    std::string name;
  };
  // "4 x 1 x 1"
  struct Shape {
    std::array<std::uint32_t, 3> last{};
    std::string text;
    std::string_view of(const std::uint32_t (&of)[3]) {
      if (text.empty() || !std::equal(last.begin(), last.end(), of)) {
        std::copy(std::begin(of), std::end(of), last.begin());
        text = std::to_string(of[0]) + " x " + std::to_string(of[1]) + " x " + std::to_string(of[2]);
      }
      return text;
    }
  };
  const std::string& readable(std::string_view name) {
    if (name == last_name_.first) return last_name_.second;  // mostly
    last_name_ = {std::string(name), readable_name(std::string(name))};
    return last_name_.second;
  }
  // A lane for slices one after the other; others may overlap them.
  struct Lane {
    Track track;
    Picoseconds end_ps;
  };

  bool has(Group group) const {
    switch (group) {
      case Group::Launches:
      case Group::Engines:
      case Group::PushBuffers:
        return report_.trace_detail >= TraceDetail::Command;
      case Group::Sms:
        return report_.trace_detail >= TraceDetail::Block;
      case Group::Cores:
        return report_.trace_detail >= TraceDetail::Block && report_.processor.has_value();
      default:
        return true;
    }
  }
  Track group(Group group) {
    static constexpr const char* kNames[] = {
        "host threads",          "driver", "GPU streams", "launches",
        "data transfer engines", "SMs",    "cores",       "push buffers"};
    // All at once: they are shown in the order of their making.
    if (groups_.empty())
      for (std::size_t i = 0; i < static_cast<std::size_t>(Group::Count); ++i)
        if (has(static_cast<Group>(i))) groups_[static_cast<Group>(i)] = trace_.process(kNames[i]);
    return groups_.at(group);
  }
  Track track(Group of, std::uint32_t number, const std::string& name) {
    const auto [known, is_new] = tracks_.emplace(Place{of, number, 0}, 0);
    if (is_new) known->second = trace_.track(group(of), name, number);
    return known->second;
  }
  // The SM's own track is empty, its blocks lie below.
  Track track_on_sm(const EventRecord& event, std::uint32_t place, const std::string& name) {
    const Track sm = track(Group::Sms, event.unit, components_[event.component]);
    const auto [known, is_new] = tracks_.emplace(Place{Group::Sms, event.unit, place + 1}, 0);
    if (is_new) known->second = trace_.track(sm, name, place);
    return known->second;
  }
  Track lane(Group of, std::uint32_t number, std::string_view name, Picoseconds start, Picoseconds end,
             bool numbered = false) {
    std::vector<Lane>& lanes = lanes_[{of, number}];
    auto free =
        std::find_if(lanes.begin(), lanes.end(), [&](const Lane& one) { return one.end_ps <= start; });
    if (free == lanes.end()) {
      std::string all(name);
      if (numbered) all += " " + std::to_string(number);
      if (!lanes.empty()) all += " (" + std::to_string(lanes.size() + 1) + ")";
      free = lanes.insert(lanes.end(), {trace_.track(group(of), all, number), 0});
    }
    free->end_ps = end;
    return free->track;
  }

  void call(const ApiCallRecord& call) {
    if (call.number > last_call_) return;
    ReturnedCall& returned = returned_[call.thread].emplace_back(ReturnedCall{call, {}});
    const auto [first, last] = commands_of_.equal_range(call.number);
    for (auto command = first; command != last; ++command) returned.commands.push_back(command->second);
    commands_of_.erase(first, last);
    if (call.outer == 0) write(call.thread, returned_[call.thread]);
  }
  // A call, and the calls made inside it; these have returned before.
  void write(std::uint32_t thread, std::vector<ReturnedCall>& calls) {
    const auto [known, is_new] = threads_.emplace(thread, 0);
    if (is_new)
      known->second =
          trace_.thread(group(Group::Host), kFirstThread + thread, "thread " + std::to_string(thread));
    std::sort(calls.begin(), calls.end(), [](const ReturnedCall& one, const ReturnedCall& other) {
      return one.record.number < other.record.number;
    });
    std::vector<const ApiCallRecord*> inside;
    const auto end_last = [&] {
      trace_.end(known->second, inside.back()->end_ps);
      inside.pop_back();
    };
    for (const auto& [record, commands] : calls) {
      while (!inside.empty() && inside.back()->number != record.outer) end_last();
      trace_.begin(known->second, report_.api[record.api].name, record.start_ps, record.end_ps,
                   {{"call", record.number}}, commands);
      inside.push_back(&record);
    }
    while (!inside.empty()) end_last();
    calls.clear();
  }

  void copy(const CopyRecord& copy) { work(copy, copy_name(copy), {{"bytes", copy.bytes}}); }

  template <typename Record>
  void work(const Record& record, const std::string& name, std::initializer_list<Annotation> annotations) {
    if (record.call > last_call_) return;
    const std::uint64_t flows[] = {record.command};
    ids_.assign({{"command", record.command}, {"call", record.call}});
    const Picoseconds prepared = std::clamp(record.prepared_ps, record.driver_start_ps,
                                            std::max(record.start_ps, record.driver_start_ps));
    if (report_.trace_detail == TraceDetail::Call && prepared > record.driver_start_ps)
      trace_.slice(lane(Group::Driver, 0, "stage (ii)", record.driver_start_ps, prepared), name,
                   record.driver_start_ps, prepared, ids_, flows);
    ids_.insert(ids_.end(), annotations.begin(), annotations.end());
    const Picoseconds end = std::max(record.end_ps, record.start_ps);
    trace_.slice(lane(Group::Streams, record.stream, "stream", record.start_ps, end, true), name,
                 record.start_ps, end, ids_, flows);
  }

  void range(const RangeRecord& range, std::string_view message) {
    switch (range.what) {
      case RangeRecord::What::Mark:
        return trace_.instant(nvtx(range.thread), message, range.time_ps, {});
      case RangeRecord::What::Push:
        pushed_[range.thread].push_back(range.time_ps);
        return trace_.open(nvtx(range.thread), message, range.time_ps);
      case RangeRecord::What::Pop:
        return pop(range.thread, range.time_ps);
      case RangeRecord::What::Start:
        started_[range.id] = {range.time_ps, std::string(message)};
        return;
      case RangeRecord::What::End:
        if (const auto started = started_.extract(range.id); !started.empty())
          write(started.mapped(), range.time_ps);
    }
  }
  void pop(std::uint32_t thread, Picoseconds time) {
    std::vector<Picoseconds>& pushed = pushed_[thread];
    if (pushed.empty()) return;  // the program pops without a push
    trace_.end(nvtx(thread), std::max(time, pushed.back()));
    pushed.pop_back();
  }
  void write(const StartedRange& range, Picoseconds end) {
    trace_.slice(lane(Group::Host, kRanges, "NVTX ranges", range.start_ps, end), range.name, range.start_ps,
                 end, {});
  }
  Track nvtx(std::uint32_t thread) {
    return track(Group::Host, kNvtx + thread, "NVTX, thread " + std::to_string(thread));
  }

  // The counts during the event that ends next.
  void counts(const std::byte* record, std::size_t bytes) {
    counts_.clear();
    for_each_increase(record, bytes, [this](std::uint32_t counter, std::uint64_t value) {
      counts_.push_back({report_.journal->header().counters[counter].name, value});
    });
  }

  void event(const EventRecord& event, std::string_view name) {
    if ((events_ & mask_of(event.kind)) == 0) return;
    if (event.kind == TaskEventKind::Command)
      return event.phase == TaskEventPhase::Begin ? command(event) : void();
    if (event.kind == TaskEventKind::PushBufferCommand)
      return trace_.instant(track(Group::PushBuffers, event.unit, "channel " + std::to_string(event.unit)),
                            name, event.time_ps,
                            {{"id", event.id}, {"command", event.parent}, {"argument", event.argument}});
    const Key key = event.kind == TaskEventKind::Warp ? Key{event.kind, event.unit, event.stream}
                                                      : Key{event.kind, event.parent, event.id};
    if (event.phase == TaskEventPhase::Begin) {
      Open& open = open_[key] = {event, std::string(name)};
      if (event.kind == TaskEventKind::Block) open.slot = places_.take(event.unit);
    } else if (const auto open = open_.extract(key); !open.empty()) {
      close(open.mapped(), event.time_ps);
      counts_.clear();
    }
  }

  void command(const EventRecord& event) {
    if (!is_work(event.argument)) return;
    if (event.parent != 0 && event.parent <= last_call_) commands_of_.emplace(event.parent, event.id);
  }

  void close(const Open& open, Picoseconds end) {
    const EventRecord& begin = open.begin;
    const std::uint64_t flows[] = {begin.parent};
    const Picoseconds start = begin.time_ps;
    const std::string& component = components_[begin.component];
    switch (begin.kind) {
      case TaskEventKind::Preparation:
        return trace_.slice(lane(Group::Driver, 0, "stage (ii)", start, end), open.name, start, end,
                            {{"command", begin.id}}, std::span(flows, is_work(begin.argument) ? 1 : 0));
      case TaskEventKind::Kernel:
        return trace_.slice(lane(Group::Launches, begin.stream, "stream", start, end, true),
                            readable(open.name), start, end,
                            {{"command", begin.id}, {"blocks", begin.argument}}, flows);
      case TaskEventKind::Move:
        return trace_.slice(lane(Group::Engines, begin.unit, component, start, end), open.name, start, end,
                            {{"move", begin.id}, {"command", begin.parent}, {"bytes", begin.argument}},
                            flows);
      case TaskEventKind::Block:
        places_.give_back(begin.unit, open.slot);
        return trace_.slice(
            track_on_sm(begin, open.slot, "blocks " + std::to_string(open.slot)),
            "block " + std::to_string(begin.id), start, end,
            {{"block", begin.id}, {"command", begin.parent}, {"sm", std::uint64_t{begin.unit}}});
      case TaskEventKind::Warp:
        return trace_.slice(
            track_on_sm(begin, kFirstWarp + begin.stream, "warp slot " + std::to_string(begin.stream)),
            "block " + std::to_string(begin.argument) + ", warp " + std::to_string(begin.id), start, end,
            {{"block", begin.argument}, {"warp", begin.id}, {"command", begin.parent}});
      case TaskEventKind::Thread: {
        std::vector<Annotation> annotations = {{"thread", begin.id}, {"core", std::uint64_t{begin.unit}}};
        annotations.insert(annotations.end(), counts_.begin(), counts_.end());
        return trace_.slice(lane(Group::Cores, begin.unit, component, start, end),
                            open.name + " " + std::to_string(begin.id), start, end, annotations);
      }
      default:
        return;
    }
  }

  PerfettoWriter trace_;
  const RunReport& report_;
  const TaskEventMask events_;
  const std::uint64_t last_call_;
  std::map<Group, Track> groups_;
  std::map<Place, Track> tracks_;
  std::map<std::pair<Group, std::uint32_t>, std::vector<Lane>> lanes_;
  std::map<std::uint32_t, Track> threads_;
  std::map<std::uint32_t, std::vector<ReturnedCall>> returned_;  // inside an unreturned one
  std::map<std::uint32_t, std::vector<Picoseconds>> pushed_;     // begins of ranges, by thread
  std::map<std::uint64_t, StartedRange> started_;                // by id
  std::multimap<std::uint64_t, std::uint64_t> commands_of_;      // unreturned calls
  std::map<Key, Open> open_;                                     // begun and not ended
  BlockPlaces places_;
  std::map<std::uint32_t, std::string> components_;
  std::vector<Annotation> counts_;
  std::vector<Annotation> ids_;                    // of a kernel or copy
  std::pair<std::string, std::string> last_name_;  // a kernel's, and how it reads
  Shape grid_, block_;                             // of the kernel before, mostly the same
};

}  // namespace

void write_timeline_trace(std::ostream& out, const RunReport& report) {
  TimelineTrace trace(out, report);
  report.journal->for_each([&](RecordType type, const std::byte* record, std::size_t bytes,
                               std::string_view text) { trace.record(type, record, bytes, text); });
  report.for_each_running_kernel([&](const KernelResult& kernel) { trace.kernel(kernel, kernel.name); });
  trace.end();
}

}  // namespace duet::report
