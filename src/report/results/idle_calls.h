// The calls behind the moments in which calls alone go on, while driver and GPU are idle.
//
//   for (const IdleCall& one : idle_calls(report)) one.text;  // "cudaMemcpy, staging pageable memory"
//
// Of the first 20,000 calls (ApiCallRecord) and the moments as they are kept (MomentStretch): times of joined
// stretches are shared among their calls by length.
#pragma once

#include <string>
#include <vector>

#include "report/run_report.h"

namespace duet::report {

struct IdleCall {
  std::string text;
  Picoseconds time_ps;
};
std::vector<IdleCall> idle_calls(const RunReport& report);  // the longest first

}  // namespace duet::report
