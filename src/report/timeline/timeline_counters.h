// The counter tracks of timeline.pftrace: the samples of `duet run --interval`, as rates.
#pragma once

#include "report/run_report.h"
#include "report/timeline/perfetto_writer.h"

namespace duet::report {

// Nothing where no intervals were asked for.
void write_counters(PerfettoWriter& trace, const RunReport& report);

}  // namespace duet::report
