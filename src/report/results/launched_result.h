// Kernels launched by kernels (CUDA dynamic parallelism), from the journal: the launches of one name by one
// command's kernel and its children together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "report/journal/journal_records.h"

namespace duet::report {

struct LaunchedKernels {
  std::uint64_t launches = 0, blocks = 0, warp_instructions = 0, thread_instructions = 0;
  Picoseconds start_ps = kNever, end_ps = 0;  // the first one's first block, the last one's end
  Picoseconds time_ps = 0, wait_ps = 0;       // sums: from first block to end, from the call to first block
  std::uint64_t nested = 0;                   // of them, launched by a launched kernel

  void add(const LaunchedRecord& record) {
    ++launches;
    nested += record.parent != 0;
    blocks += std::uint64_t{record.grid[0]} * record.grid[1] * record.grid[2];
    warp_instructions += record.warp_instructions;
    thread_instructions += record.thread_instructions;
    start_ps = std::min(start_ps, record.start_ps);
    end_ps = std::max(end_ps, record.end_ps);
    time_ps += record.end_ps - record.start_ps;
    wait_ps += record.start_ps - record.launched_ps;
  }
};

struct LaunchedResult {
  static constexpr std::size_t kKernels = 10'000;                            // of `kernels`: the first ones
  std::map<std::pair<std::uint64_t, std::string>, LaunchedKernels> kernels;  // by command and name
  std::map<std::string, LaunchedKernels> by_name;                            // all

  void add(const LaunchedRecord& record, std::string_view text) {
    const std::string name(text);
    by_name[name].add(record);
    const std::pair key(record.command, name);
    if (kernels.size() < kKernels || kernels.contains(key)) kernels[key].add(record);
  }
};

}  // namespace duet::report
