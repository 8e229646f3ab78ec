// What a program did on a simulated host, and its renderings: stats.json (schema duet.host_stats/1) and the
// short table on the terminal. Unlike a program with a GPU (run_report.h) it is simulated by the process that
// reports it, so nothing is recorded on the way. Left out: what changed over time.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "report/run_report.h"

namespace duet::report {

// Dispatch slots of a core (cycles times the width of dispatch), each counted once.
struct CoreSlots {
  static constexpr std::size_t kUses = 9;
  // In stats.json and over the columns of the table.
  static const std::array<const char*, kUses> kNames, kTitles;
  std::array<std::uint64_t, kUses> slots{};
};

struct CoreResult {
  std::string name;
  std::uint64_t instructions = 0, cycles = 0;
  std::uint64_t l1_misses = 0, l2_misses = 0, l3_misses = 0;  // also of fetches
  std::uint64_t mispredictions = 0;
  CoreSlots slots;
};

struct ThreadResult {
  std::uint64_t id = 0;
  std::string name;  // that the program gave it
  Picoseconds core_time_ps = 0;
  std::uint64_t instructions = 0;
};

struct HostReport {
  std::string machine, command;
  std::uint64_t clock_khz = 0;
  bool has_l2 = false, has_l3 = false;
  int status = 0;       // of the run, as `duet run` exits
  int signal = 0;       // that ended the program; 0: none
  std::string failure;  // why the program did not come to its own end; empty: it did
  double wall_seconds = 0;
  Picoseconds simulated_ps = 0;
  std::uint64_t dram_read_bytes = 0, dram_written_bytes = 0;
  Counters counters;  // the machine's statistics
  std::vector<CoreResult> cores;
  std::vector<ThreadResult> threads;  // in the order of their creation
  std::vector<ComponentResult> components;

  std::uint64_t instructions() const;
};

// Takes the cores, and what DRAM moved, from `components` and their counters.
void derive_cores(HostReport& report);

void write_host_stats_json(std::ostream& out, const HostReport& report);
std::string host_table(const HostReport& report);

}  // namespace duet::report
