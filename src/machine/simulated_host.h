// A Linux program on simulated cores: cores with private caches, the directory between them, an optional L3,
// host DRAM, and the threads of one process on them.
//
//   SimulatedHost host(cpu, dram, {{"./program"}, {}});
//   rv64::ProcessEnd end = host.run();
//
// System calls are served at their time, outside of it: what they do to memory costs nothing but
// system_call_cycles. A thread runs on a core until it waits, ends, or has had its time slice while another
// one has no core. Threads take the first free core in the order of their creation.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "config/machine.h"
#include "rv64/process/process.h"
#include "sim/statistics.h"

namespace duet::machine {

struct HostOptions {
  std::uint64_t shuffle_seed = 0;  // of sim::Engine
  bool two_threads = false;
  const std::atomic<int>* signal = nullptr;  // the number of a signal that asks for the end; 0: none yet
};

// What a thread of the program has had of the cores.
struct ThreadUse {
  std::uint64_t id = 0;
  std::string name;
  Picoseconds core_time_ps = 0;
  std::uint64_t instructions = 0;
};

class SimulatedHost {
 public:
  // Throws duet::Error where the program cannot be run, or the machine not be built.
  SimulatedHost(const config::Cpu& cpu, const config::Host& dram, const rv64::ProcessOptions& program,
                const HostOptions& options = {});
  ~SimulatedHost();

  // As rv64::Process::run(); Stopped also when a signal asks for it. However it ends, what was measured
  // stays.
  rv64::ProcessEnd run();

  Picoseconds now() const;
  sim::Statistics& statistics();
  // In the order of their creation, as of the last totals() of the statistics.
  std::vector<ThreadUse> threads();
  // What the machine counts, whatever it runs.
  static std::vector<sim::Statistic> declared(const config::Cpu& cpu, const config::Host& dram);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace duet::machine
