// lustig2013 Table 2 and Figures 2, 8, 9 and 10, section 4.2's granule: measurements of programs with the
// runtime API alone (workloads/probe).
#pragma once

#include "reproduce/experiments.h"

namespace duet::reproduce {

void measure_latencies(Experiments& experiments, const Setup& setup, Measurements& out);
// The smallest copy on the setup's machine, an integrated one, and on the discrete one.
void measure_figure_2(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_figure_8(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_figure_9(Experiments& experiments, const Setup& setup, Measurements& out);
void measure_granule(Experiments& experiments, const Setup& setup, Measurements& out);

}  // namespace duet::reproduce
