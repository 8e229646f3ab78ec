// stats.json, schema duet.stats/1, and the events of a timeline.
#include <nlohmann/json.hpp>

#include "report/run_report.h"

namespace duet::report {

namespace {

using Json = nlohmann::ordered_json;

const char* copy_kind_name(CopyKind kind) {
  switch (kind) {
    case CopyKind::HostToDevice:
      return "host_to_device";
    case CopyKind::DeviceToHost:
      return "device_to_host";
    case CopyKind::DeviceToDevice:
      return "device_to_device";
    case CopyKind::HostToHost:
      return "host_to_host";
    case CopyKind::Fill:
      return "fill";
    case CopyKind::FullEmptySet:
      return "full_empty_set";
    case CopyKind::FullEmptyRelease:
      return "full_empty_release";
  }
  return "?";
}

// For the timeline: "device_to_host when full, empties".
std::string copy_name(const CopyRecord& copy) {
  std::string name = copy_kind_name(copy.kind);
  if (copy.trigger != 0) name += copy.trigger == 1 ? " when full" : " when empty";
  if (copy.action != 0) name += copy.action == 1 ? ", fills" : ", empties";
  return name;
}

// Issue slots by use; "issued" is no stall but makes the sum whole.
Json stalls(const KernelResult& kernel) {
  Json result = Json::object();
  std::uint64_t sum = 0;
  for (const std::uint64_t slots : kernel.issue_slots) sum += slots;
  if (sum == 0) return result;
  for (std::size_t i = 0; i < kIssueSlots; ++i)
    result[issue_slot_name(static_cast<IssueSlot>(i))] = kernel.issue_slots[i];
  return result;
}

// The names differ, so nobody has to look for them in what is there.
Json values(const Counters& named) {
  Json::object_t result;
  for (const auto& [name, value] : named) result.push_back({name, value});
  return result;
}

}  // namespace

std::string stats_json(const RunReport& report) {
  Json json;
  json["schema"] = "duet.stats/1";
  json["machine"] = report.machine;
  json["host"] = "native";
  json["command"] = report.command;
  json["deterministic"] = report.deterministic;
  json["wall_seconds"] = report.wall_seconds;
  json["simulated_seconds"] = static_cast<double>(report.simulated_ps) * 1e-12;
  const auto warp_instructions = report.warp_instructions();
  json["totals"] = {
      {"warp_instructions", warp_instructions},
      {"thread_instructions", report.thread_instructions()},
      {"gpu_cycles", report.gpu_cycles()},
      {"warp_instructions_per_second",
       report.wall_seconds > 0 ? static_cast<double>(warp_instructions) / report.wall_seconds : 0.0}};
  json["marks"] = Json::array();
  for (const Mark& mark : report.marks)
    json["marks"].push_back({{"name", mark.name},
                             {"time_ps", mark.time_ps},
                             {"counters", values(mark.counters)},
                             {"state", values(mark.states)}});
  json["kernels"] = Json::array();
  for (const KernelResult& k : report.kernels)
    json["kernels"].push_back({{"name", k.name},
                               {"grid", {k.grid[0], k.grid[1], k.grid[2]}},
                               {"block", {k.block[0], k.block[1], k.block[2]}},
                               {"stream", k.stream},
                               {"queued_ps", k.queued_ps},
                               {"driver_start_ps", k.driver_start_ps},
                               {"start_ps", k.start_ps},
                               {"end_ps", k.end_ps},
                               {"cycles", k.cycles},
                               {"warp_instructions", k.warp_instructions},
                               {"thread_instructions", k.thread_instructions},
                               {"complete", k.complete != 0},
                               {"completed_blocks", k.completed_blocks},
                               {"registers", k.registers},
                               {"occupancy", k.occupancy},
                               {"stalls", stalls(k)},
                               {"counters", values(k.counters)}});
  json["copies"] = Json::array();
  for (const CopyRecord& c : report.copies) {
    json["copies"].push_back({{"kind", copy_kind_name(c.kind)},
                              {"bytes", c.bytes},
                              {"stream", c.stream},
                              {"queued_ps", c.queued_ps},
                              {"driver_start_ps", c.driver_start_ps},
                              {"start_ps", c.start_ps},
                              {"end_ps", c.end_ps}});
    if (c.trigger != 0) json["copies"].back()["trigger"] = c.trigger == 1 ? "full" : "empty";
    if (c.action != 0) json["copies"].back()["action"] = c.action == 1 ? "fill" : "empty";
  }
  json["api"] = Json::array();
  for (const Api& api : report.api)
    json["api"].push_back({{"name", api.name}, {"calls", api.calls}, {"total_ps", api.total_ps}});
  json["faults"] = report.faults;
  json["races"] = Json::array();
  for (const Race& race : report.races) {
    const auto command = [](const std::string& name, const RaceRecord::Command& c) {
      return Json{{"command", c.number}, {"name", name}, {"stream", c.stream}, {"kernel", c.kernel != 0}};
    };
    json["races"].push_back({{"reader", command(race.reader_name, race.reader)},
                             {"writer", command(race.writer_name, race.writer)},
                             {"bytes", race.bytes},
                             {"first_address", race.first},
                             {"last_address", race.last},
                             {"read_ps", race.read_ps},
                             {"written_ps", race.written_ps},
                             {"sm", race.sm},
                             {"ptx_line", race.ptx_line}});
  }
  json["counters"] = values(report.counters);
  json["counters"]["journal.lost_records"] = report.lost_records;
  json["components_ps"] = report.components_ps;
  json["components"] = Json::array();
  for (const ComponentResult& c : report.components)
    json["components"].push_back({{"name", c.name},
                                  {"parent", c.parent},
                                  {"kind", c.kind},
                                  {"level", c.level},
                                  {"role", c.role},
                                  {"counters", values(c.counters)}});
  return json.dump(1) + "\n";
}

std::string events_json(const RunReport& report) {
  // Chrome's unit is a microsecond. Track ids: host threads, the driver and streams each under a process of
  // their own.
  constexpr int kHost = 1, kDriver = 2, kGpu = 3;
  Json events = Json::array();
  auto name_process = [&](int process, const char* name) {
    events.push_back({{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", name}}}});
  };
  auto span = [&](const std::string& name, int process, std::uint32_t track, Picoseconds start,
                  Picoseconds end) {
    events.push_back({{"ph", "X"},
                      {"name", name},
                      {"pid", process},
                      {"tid", track},
                      {"ts", static_cast<double>(start) * 1e-6},
                      {"dur", static_cast<double>(end - start) * 1e-6}});
  };
  name_process(kHost, "host threads");
  name_process(kDriver, "driver");
  name_process(kGpu, "GPU streams");
  for (const ApiCallRecord& call : report.api_calls)
    span(report.api[call.api].name, kHost, call.thread, call.start_ps, call.end_ps);
  for (const KernelResult& k : report.kernels) {
    span(k.name, kDriver, 0, k.driver_start_ps, k.start_ps);
    span(k.name, kGpu, k.stream, k.start_ps, k.end_ps);
  }
  for (const CopyRecord& c : report.copies) {
    const std::string name = copy_name(c);
    span(name, kDriver, 0, c.driver_start_ps, c.start_ps);
    span(name, kGpu, c.stream, c.start_ps, c.end_ps);
  }
  for (const Mark& mark : report.marks)
    events.push_back({{"ph", "i"},
                      {"name", mark.name},
                      {"pid", kHost},
                      {"tid", 0},
                      {"s", "g"},
                      {"ts", static_cast<double>(mark.time_ps) * 1e-6}});
  return Json{{"traceEvents", events}, {"displayTimeUnit", "ns"}}.dump() + "\n";
}

}  // namespace duet::report
