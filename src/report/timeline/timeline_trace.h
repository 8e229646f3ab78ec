// timeline.pftrace: a run over time, for Perfetto (docs/reference/events.md says what its tracks are). It is
// written while the journal is read once from its begin to its end; of what is over nothing is kept.
#pragma once

#include <iosfwd>

#include "report/run_report.h"

namespace duet::report {

// As much as report.trace_detail says. Without report.all_calls the first ApiCallRecord::kCalls calls, and
// the kernels and copies that these asked for.
void write_timeline_trace(std::ostream& out, const RunReport& report);

}  // namespace duet::report
