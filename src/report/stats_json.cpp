// stats.json, schema duet.stats/1.
#include <nlohmann/json.hpp>
#include <ostream>

#include "report/run_report.h"

namespace duet::report {

namespace {

using Json = nlohmann::ordered_json;

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

Json kernel_json(const KernelResult& k) {
  return {{"name", k.name},
          {"grid", {k.grid[0], k.grid[1], k.grid[2]}},
          {"block", {k.block[0], k.block[1], k.block[2]}},
          {"stream", k.stream},
          {"command", k.command},
          {"call", k.call},
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
          {"counters", values(k.counters)}};
}

Json copy_json(const CopyRecord& c) {
  Json json = {{"kind", copy_kind_name(c.kind)},
               {"bytes", c.bytes},
               {"stream", c.stream},
               {"command", c.command},
               {"call", c.call},
               {"queued_ps", c.queued_ps},
               {"driver_start_ps", c.driver_start_ps},
               {"start_ps", c.start_ps},
               {"end_ps", c.end_ps}};
  if (c.trigger != 0) json["trigger"] = c.trigger == 1 ? "full" : "empty";
  if (c.action != 0) json["action"] = c.action == 1 ? "fill" : "empty";
  return json;
}

Json race_json(const Race& race) {
  const auto command = [](const std::string& name, const RaceRecord::Command& c) {
    return Json{{"command", c.number}, {"name", name}, {"stream", c.stream}, {"kernel", c.kernel != 0}};
  };
  return {{"reader", command(race.reader_name, race.reader)},
          {"writer", command(race.writer_name, race.writer)},
          {"bytes", race.bytes},
          {"first_address", race.first},
          {"last_address", race.last},
          {"read_ps", race.read_ps},
          {"written_ps", race.written_ps},
          {"sm", race.sm},
          {"ptx_line", race.ptx_line}};
}

// A JSON object that is written member by member and, of long arrays, element by element.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::ostream& out) : out_(out) { out_ << '{'; }
  void member(const char* name, const Json& value) {
    begin(name);
    write(value, 1);
  }
  // `fill(add)` calls add() with each element.
  template <typename Fill>
  void array(const char* name, Fill fill) {
    begin(name);
    out_ << '[';
    bool first = true;
    fill([&](const Json& element) {
      out_ << (first ? "\n  " : ",\n  ");
      first = false;
      write(element, 2);
    });
    out_ << (first ? "]" : "\n ]");
  }
  void end() { out_ << "\n}\n"; }

 private:
  void begin(const char* name) {
    out_ << (first_ ? "\n \"" : ",\n \"") << name << "\": ";
    first_ = false;
  }
  void write(const Json& value, std::size_t depth) {
    const std::string text = value.dump(1);
    std::size_t from = 0;
    for (std::size_t end; (end = text.find('\n', from)) != std::string::npos; from = end + 1)
      out_ << std::string_view(text).substr(from, end + 1 - from) << std::string(depth, ' ');
    out_ << std::string_view(text).substr(from);
  }

  std::ostream& out_;
  bool first_ = true;
};

}  // namespace

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

std::string copy_name(const CopyRecord& copy) {
  std::string name = copy_kind_name(copy.kind);
  if (copy.trigger != 0) name += copy.trigger == 1 ? " when full" : " when empty";
  if (copy.action != 0) name += copy.action == 1 ? ", fills" : ", empties";
  return name;
}

void write_stats_json(std::ostream& out, const RunReport& report) {
  ObjectWriter json(out);
  json.member("schema", "duet.stats/1");
  json.member("machine", report.machine);
  json.member("host", "native");
  json.member("command", report.command);
  json.member("deterministic", report.deterministic);
  json.member("wall_seconds", report.wall_seconds);
  json.member("simulated_seconds", static_cast<double>(report.simulated_ps) * 1e-12);
  json.member("totals",
              {{"warp_instructions", report.warp_instructions},
               {"thread_instructions", report.thread_instructions},
               {"gpu_cycles", report.gpu_cycles},
               {"warp_instructions_per_second",
                report.wall_seconds > 0 ? static_cast<double>(report.warp_instructions) / report.wall_seconds
                                        : 0.0}});
  json.array("marks", [&](auto add) {
    for (const Mark& mark : report.marks)
      add({{"name", mark.name},
           {"time_ps", mark.time_ps},
           {"counters", values(mark.counters)},
           {"state", values(mark.states)}});
  });
  json.array("kernels", [&](auto add) {
    report.for_each_kernel_with_counters([&](const KernelResult& k) { add(kernel_json(k)); });
  });
  json.array("copies",
             [&](auto add) { report.for_each_copy([&](const CopyRecord& c) { add(copy_json(c)); }); });
  json.array("api", [&](auto add) {
    for (const Api& api : report.api)
      add({{"name", api.name}, {"calls", api.calls}, {"total_ps", api.total_ps}});
  });
  json.member("faults", report.faults);
  json.array("races", [&](auto add) {
    for (const Race& race : report.races) add(race_json(race));
  });
  Json counters = values(report.counters);
  counters["journal.lost_records"] = report.lost_records;
  json.member("counters", counters);
  json.member("components_ps", report.components_ps);
  json.array("components", [&](auto add) {
    for (const ComponentResult& c : report.components)
      add({{"name", c.name},
           {"parent", c.parent},
           {"kind", c.kind},
           {"level", c.level},
           {"role", c.role},
           {"counters", values(c.counters)}});
  });
  json.end();
}

}  // namespace duet::report
