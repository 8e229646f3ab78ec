// events.json: a run as Chrome trace events. Each process of the trace is one level of a task's way: host
// threads, the driver, streams, the work distributor's launches, blocks on SMs, data transfer engines, push
// buffers, and the program's cores, where they are the machine's. An arrow goes from the call over the driver
// to the kernel or copy.
#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/command_work.h"
#include "report/json/json_writer.h"
#include "report/results/block_places.h"
#include "report/run_report.h"

namespace duet::report {

namespace {

class TraceWriter {
 public:
  TraceWriter(std::ostream& out, const RunReport& report) : out_(out), report_(report) {
    out_ << "{\"traceEvents\":[";
    static constexpr const char* kNames[] = {"host threads", "driver", "GPU streams",
                                             "launches",     "SMs",    "data transfer engines",
                                             "push buffers", "cores"};
    for (int process = kHost; process <= (report.processor ? kCores : kPushBuffers); ++process)
      write({{"ph", "M"},
             {"name", "process_name"},
             {"pid", process},
             {"args", {{"name", kNames[process - kHost]}}}});
    name_track(kDriver, kHandOver, "stage (ii) and hand-over");
    name_track(kDriver, kPreparation, "stage (ii)");
  }

  void call(const ApiCallRecord& call) {
    span(report_.api[call.api].name, kHost, call.thread, call.start_ps, call.end_ps, {{"call", call.number}});
    const auto [first, last] = commands_of_.equal_range(call.number);
    for (auto command = first; command != last; ++command)
      arrow("s", command->second, kHost, call.thread, call.start_ps);
    commands_of_.erase(first, last);
  }

  void kernel(const KernelResult& kernel) { work(kernel.name, kernel); }
  void copy(const CopyRecord& copy) { work(copy_name(copy), copy); }
  void mark(std::string_view name, Picoseconds time) {
    write({{"ph", "i"}, {"name", name}, {"pid", kHost}, {"tid", 0}, {"s", "g"}, {"ts", microseconds(time)}});
  }
  void component(std::uint32_t number, std::string_view name) { components_[number] = name; }

  // The counts during the event that ends next.
  void counts(const std::byte* record, std::size_t bytes) {
    counts_.clear();
    for_each_increase(record, bytes, [this](std::uint32_t counter, std::uint64_t value) {
      counts_.emplace_back(report_.journal->header().counters[counter].name, value);
    });
  }

  void event(const EventRecord& event, std::string_view name) {
    if (event.kind == TaskEventKind::PushBufferCommand) {
      if (tracks_.emplace(kPushBuffers, event.unit).second)
        name_track(kPushBuffers, event.unit, "channel " + std::to_string(event.unit));
      write({{"ph", "i"},
             {"name", name},
             {"pid", kPushBuffers},
             {"tid", event.unit},
             {"s", "t"},
             {"ts", microseconds(event.time_ps)},
             {"args", {{"id", event.id}, {"command", event.parent}, {"argument", event.argument}}}});
      return;
    }
    if (event.kind == TaskEventKind::Command) {  // seen in the driver and in its stream
      if (event.phase == TaskEventPhase::Begin && event.parent != 0 && is_work(event.argument))
        commands_of_.emplace(event.parent, event.id);
      return;
    }
    const Key key{event.kind, event.parent, event.id};
    if (event.phase == TaskEventPhase::Begin) {
      Open& open = open_[key];
      open = {event, std::string(name), 0};
      if (event.kind == TaskEventKind::Block) open.slot = places_.take(event.unit);
    } else if (const auto open = open_.extract(key); !open.empty()) {
      close(open.mapped(), event.time_ps);
      counts_.clear();
    }
  }

  // Open events were going on until the run was cut off.
  void end() {
    for (const auto& [key, open] : open_) close(open, std::max(open.begin.time_ps, report_.simulated_ps));
    out_ << "\n],\"displayTimeUnit\":\"ns\"}\n";
  }

 private:
  enum Process { kHost = 1, kDriver, kStreams, kLaunches, kSms, kEngines, kPushBuffers, kCores };
  enum DriverTrack : std::uint32_t { kHandOver, kPreparation };
  static constexpr std::uint32_t kSlots = 1024;  // more blocks than an SM holds

  using Key = std::tuple<TaskEventKind, std::uint64_t, std::uint64_t>;
  struct Open {
    EventRecord begin;
    std::string name;
    std::uint32_t slot;  // of a block on its SM
  };

  // Chrome's unit.
  static double microseconds(Picoseconds time) { return static_cast<double>(time) * 1e-6; }

