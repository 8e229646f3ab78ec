// stats.json of a program on the simulated host, schema duet.host_stats/1.
#include "report/host_report.h"
#include "report/json_writer.h"

namespace duet::report {

namespace {

double per_second(std::uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0.0;
}

Json core_json(const CoreResult& core) {
  Json slots = Json::object();
  for (std::size_t i = 0; i < CoreSlots::kUses; ++i) slots[CoreSlots::kNames[i]] = core.slots.slots[i];
  return {{"name", core.name},
          {"instructions", core.instructions},
          {"cycles", core.cycles},
          {"l1_misses", core.l1_misses},
          {"l2_misses", core.l2_misses},
          {"l3_misses", core.l3_misses},
          {"mispredictions", core.mispredictions},
          {"slots", slots}};
}

}  // namespace

void write_host_stats_json(std::ostream& out, const HostReport& report) {
  ObjectWriter json(out);
  json.member("schema", "duet.host_stats/1");
  json.member("machine", report.machine);
  json.member("host", "simulated");
  json.member("command", report.command);
  json.member("complete", report.failure.empty());
  json.member("status", report.status);
  if (report.signal != 0) json.member("signal", report.signal);
  if (!report.failure.empty()) json.member("failure", report.failure);
  json.member("deterministic", true);
  json.member("wall_seconds", report.wall_seconds);
  json.member("simulated_ps", report.simulated_ps);
  json.member("simulated_seconds", static_cast<double>(report.simulated_ps) * 1e-12);
  json.member("clock_khz", report.clock_khz);
  json.member("totals",
              {{"instructions", report.instructions()},
               {"dram_read_bytes", report.dram_read_bytes},
               {"dram_written_bytes", report.dram_written_bytes},
               {"instructions_per_second", per_second(report.instructions(), report.wall_seconds)}});
  json.array("cores", [&](auto add) {
    for (const CoreResult& core : report.cores) add(core_json(core));
  });
  json.array("threads", [&](auto add) {
    for (const ThreadResult& thread : report.threads)
      add({{"id", thread.id},
           {"name", thread.name},
           {"core_time_ps", thread.core_time_ps},
           {"instructions", thread.instructions}});
  });
  json.member("counters", values(report.counters));
  json.array("components", [&](auto add) {
    for (const ComponentResult& component : report.components) add(component_json(component));
  });
  json.end();
}

}  // namespace duet::report
