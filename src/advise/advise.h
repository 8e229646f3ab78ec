// Rules for changes that would shorten a run:
//
//   report.advice = advise::advise(report, machine);
//
// A rule names the part of the time, the numbers behind it, the change, its saving, and, where the machine
// can answer, the machine keys for a measuring second run. docs/reference/advice-rules.md has the rules'
// conditions and estimates. Estimates are of first order: a change's saving is taken from the visible part of
// the time; later bottlenecks are not known.
#pragma once

#include <vector>

#include "config/machine.h"
#include "report/results/advice.h"
#include "report/run_report.h"

namespace duet::advise {

constexpr std::size_t kMost = 5;
constexpr double kLeast = 0.02;  // of the run: smaller savings are left out

// The largest first. Nothing for a cut-off run, or one without time.
std::vector<report::Advice> advise(const report::RunReport& report, const config::Machine& machine);

}  // namespace duet::advise
