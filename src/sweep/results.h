// The results of a sweep besides its runs: results.csv, results.json, pareto.csv, failures.txt, and times.csv
// with the wall times. The first three are the same bytes for any runner, and for any interruptions. A page
// shows them (report.html).
#pragma once

#include "sweep/column.h"
#include "sweep/folder.h"
#include "sweep/sweep.h"

namespace duet::sweep {

struct Results {
  std::string title;  // the sweep file's name
  std::vector<Column> columns;
  struct Goal {
    std::string name;  // of an axis or a column
    bool least;        // the less the better
  };
  std::vector<Goal> pareto;  // empty: no pareto.csv
  // Of the runs whose times are 1 in the column `speedup`; empty: there is no such column.
  std::vector<std::pair<std::string, std::string>> baseline;
};

// Throws duet::Error for an impossible column, and for a Pareto front of an unknown column.
Results make_results(const SweepFile& file, const Plan& plan, const Knowledge& knowledge,
                     const Strings& baseline);

struct Summary {
  std::size_t ok = 0, failed = 0, missing = 0;
  Strings lines;     // on failed runs and empty columns
  std::string json;  // results.json
};
// The data of report.html, and the table, from results.json.
Look look_of(const std::string& results_json);
// From the folder. Unended runs have a row without values.
Summary write_results(const Folder& folder, const Plan& plan, const Results& results);

}  // namespace duet::sweep
