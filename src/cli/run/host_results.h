// The results of a program on the simulated host, from its machine.
#pragma once

#include <string>

#include "cli/commands.h"
#include "machine/host/simulated_host.h"
#include "report/host_report.h"
#include "sim/statistics.h"

namespace duet::cli {

struct HostEnding {
  int status = 0;       // of `duet run`
  int signal = 0;       // the signal that ended the program; 0: none
  std::string failure;  // why it did not come to its own end; empty: it did
};

struct HostRun {
  Picoseconds simulated_ps = 0;
  double wall_seconds = 0;
  HostEnding ending;
};

report::HostReport host_report(const config::Topology& machine, const RunOptions& options,
                               machine::SimulatedHost& host, sim::Statistics& statistics, const HostRun& run);

}  // namespace duet::cli
