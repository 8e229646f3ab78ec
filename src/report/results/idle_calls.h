// The calls behind the moments in which calls alone go on, while driver and GPU are idle.
//
//   for (const IdleCall& one : report.idle_calls) one.text;  // "cudaMemcpy, staging pageable memory"
//
// Of the first 20,000 calls (ApiCallRecord) and the moments as they are kept (MomentStretch): times of joined
// stretches are shared among their calls by length.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace duet::report {

struct RunReport;

struct IdleCall {
  std::string text;
  Picoseconds time_ps;
};
// Of its journal, the longest first.
std::vector<IdleCall> find_idle_calls(const RunReport& report);

}  // namespace duet::report
