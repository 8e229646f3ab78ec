// events.json: a run as Chrome trace events.
#include <nlohmann/json.hpp>
#include <ostream>

#include "report/run_report.h"

namespace duet::report {

using Json = nlohmann::ordered_json;

void write_events_json(std::ostream& out, const RunReport& report) {
  // Chrome's unit is a microsecond. Track ids: host threads, the driver and streams each under a process of
  // their own.
  constexpr int kHost = 1, kDriver = 2, kGpu = 3;
  bool first = true;
  const auto add = [&](const Json& event) {
    out << (first ? "{\"traceEvents\":[\n" : ",\n") << event.dump();
    first = false;
  };
  auto name_process = [&](int process, const char* name) {
    add({{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", name}}}});
  };
  auto span = [&](const std::string& name, int process, std::uint32_t track, Picoseconds start,
                  Picoseconds end) {
    add({{"ph", "X"},
         {"name", name},
         {"pid", process},
         {"tid", track},
         {"ts", static_cast<double>(start) * 1e-6},
         {"dur", static_cast<double>(end - start) * 1e-6}});
  };
  name_process(kHost, "host threads");
  name_process(kDriver, "driver");
  name_process(kGpu, "GPU streams");
  report.journal->for_each(
      [&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view) {
        if (type != RecordType::ApiCall) return;
        const auto call = record_as<ApiCallRecord>(record, bytes);
        span(report.api[call.api].name, kHost, call.thread, call.start_ps, call.end_ps);
      });
  report.for_each_kernel([&](const KernelResult& k) {
    span(k.name, kDriver, 0, k.driver_start_ps, k.start_ps);
    span(k.name, kGpu, k.stream, k.start_ps, k.end_ps);
  });
  report.for_each_copy([&](const CopyRecord& c) {
    const std::string name = copy_name(c);
    span(name, kDriver, 0, c.driver_start_ps, c.start_ps);
    span(name, kGpu, c.stream, c.start_ps, c.end_ps);
  });
  for (const Mark& mark : report.marks)
    add({{"ph", "i"},
         {"name", mark.name},
         {"pid", kHost},
         {"tid", 0},
         {"s", "g"},
         {"ts", static_cast<double>(mark.time_ps) * 1e-6}});
  out << "\n],\"displayTimeUnit\":\"ns\"}\n";
}

}  // namespace duet::report
