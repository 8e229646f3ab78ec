// report.html: a page with all its data. The template (report/ at the top of the repository, bundled when
// Duet is built) has places for JSON texts:
//
//   <script type="application/json" id="duet-stats"></script>
//
// duet-stats is stats.json with fewer kernels and copies one by one, duet-timeline the further data of a
// timeline (report/timeline/timeline.h), duet-sources sources beside counts of lines (sources.h),
// duet-machine the keys of the machine.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "report/host_report.h"
#include "report/run_report.h"

namespace duet::report {

// A key of the run's machine.
struct MachineKey {
  std::string key, text, unit, description, source;
};

// Kernels, and copies, on the page one by one, so it opens in a second; the rest is in groups.
constexpr std::uint64_t kHtmlRecords = 500;
// Kernels with source lines, and lines of each; the rest of its lines together.
constexpr std::size_t kHtmlKernels = 50, kHtmlLines = 100;

// The JSON text of the place duet-machine.
std::string machine_text(const std::vector<MachineKey>& machine);
// Whether the page has all kernels, copies and lines of stats.json one by one: then its statistics are the
// same text.
bool page_has_all(const RunReport& report);
// `stats`: the text of stats.json where page_has_all(), or none: it is written anew. Throws duet::Error where
// the template has not exactly one place for each JSON text.
void write_html_report(std::ostream& out, std::string_view html_template, const RunReport& report,
                       const std::vector<MachineKey>& machine, std::string_view stats = {});
// Of a program on a simulated host without a GPU: no timeline.
void write_html_report(std::ostream& out, std::string_view html_template, const HostReport& report,
                       const std::vector<MachineKey>& machine);

}  // namespace duet::report
