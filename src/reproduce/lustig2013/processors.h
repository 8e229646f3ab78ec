// One thread, and several, of a processor beside the offload: Figures 1 and 12, and section 7.1. The programs
// are of workloads/lustig2013/cpu, for RV64 without SIMD: code for x86 at -O2 may be faster. Unless noted, a
// processor's inputs have just been written (timed.h there).
#pragma once

#include "reproduce/experiments.h"

namespace duet::reproduce {

// BFS by size: one thread, OpenMP, the GPU.
void measure_figure_1(Experiments& experiments, const Setup& setup, Measurements& out);
// vectorAdd by size: one thread, compiled with -O0 and -O2, its vectors fresh, warm or cold, and where the
// offload becomes the faster one.
void measure_break_even(Experiments& experiments, const Setup& setup, Measurements& out);
// The seven benchmarks, and vectorAdd at the ends of its range: one thread's time over the baseline
// offload's, from the readiness of the data, communication included.
void measure_section_7_1(Experiments& experiments, const Setup& setup, Measurements& out);

}  // namespace duet::reproduce
