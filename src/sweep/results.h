// What a sweep leaves besides its runs: results.csv, pareto.csv, failures.txt, and times.csv with the wall
// times. The first three are the same bytes whoever made the runs, and however often they were cut off. A
// page shows them (report.html).
#pragma once

#include "sweep/column.h"
#include "sweep/folder.h"

namespace duet::sweep {

struct Results {
  std::string title;  // the sweep file's name
  std::vector<Column> columns;
  struct Goal {
    std::string name;  // of an axis or a column
    bool least;        // the less the better
  };
  std::vector<Goal> pareto;  // empty: no pareto.csv
};

// Throws duet::Error for a column that no run could have, and for a Pareto front of what is no column.
Results make_results(const SweepFile& file, const Plan& plan, const Knowledge& knowledge);

struct Summary {
  std::size_t ok = 0, failed = 0, missing = 0;
  Strings lines;     // on failed runs and empty columns
  std::string page;  // what report.html shows, as JSON
};
// From what is in the folder. Runs that have not ended have a row without values.
Summary write_results(const Folder& folder, const Plan& plan, const Results& results);

}  // namespace duet::sweep
