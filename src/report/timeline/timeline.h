// The further data of report.html over time, beside stats.json: calls one by one, the work of the driver and
// of streams as spans, and the critical path as steps. Bounded for any run:
//
//   {"readable": {"_Z5scalePfi": "scale"}, "grain_ps": 0, "calls": {"all": 36, "kept": 36},
//    "names": ["cudaMalloc", ...], "kinds": ["call", "kernel", "launch", ...],
//    "tracks": [{"group": "thread", "number": 0, "spans": [SPAN, ...]}, ...],
//    "parts": ["between_calls", ...], "path": [[part, start, end], ...],
//    "moments": [[moment, start, end, for how long of it], ...],
//    "blocks": {"column_ps": 2500, "sms": [{"name": "SM 0", "of": [time, ...]}, ...]}}
//
// A SPAN is [name, kind, start, end, prepared, command, call, bytes, count, busy]: numbers of `names` and
// `kinds`, picoseconds (prepared: the end of stage (ii)), the ids of docs/reference/events.md, the number of
// joined spans (timeline_spans.h) and the sum of their times; the name of several is null. A moment is a sum
// of 1 (a kernel), 2 (a copy), 4 (the driver), 8 (a call). Events of moves make a track for each "engine",
// with its "name"; events of blocks make "blocks", the blocks' time on each SM in each column of the run.
#pragma once

#include <iosfwd>

#include "report/run_report.h"

namespace duet::report {

void write_timeline_json(std::ostream& out, const RunReport& report);

}  // namespace duet::report
