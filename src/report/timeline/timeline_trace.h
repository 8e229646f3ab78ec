// timeline.pftrace: a run over time, for Perfetto (docs/reference/events.md describes its tracks). It is
// written while the journal is read once from its begin to its end; nothing past is kept.
#pragma once

#include <iosfwd>

#include "report/run_report.h"

namespace duet::report {

// As much as report.trace_detail. Without report.all_calls the first ApiCallRecord::kCalls calls, and their
// kernels and copies.
void write_timeline_trace(std::ostream& out, const RunReport& report);

}  // namespace duet::report
