// The work of cores on the blocks of a run's kernels (machine/cores_for_gpu/cpu_blocks.h), from the journal.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "report/journal/journal_records.h"

namespace duet::report {

struct CpuBlocksOfLaunch : CpuBlocksRecord {
  std::string reason;  // why they did nothing; empty: they could
};

struct CpuBlocksResult {
  static constexpr std::size_t kLaunches = 10'000;      // kept one by one
  std::map<std::uint64_t, CpuBlocksOfLaunch> launches;  // by command; none: it was off
  std::uint64_t blocks = 0, instructions = 0;           // of all

  void add(const CpuBlocksRecord& record, std::string_view reason) {
    blocks += record.blocks;
    instructions += record.instructions;
    if (launches.size() == kLaunches) return;
    launches.emplace(record.command, CpuBlocksOfLaunch{record, std::string(reason)});
  }
};

}  // namespace duet::report
