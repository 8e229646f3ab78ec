// The facts for rules: a run's kernels by name and its copies by direction, added up.
//
//   const Facts facts(report, machine);
//   for (const KernelFacts& kernel : facts.kernels) kernel.share(IssueSlot::Memory);
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "advise/commands.h"
#include "config/machine.h"
#include "report/run_report.h"

namespace duet::advise {

// All launches of one kernel.
struct KernelFacts {
  std::string name;
  std::uint64_t launches = 0;
  Picoseconds time_ps = 0;  // from the first block to the completion, added up
  std::uint64_t cycles = 0, warp_instructions = 0, thread_instructions = 0;
  IssueSlots slots{};
  WarpCycles warp_cycles{};
  std::vector<std::uint64_t> counters;  // by number in JournalHeader::counters
  // Of the longest launch.
  Picoseconds longest_ps = 0;
  double occupancy = 0;
  std::string limit;
  std::uint64_t blocks = 0, block_threads = 0, blocks_per_sm = 0, registers = 0;
  Bytes shared_bytes = 0;
  std::set<std::uint64_t> pointers;  // of its launches' arguments, as report::KernelRecord has them
  double narrow_doubles = 0, narrow_conversions = 0;  // report::KernelRecord, as the next two
  Bytes device_bytes = 0, host_bytes = 0;
  // Time in which an SM had no block, of all SMs on average: of grids with fewer blocks than SMs, and of
  // others what blocks that end together would save.
  Picoseconds few_blocks_ps = 0, tail_ps = 0;

  // Of issue slots, and of the cycles of resident warps; 0 with the functional GPU.
  double share(IssueSlot slot) const;
  double warp_share(IssueSlot state) const;
};

struct CopyFacts {
  std::uint64_t copies = 0, pageable = 0;
  // Copies with the one before in the same direction, and no kernel between them.
  std::uint64_t next_to_another = 0;
  std::set<Bytes> pageable_sizes;  // as many buffers, as far as is known
  Bytes bytes = 0, pageable_bytes = 0;
  Picoseconds time_ps = 0, pageable_ps = 0;  // from the first packet to the completion
  Picoseconds driver_ps = 0;                 // from stage (ii) to the first packet
};

class Facts {
 public:
  Facts(const report::RunReport& report, const config::Machine& machine);

  std::vector<KernelFacts> kernels;  // by time, the longest first
  CopyFacts to_device, to_host;
  std::uint64_t launches = 0;
  Picoseconds kernels_ps = 0;         // added up
  std::uint64_t driver_launches = 0;  // that had a stage (ii): not those by user queues
  // Of launches, from stage (ii), or the end of the stream's command before, to the first block.
  Picoseconds launch_driver_ps = 0;
  Picoseconds run_ps = 0;

  const Commands& commands() const { return commands_; }
  const report::RunReport& report() const { return report_; }
  const config::Machine& machine() const { return machine_; }
  Picoseconds path(report::PathPart part) const;
  // The share of `ps` of a kernel's time in the critical path.
  Picoseconds on_path(double ps) const;
  std::uint64_t counter(const KernelFacts& kernel, std::string_view name) const;
  // Core cycles of all SMs with blocks of the kernel.
  double sm_cycles(const KernelFacts& kernel) const;
  // Of all calls of these functions.
  std::uint64_t calls(std::initializer_list<std::string_view> names) const;
  std::uint64_t calls(bool (*is)(std::string_view name)) const;
  // Words for the API that the program uses.
  const char* in_words(const char* of_cuda, const char* of_opencl) const;
  // Of calls between the first launch and the last one whose name `is` accepts, among the recorded calls.
  std::uint64_t calls_between_launches(bool (*is)(std::string_view name)) const;

 private:
  void add(KernelFacts& facts, const report::KernelResult& kernel);
  void add(const report::CopyRecord& copy);
  Picoseconds tail(const report::KernelResult& kernel, std::uint64_t blocks) const;
  void look_at_neighbours();

  const report::RunReport& report_;
  const config::Machine& machine_;
  std::vector<std::string_view> names_;  // of counters
  bool kernels_overlap_ = false;
  Commands commands_;
};

}  // namespace duet::advise
