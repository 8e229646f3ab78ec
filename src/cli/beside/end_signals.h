// SIGINT and SIGTERM while this process simulates: the first one ends the simulation and keeps its results, a
// second one ends the process.
#pragma once

#include <atomic>

namespace duet::cli {

// From the first call on. The signal's number; 0: none yet.
const std::atomic<int>& end_at_signals();

}  // namespace duet::cli
