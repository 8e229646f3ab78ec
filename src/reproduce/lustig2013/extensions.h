// lustig2013 sections 4.5 and 9: extensions that the paper names and does not measure (row L-ext). The
// benchmarks on machines with one key changed, and workloads/lustig2013/extensions, with one job in several
// ways: the gain of an extension is the gain of its way over the best way without it.
#pragma once

#include "reproduce/experiments.h"

namespace duet::reproduce {

void measure_granularity_of_tracking(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_granularity_of_transmission(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_look_ahead(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_refusals(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_region(Experiments& experiments, const Setup& setup, Measurements& out);
// For these the setup's options go to the program's first way.
void measure_counter_bits(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_kernel_end(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_override_set(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_override_release(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_ring(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_array(Experiments& experiments, const Setup& setup, Measurements& out);

}  // namespace duet::reproduce
