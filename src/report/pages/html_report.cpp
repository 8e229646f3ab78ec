#include "report/pages/html_report.h"

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

#include "report/json/json_text.h"
#include "report/pages/page.h"
#include "report/pages/sources.h"
#include "report/timeline/timeline.h"

namespace duet::report {

namespace {

void write_parts(std::ostream& out, std::string_view html_template, std::function<void(std::ostream&)> stats,
                 std::function<void(std::ostream&)> timeline, std::function<void(std::ostream&)> sources,
                 const std::vector<MachineKey>& machine) {
  fill_template(out, html_template,
                {{"duet-stats", std::move(stats)},
                 {"duet-timeline", std::move(timeline)},
                 {"duet-sources", std::move(sources)},
                 {"duet-machine", [&](std::ostream& json) { json << machine_text(machine); }}});
}

}  // namespace

std::string machine_text(const std::vector<MachineKey>& machine) {
  JsonText json(0);
  json.put("[");
  for (const MachineKey& key : machine) {
    json.put(&key == machine.data() ? "[" : ",[");
    json.value(key.key);
    for (const std::string* const text : {&key.text, &key.unit, &key.description, &key.source}) {
      json.put(",");
      json.value(*text);
    }
    json.put("]");
  }
  json.put("]");
  return std::string(json.text());
}

bool page_has_all(const RunReport& report) {
  const std::uint64_t most = std::min(report.records, kHtmlRecords);
  if (report.kernels > most || report.interval_ps != 0 || report.interval_cycles != 0) return false;
  const std::vector<KernelLines>& kernels = report.lines.kernels;
  if (kernels.size() > kHtmlKernels ||
      std::any_of(kernels.begin(), kernels.end(),
                  [](const KernelLines& kernel) { return kernel.lines.size() > kHtmlLines; }))
    return false;
  std::uint64_t copies = 0;
  report.for_each_copy([&](const CopyRecord&) { ++copies; });
  return copies <= most;
}

void write_html_report(std::ostream& out, std::string_view html_template, const RunReport& report,
                       const std::vector<MachineKey>& machine, std::string_view stats) {
  const auto write_stats = [&](std::ostream& json) {
    if (!stats.empty()) {
      json << stats;
      return;
    }
    RunReport held = report;
    held.records = std::min(report.records, kHtmlRecords);
    held.lines.keep_hottest(kHtmlKernels, kHtmlLines);
    write_stats_json(json, held);
  };
  write_parts(
      out, html_template, write_stats, [&](std::ostream& json) { write_timeline_json(json, report); },
      [&](std::ostream& json) { write_sources_json(json, report); }, machine);
}

void write_html_report(std::ostream& out, std::string_view html_template, const HostReport& report,
                       const std::vector<MachineKey>& machine) {
  write_parts(
      out, html_template, [&](std::ostream& json) { write_host_stats_json(json, report); },
      [](std::ostream&) {}, [](std::ostream&) {}, machine);
}

}  // namespace duet::report
