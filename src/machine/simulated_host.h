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

#include <memory>

#include "config/machine.h"
#include "rv64/process/process.h"
#include "sim/statistics.h"

namespace duet::machine {

class SimulatedHost {
 public:
  // Throws duet::Error where the program cannot be run, or the machine not be built.
  SimulatedHost(const config::Cpu& cpu, const config::Host& dram, const rv64::ProcessOptions& program);
  ~SimulatedHost();

  // As rv64::Process::run().
  rv64::ProcessEnd run();

  Picoseconds now() const;
  sim::Statistics& statistics();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace duet::machine
