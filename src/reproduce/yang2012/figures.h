// yang2012 section 5 and Figures 4 and 6: experiments over the nine benchmarks. In reading order: gains
// (Figures 10 to 13), what they depend on (14 to 17), thread blocks on the core (18), requests and distance
// (4 and 6), the rest.
#pragma once

#include "reproduce/experiments.h"

namespace duet::reproduce::yang2012 {

// gains.cpp
void measure_figure_10(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_figure_10_profiled(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_perfect_l3(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_partition_conflicts(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_stride_prefetcher(Experiments& experiments, const Setup& setup, Measurements& out);

// sensitivity.cpp
void measure_figure_14(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_figure_15(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_figure_16(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_figure_17(Experiments& experiments, const Setup& setup, Measurements& out);

// blocks.cpp
void measure_figure_18(Experiments& experiments, const Setup& setup, Measurements& out);

// requests.cpp
void measure_figure_4(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_figure_6(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_table_1(Experiments& experiments, const Setup& setup, Measurements& out);
// Each of the setup's options names one more program, below the workloads folder.
void measure_algorithm(Experiments& experiments, const Setup& setup, Measurements& out);

}  // namespace duet::reproduce::yang2012
