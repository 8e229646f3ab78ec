// dashti2017 sections 3 and 4, a chip with one DRAM whose caches nothing keeps coherent: Table 1 and Figures
// 3 to 7 and 9, by programs on simulated cores, one source for all methods; and sections 5 and 6, a chip
// whose GPU reaches memory past the cores or coherent with them: Figures 11 to 15 and Table 2, by programs of
// OpenCL and HSA.
#pragma once

#include "reproduce/experiments.h"

namespace duet::reproduce::dashti2017 {

// Who caches the memory of each method, and whether both sides may use it at a time.
void measure_table_1(Experiments& experiments, const Setup& setup, Measurements& out);
// Bandwidth of a core and of the GPU by the size of the array.
void measure_figure_3(Experiments& experiments, const Setup& setup, Measurements& out);
// Rodinia's programs by each method: the whole run, and its kernels.
void measure_figure_4(Experiments& experiments, const Setup& setup, Measurements& out);
// Threads that increment entries of their own, or one, several on a line of L2 or each on its own.
void measure_figure_5(Experiments& experiments, const Setup& setup, Measurements& out);
// All threads increment one entry, which L1 may hold or not.
void measure_figure_6(Experiments& experiments, const Setup& setup, Measurements& out);
// Both sides increment halves of an array at once.
void measure_figure_7(Experiments& experiments, const Setup& setup, Measurements& out);
// The cores do half of the work of four of Rodinia's programs.
void measure_figure_7_programs(Experiments& experiments, const Setup& setup, Measurements& out);
// Threads of both sides share entries behind a lock, by how much they do outside it.
void measure_figure_9(Experiments& experiments, const Setup& setup, Measurements& out);
// The GPU's write bandwidth in three frameworks, by the size of the array.
void measure_figure_11(Experiments& experiments, const Setup& setup, Measurements& out);
// Work-items that write one word, coherent memory against memory that is not.
void measure_figure_12(Experiments& experiments, const Setup& setup, Measurements& out);
// Work-items that increment entries of their own, by how many lie on a line of L2.
void measure_figure_13(Experiments& experiments, const Setup& setup, Measurements& out);
// The processor's loads and interrupts a second in three frameworks, at 1 MB.
void measure_table_2(Experiments& experiments, const Setup& setup, Measurements& out);
// Four of Rodinia's programs in three frameworks, start-up included.
void measure_figure_15(Experiments& experiments, const Setup& setup, Measurements& out);
// A copy of 64 MB.
void measure_copy(Experiments& experiments, const Setup& setup, Measurements& out);

}  // namespace duet::reproduce::dashti2017
