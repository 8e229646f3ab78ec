// lustig2013 Table 2 and Figures 9 and 10: what calls cost, measured inside the simulation by programs that
// only use the runtime API (workloads/probe).
#pragma once

#include "cli/reproduce_claims.h"
#include "cli/reproduce_runner.h"

namespace duet::cli {

void measure_latencies(Runner& runner, const std::string& machine, const std::vector<std::string>& sets,
                       Measurements& out);
// `configured_us`: the driver's latency of an asynchronous copy, as the machine file sets it.
void measure_driver_latency(Runner& runner, const std::string& machine, const std::vector<std::string>& sets,
                            double configured_us, Measurements& out);

}  // namespace duet::cli
