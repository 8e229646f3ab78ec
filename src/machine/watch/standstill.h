// Why a machine makes no progress, for who wrote the program: who waits for which words, what would fill them
// and why it does not come, what else is under way. Everything is asked of the components when a report is
// made; what they keep for it is the latest write without a fill of words that are empty
// (memory/dram/plain_writes.h). It names the causes that it knows by their pattern; a deadlock of another
// pattern is told by its facts alone. Which words a kernel will still write it cannot know: it takes a kernel
// that was given a pointer into the allocation for one that may.
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

// What a report looks at.
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
  std::string cause;               // and what to do about it
  std::vector<std::string> facts;  // a line each

  // The facts indented, each behind a line's end.
  std::string lines() const;
};

// `still`: nothing in the machine has anything to do; otherwise it is in the middle of its work.
Standstill examine(const MachineParts& machine, bool still);

}  // namespace duet::machine
