// A report, for the author of a program, of why the machine makes no progress: the waiting commands and their
// words, the command that would fill the words, and its own hold-up.
//
// The components answer when the report is made. Only the latest write of empty words without a fill is kept
// for it during the run (memory/dram/plain_writes.h). The report names the causes with a known pattern; a
// deadlock of another pattern is described by its facts. A kernel with a pointer into an allocation counts as
// a possible writer of all of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/driver.h"
#include "gpu/front_end/data_transfer_engine.h"
#include "gpu/front_end/work_distributor.h"
#include "gpu/sm/sm.h"
#include "machine/build/memory_system.h"

namespace duet::machine {

// The parts of the machine for a report.
struct MachineParts {
  const sim::Engine& engine;
  const config::Machine& config;
  const memory::AddressSpace& address_space;
  const driver::Driver& driver;
  const gpu::WorkDistributor& work_distributor;
  std::vector<const gpu::DataTransferEngine*> copy_engines;
  MemorySystem* memory_system = nullptr;       // null: functional GPU
  std::vector<const gpu::TimedSm*> timed_sms;  // by number
  std::function<gpu::GridCounts(const gpu::Grid&)> counts;
};

struct Standstill {
  std::string cause;               // with its remedy
  std::vector<std::string> facts;  // a line each

  // The facts indented, each behind a line's end.
  std::string lines() const;
};

// `still`: nothing in the machine has anything to do; otherwise it is in the middle of its work.
Standstill examine(const MachineParts& machine, bool still);

}  // namespace duet::machine
