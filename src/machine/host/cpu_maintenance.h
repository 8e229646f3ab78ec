// Has the processor's caches write lines back, or give them up, as a driver's loop over cache instructions
// does on a machine whose cores and GPU are not coherent: by range a line after the other, or all sets and
// ways.
//
//   const auto id = maintenance.begin({{{frame, 4096}}, CacheOperations{true, true}});   // between ticks
//   ...                                                     // the machine goes on
//   if (maintenance.complete(id)) ...                       // memory has the bytes, caches have none
//
//   line at 0x1000    cores give it up; if one has written it, its bytes go to the cache below the directory
//   all lines done    the cache below writes the range's dirty bytes to memory, and then drops the range
//
// Guarantees: bytes that a core has written before begin() are in memory when it is complete with `clean`,
// and no cache of the processor has a byte from before begin() with `invalidate`, but for dirty ones without
// `clean`. Lines that a core touches meanwhile may stay. Jobs are done one after the other.
// Time: config::MemoryFabric::Maintenance for each line, or each set and way; write-backs as long as they
// take. Source: Arm Architecture Reference Manual, ARMv7-A, "Cache maintenance operations" (by MVA to the
// point of coherency, by set and way). Left out: the instructions of the loop as instructions, other cores'
// interrupts.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "machine/host/cpu_memory.h"
#include "memory/cache/cache_command.h"
#include "sim/statistics.h"

namespace duet::machine {

struct CacheOperations {
  bool clean = false, invalidate = false;
};

struct CpuMaintenanceStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter jobs{*this, "jobs", "jobs", "ranges, and whole caches, written back or given up"};
  sim::Counter lines{*this, "lines", "lines", "looked at: of ranges, or sets times ways"};
  sim::Counter held{*this, "held", "lines", "of these: that cores held"};
  sim::Counter busy_ps{*this, "busy_ps", "ps", "time with a job at work"};
};

class CpuMaintenance final : public sim::Component {
 public:
  CpuMaintenance(sim::Engine& engine, CpuMemory& memory, const config::Cpu& config,
                 const config::MemoryFabric::Maintenance& costs);

  struct Range {
    PhysicalAddress base;
    Bytes bytes = 0;
  };
  struct Job {
    std::vector<Range> ranges;  // none: all that the caches hold
    CacheOperations operations;
  };
  // Between ticks.
  std::uint64_t begin(Job job);
  bool complete(std::uint64_t id) const { return id <= completed_; }

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;

 private:
  enum class Stage : std::uint8_t { Idle, Lines, Cleaning, Invalidating };
  struct Pending {
    std::uint64_t id = 0;
    Job job;
    Picoseconds from_ps = 0;  // the driver's loop begins
  };
  void start_lines(Picoseconds now);
  void send_lines(Picoseconds now);
  void command_below(memory::Operation operation);
  void send_commands(Picoseconds now);
  void finish(Picoseconds now);

  CpuMemory& memory_;
  const config::Cpu& config_;
  const config::MemoryFabric::Maintenance costs_;
  const Picoseconds entry_ps_, to_directory_ps_;
  CpuMemory::Agent agent_;
  std::optional<CpuMemory::CommandPort> below_;  // the cache below the directory; none: there is none
  std::deque<Pending> jobs_;                     // the first one is at work
  Stage stage_ = Stage::Idle;
  std::deque<PhysicalAddress> to_ask_;
  std::size_t asked_ = 0;  // without an answer
  std::deque<memory::CacheCommand> to_command_;
  std::size_t commanded_ = 0;  // without an answer
  Picoseconds started_ps_ = 0, not_before_ps_ = 0;
  std::uint64_t last_id_ = 0, completed_ = 0;
  CpuMaintenanceStatistics statistics_{*this, "cpu_maintenance."};
};

}  // namespace duet::machine
