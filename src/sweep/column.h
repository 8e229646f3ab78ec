// A column of results.csv: a place in a run's stats.json, or a sum over its kernels, copies, calls or marks.
//
//   time_ps, gpu_cycles, warp_instructions, thread_instructions      short names
//   moments_ps, critical_path_ps, busy_ps                            all of the parts, a column each
//   account.busy_ps.kernels, counters.dram.reads, simulated_seconds  a path
//   kernels.cycles.sum, kernels[smooth].time_ps.max, kernels.count   a list, or its elements of a name; then
//   copies[host_to_device].bytes.sum, api[cudaMalloc].calls.sum      their value, and sum, min, max, first
//   marks[finish].time_ps.last, kernels.counters.l1.read_hits.sum    or last
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace duet::sweep {

struct Column {
  std::string name;  // as the header has it
  std::string list;  // "kernels"; empty: a path
  std::string of;    // of this name; empty: all
  std::string path;  // joined by dots
  std::string how;   // of a list: "count", "sum", ...
};

// One text may be several columns. Throws duet::Error for a wrong one. `is_counted`: whether a machine here
// has the statistic.
std::vector<Column> columns_of(const std::string& text,
                               const std::function<bool(const std::string& statistic)>& is_counted);
// Where a sweep says none.
std::vector<std::string> default_columns();

// As a number or text; empty where the run has no such value.
std::string cell_of(const Column& column, const nlohmann::json& statistics);

}  // namespace duet::sweep
