// The work of a run's pre-execution programs (machine/cores_for_gpu/preexecution.h), from the journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/journal/journal_records.h"

namespace duet::report {

struct PreexecutionOfLaunch : PreexecutionRecord {
  std::vector<SkipFactorSample> skip_factors;
  std::string reason;                       // why there is no program; empty: there is one
  std::vector<std::string> not_prefetched;  // an access each
};

struct PreexecutionResult {
  static constexpr std::size_t kLaunches = 10'000;            // kept one by one
  std::vector<std::pair<std::string, std::string>> settings;  // mode first; none: it was off
  std::map<std::uint64_t, PreexecutionOfLaunch> launches;     // by command
  std::uint64_t programs = 0, instructions = 0, loads = 0, suppressed_loads = 0;  // programs run; of all

  void add_settings(std::string_view lines);
  // Throws duet::Error for bytes other than such a record.
  void add(const std::byte* record, std::size_t bytes, std::string_view text);
};

}  // namespace duet::report
