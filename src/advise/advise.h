// Rules that read a run and say what would shorten it:
//
//   report.advice = advise::advise(report, machine);
//
// A rule names what the time goes into, the numbers that say so, what to change, what that would save, and,
// where the machine can answer, the keys of a machine on which a second run measures it.
// docs/reference/advice-rules.md has the rules' conditions and estimates. Estimates are of first order: they
// take what a change removes from the part of the time in which it shows, and know nothing of what then takes
// its place.
#pragma once

#include <vector>

#include "config/machine.h"
#include "report/results/advice.h"
#include "report/run_report.h"

namespace duet::advise {

constexpr std::size_t kMost = 5;
constexpr double kLeast = 0.02;  // of the run: what would save less is not said

// The largest first. Nothing of a run that was cut off, or of one without time.
std::vector<report::Advice> advise(const report::RunReport& report, const config::Machine& machine);

}  // namespace duet::advise
