// The findings of a run's checks as SARIF 2.1.0 (OASIS), for editors and code review.
//   SarifRuns runs; runs.add(report.check, command); write_sarif(out, runs);     a run for each process
// A finding's first source line is its location, the others are related. Left out: columns, fixes.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "report/results/check_result.h"

namespace duet::report {

struct SarifRuns {
  struct Run {
    std::string command;
    std::vector<CheckFinding> findings;
  };
  std::vector<Run> runs;
  void add(const CheckResult& check, const std::string& command) {
    runs.push_back({command, check.findings});
  }
};

void write_sarif(std::ostream& out, const SarifRuns& runs);

}  // namespace duet::report
