// stats.json of a program on the simulated host, schema duet.host_stats/1.
#include "report/host_report.h"
#include "report/json/json_writer.h"

namespace duet::report {

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
  json.member("clock_khz", report.processor.clock_khz);
  json.member("headline", processor_headline(report.processor, report.simulated_ps));
  json.member("totals", processor_totals(report.processor, report.wall_seconds));
  json.array("cores", [&](auto add) {
    for (const CoreResult& core : report.processor.cores) add(core_json(core));
  });
  json.array("threads", [&](auto add) {
    for (const ThreadResult& thread : report.processor.threads) add(thread_json(thread));
  });
  if (const Json profile = profile_json(report.processor); !profile.empty()) json.member("profile", profile);
  json.member("counters", values(report.counters));
  json.texts("components", [&](auto add) {
    for (const ComponentResult& component : report.components)
      add([&](JsonText& text) { write_component(text, component); });
  });
  json.end();
}

}  // namespace duet::report
