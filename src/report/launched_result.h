// Kernels that kernels launched (CUDA dynamic parallelism), as the journal tells: those of one name that one
// command's kernel and its children launched together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "report/journal_records.h"

namespace duet::report {

struct LaunchedKernels {
  std::uint64_t launches = 0, blocks = 0, warp_instructions = 0, thread_instructions = 0;
  Picoseconds start_ps = kNever, end_ps = 0;  // the first one's first block, the last one's end
  Picoseconds time_ps = 0, wait_ps = 0;       // sums: from first block to end, from the call to first block
  std::uint64_t nested = 0;                   // of them, launched by a kernel that was launched itself

  LaunchedKernels& operator+=(const LaunchedKernels& other) {
    launches += other.launches;
    blocks += other.blocks;
    warp_instructions += other.warp_instructions;
    thread_instructions += other.thread_instructions;
    start_ps = std::min(start_ps, other.start_ps);
    end_ps = std::max(end_ps, other.end_ps);
    time_ps += other.time_ps;
    wait_ps += other.wait_ps;
    nested += other.nested;
    return *this;
  }
};

struct LaunchedResult {
  std::map<std::pair<std::uint64_t, std::string>, LaunchedKernels> kernels;  // by command and name

  void add(const LaunchedRecord& record, std::string_view name) {
    LaunchedKernels& sums = kernels[{record.command, std::string(name)}];
    ++sums.launches;
    sums.nested += record.parent != 0;
    sums.blocks += std::uint64_t{record.grid[0]} * record.grid[1] * record.grid[2];
    sums.warp_instructions += record.warp_instructions;
    sums.thread_instructions += record.thread_instructions;
    sums.start_ps = std::min(sums.start_ps, record.start_ps);
    sums.end_ps = std::max(sums.end_ps, record.end_ps);
    sums.time_ps += record.end_ps - record.start_ps;
    sums.wait_ps += record.start_ps - record.launched_ps;
  }
};

}  // namespace duet::report
