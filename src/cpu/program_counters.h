// The events of hpmcounter3 and following: fixed events of a core, in user mode and system calls alike, from
// the beginning of the run. docs/reference/simulated-host.md has them as a table. Left out: choosing events
// (mhpmevent is the machine mode's), counting per thread.
#pragma once

#include "cpu/core_statistics.h"

namespace duet::cpu {

// hpmcounter`number`; 0 for counters without an event.
std::uint64_t program_counter(const CoreStatistics& statistics, unsigned number);

}  // namespace duet::cpu
