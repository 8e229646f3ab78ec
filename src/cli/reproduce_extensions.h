// lustig2013 sections 4.5 and 9: what the paper names and does not measure (row L-ext). The benchmarks on
// machines with one key changed, and workloads/lustig2013/extensions, which do one job with and without.
#pragma once

#include "cli/reproduce_offloads.h"

namespace duet::cli {

// Needs a machine with full/empty bits.
void measure_extensions(Runner& runner, Offloads& offloads, const std::string& machine,
                        const ReproduceOptions& options, Measurements& out);

}  // namespace duet::cli
