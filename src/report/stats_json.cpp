// stats.json, schema duet.stats/1.
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
  }
  return "?";
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
    json["marks"].push_back({{"name", mark.name}, {"time_ps", mark.time_ps}});
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
                               {"registers", k.registers},
                               {"occupancy", k.occupancy},
                               {"stalls", Json::object()}});
  json["copies"] = Json::array();
  for (const CopyRecord& c : report.copies)
    json["copies"].push_back({{"kind", copy_kind_name(c.kind)},
                              {"bytes", c.bytes},
                              {"stream", c.stream},
                              {"queued_ps", c.queued_ps},
                              {"driver_start_ps", c.driver_start_ps},
                              {"start_ps", c.start_ps},
                              {"end_ps", c.end_ps}});
  json["api"] = Json::array();
  for (const Api& api : report.api)
    json["api"].push_back({{"name", api.name}, {"calls", api.calls}, {"total_ps", api.total_ps}});
  json["faults"] = report.faults;
  json["counters"] = Json::object();
  json["counters"]["journal.lost_records"] = report.lost_records;
  return json.dump(1) + "\n";
}

}  // namespace duet::report
