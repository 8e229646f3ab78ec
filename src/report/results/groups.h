// Groups of kernels and copies alike: stats.json has them for all beyond the ones that it lists one by one.
// Left out: the single members of a group, and the spread of its values between least and most.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "report/run_report.h"

namespace duet::report {

struct Spread {
  std::uint64_t count = 0, sum = 0, min = std::numeric_limits<std::uint64_t>::max(), max = 0;
  void add(std::uint64_t value);
};

// The common part.
struct Times {
  Picoseconds first_start_ps = kNever, last_end_ps = 0;
  Spread queued, prepared, executed;  // from the call; in stage (ii) and hand-over; from start to end
  template <typename Record>
  void add(const Record& record);
};

// Of one kernel with one grid and one block.
struct KernelGroup {
  std::uint64_t launches = 0, fast_forwarded = 0;
  Times times;
  Spread cycles, warp_instructions, thread_instructions, registers;
  double least_occupancy = 1, most_occupancy = 0;
  double least_achieved_occupancy = 1, most_achieved_occupancy = 0;
  IssueSlots issue_slots{};
  WarpCycles warp_cycles{};
  std::vector<Spread> counters;  // by number in JournalHeader::counters, of the launches with an increase
};

// Of one kind, waiting for and doing the same to full/empty bits, of the same number of bytes.
struct CopyGroup {
  std::uint64_t copies = 0;
  Times times;
  Spread bytes;
};

// Bounds the memory of a run without likes: beyond so many groups, groups of the same name, or kind, are
// taken together.
constexpr std::size_t kMostGroups = 4096;

struct KernelGroups {
  using Dimensions = std::array<std::uint32_t, 6>;  // of grid and block; all 0: they differ
  std::map<std::pair<std::string, Dimensions>, KernelGroup> groups;
  void add(const KernelResult& kernel);
};

struct CopyGroups {
  static constexpr Bytes kDiffer = ~Bytes{0};
  using Key = std::tuple<CopyKind, std::uint32_t, std::uint32_t, Bytes>;  // kind, trigger, action, bytes
  std::map<Key, CopyGroup> groups;
  void add(const CopyRecord& copy);
};

}  // namespace duet::report