  void write(const Json& event) {
    out_ << (first_ ? "\n" : ",\n") << event.dump(-1, ' ', false, Json::error_handler_t::replace);
    first_ = false;
  }
  void name_track(int process, std::uint32_t track, const std::string& name) {
    write(
        {{"ph", "M"}, {"name", "thread_name"}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}});
  }
  void span(std::string_view name, int process, std::uint32_t track, Picoseconds start, Picoseconds end,
            const Json& arguments) {
    write({{"ph", "X"},
           {"name", name},
           {"pid", process},
           {"tid", track},
           {"ts", microseconds(start)},
           {"dur", microseconds(end - start)},
           {"args", arguments}});
  }
  void arrow(const char* phase, std::uint64_t command, int process, std::uint32_t track, Picoseconds time) {
    Json event = {{"ph", phase},    {"name", "command"}, {"cat", "command"},        {"id", command},
                  {"pid", process}, {"tid", track},      {"ts", microseconds(time)}};
    if (*phase == 'f') event["bp"] = "e";
    write(event);
  }

  template <typename Record>
  void work(const std::string& name, const Record& record) {
    const Json ids = {{"command", record.command}, {"call", record.call}};
    span(name, kDriver, kHandOver, record.driver_start_ps, record.start_ps, ids);
    span(name, kStreams, record.stream, record.start_ps, record.end_ps, ids);
    if (record.call == 0) return;
    arrow("t", record.command, kDriver, kHandOver, record.driver_start_ps);
    arrow("f", record.command, kStreams, record.stream, record.start_ps);
  }

  Json core_arguments(const EventRecord& begin, const std::string& core) const {
    Json arguments = {{"thread", begin.id}, {"core", begin.unit}};
    if (counts_.empty()) return arguments;  // the run ended first
    const Json counted = core_json(core_result(core, counts_));
    for (const auto& [name, value] : counted.items())
      if (name != "name") arguments[name] = value;
    return arguments;
  }

  void close(const Open& open, Picoseconds end) {
    const EventRecord& begin = open.begin;
    const auto on = [&](int process, std::uint32_t track, const std::string& track_name,
                        std::string_view name, const Json& arguments) {
      if (!track_name.empty() && tracks_.emplace(process, track).second)
        name_track(process, track, track_name);
      span(name, process, track, begin.time_ps, end, arguments);
    };
    const std::string& component = components_[begin.component];
    switch (begin.kind) {
      case TaskEventKind::Preparation:
        return on(kDriver, kPreparation, "", open.name, {{"command", begin.id}});
      case TaskEventKind::Kernel:
        return on(kLaunches, begin.stream, "stream " + std::to_string(begin.stream), open.name,
                  {{"command", begin.id}, {"blocks", begin.argument}});
      case TaskEventKind::Block:
        places_.give_back(begin.unit, open.slot);
        return on(kSms, begin.unit * kSlots + open.slot, component + ", slot " + std::to_string(open.slot),
                  "block " + std::to_string(begin.id),
                  {{"block", begin.id}, {"command", begin.parent}, {"sm", begin.unit}});
      case TaskEventKind::Thread:
        return on(kCores, begin.unit, component, open.name + " " + std::to_string(begin.id),
                  core_arguments(begin, component));
      case TaskEventKind::Move:
        return on(kEngines, begin.unit, component, open.name,
                  {{"move", begin.id}, {"command", begin.parent}, {"bytes", begin.argument}});
      default:
        return;
    }
  }

  std::ostream& out_;
  const RunReport& report_;
  bool first_ = true;
  std::map<std::uint32_t, std::string> components_;
  Counters counts_;
  std::map<Key, Open> open_;  // begun and not ended
  BlockPlaces places_;
  std::multimap<std::uint64_t, std::uint64_t> commands_of_;  // unreturned calls
  std::set<std::pair<int, std::uint32_t>> tracks_;           // named ones
};

}  // namespace

void write_events_json(std::ostream& out, const RunReport& report) {
  TraceWriter trace(out, report);
  report.for_each_kernel([&](const KernelResult& kernel) { trace.kernel(kernel); });
  report.for_each_copy([&](const CopyRecord& copy) { trace.copy(copy); });
  for (const Mark& mark : report.marks) trace.mark(mark.name, mark.time_ps);
  report.journal->for_each(
      [&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
        if (type == RecordType::ApiCall) trace.call(record_as<ApiCallRecord>(record, bytes));
        if (type == RecordType::EventComponent)
          trace.component(record_as<EventComponentRecord>(record, bytes).number, text);
        if (type == RecordType::EventCounts) trace.counts(record, bytes);
        if (type == RecordType::Event) trace.event(record_as<EventRecord>(record, bytes), text);
      });
  trace.end();
}

}  // namespace duet::report
