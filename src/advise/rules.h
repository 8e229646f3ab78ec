// The rules, each a function: nothing where it does not hold. docs/reference/advice-rules.md lists them.
#pragma once

#include <vector>

#include "advise/facts.h"
#include "report/results/advice.h"

namespace duet::advise {

using Advices = std::vector<report::Advice>;

// Of the run: copies, launches, waiting.
void advise_run(const Facts& facts, Advices& out);
// Of one kernel.
void advise_kernel(const Facts& facts, const KernelFacts& kernel, Advices& out);
// Names the source line with most of the cause of a kernel's advice, where lines are counted.
void name_lines(const report::RunReport& report, Advices& out);

}  // namespace duet::advise
