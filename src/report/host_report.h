// A program's run on a simulated host, and its renderings: stats.json (schema duet.host_stats/1) and the
// short table on the terminal. Unlike a program with a GPU (run_report.h) it is simulated by the reporting
// process, so nothing is recorded on the way. Left out: changes over time.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "report/results/processor_result.h"

namespace duet::report {

struct HostReport {
  std::string machine, command;
  int status = 0;       // of the run, as `duet run` exits
  int signal = 0;       // the signal that ended the program; 0: none
  std::string failure;  // why the program did not come to its own end; empty: it did
  double wall_seconds = 0;
  Picoseconds simulated_ps = 0;
  Counters counters;  // the machine's statistics
  ProcessorResult processor;
  std::vector<ComponentResult> components;
};

void write_host_stats_json(std::ostream& out, const HostReport& report);
std::string host_table(const HostReport& report);

}  // namespace duet::report
