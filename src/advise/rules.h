// The rules, each a function: nothing where it does not hold. docs/reference/advice-rules.md lists them.
#pragma once

#include <vector>

#include "advise/facts.h"
#include "report/results/advice.h"

namespace duet::advise {

using Advices = std::vector<report::Advice>;
constexpr std::uint64_t kFew = 8;  // copies or launches: fewer are no pattern

// Of the run: copies, then launches, waits and allocations. True: kernels take turns that could run at once.
void advise_copies(const Facts& facts, Advices& out);
bool advise_launches(const Facts& facts, Advices& out);
// Of memory that both sides reach, on a chip with one DRAM.
void advise_methods(const Facts& facts, Advices& out);
// Of one kernel.
void advise_kernel(const Facts& facts, const KernelFacts& kernel, bool takes_turns, Advices& out);
// Names the source line with most of the cause of a kernel's advice, where lines are counted.
void name_lines(const report::RunReport& report, Advices& out);

}  // namespace duet::advise
