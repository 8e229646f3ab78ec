// The options of a run, beside the machine itself: one struct for both ways of running, a bare kernel in this
// process and a program in one of its own; the program's process finds it as a file beside its journal.
#pragma once

#include <cstdint>
#include <string>

#include "base/trace_detail.h"
#include "check/checks.h"
#include "machine/cores_for_gpu/preexecution_options.h"
#include "machine/time_models/fast_forward.h"
#include "machine/watch/run_watch.h"

namespace duet::machine {

struct RunOptions {
  bool functional = false;                       // the functional GPU instead of the timed one
  bool predict = false;                          // functional, and kernels take the time of src/predict
  bool sampled = false;                          // with predict: only what decides time is executed
  bool check_races = false;                      // memory/race_detector.h; not with the functional GPU
  check::Checks check;                           // src/check
  bool strict_memory = false;                    // what a kernel touches beside allocations is a fault
  bool trace_push_buffer = false;                // the journal gets every command of the push buffer
  bool events = false;                           // the journal gets every API call and every task event
  TraceDetail trace_detail = TraceDetail::Call;  // the journal gets the events of timeline.pftrace
  bool explain = false;                          // the journal gets what `duet explain` needs
  bool trace_all_calls = false;                  // and every API call for it; otherwise the first ones
  std::uint64_t interval_ps = 0;      // the journal gets what was counted in each; 0: not asked for
  std::uint64_t interval_cycles = 0;  // the same in core cycles
  bool host_time_real = false;        // threads' clocks move with the processor time between calls
  bool assembler_peepholes = true;
  bool lines = false;            // the journal gets what each instruction of a kernel counts; timed GPU
  bool skip_clock_loops = true;  // timed GPU: what only waits for a clock is not simulated cycle by cycle
  std::uint32_t registers_per_thread = 0;  // instead of the compiler's count (occupancy); 0: the compiler's
  std::uint64_t shuffle_seed = 0;          // of the order of ticks; 0: not shuffled
  bool simulated_host = false;             // the program runs on the machine's cores
  bool two_threads = false;                // components are ticked on two threads, dealt by shuffle_seed
  PreexecutionOptions preexecution;
  FastForward::Options fast_forward;  // launches that the timed GPU executes functionally
  bool sample = false;                // the timed GPU simulates only some launches in time: src/sample
  double sample_error_percent = 5;    // of the time that it finds so
  bool cpu_blocks =
      false;  // cores that share a level of cache with the GPU execute blocks too (cpu_blocks.h)
  // Where the PTX that the process loads is kept (empty: nowhere), and what messages call that folder.
  std::string ptx_folder, ptx_name;
  RunLimits limits;
};

// As text, without what only a process itself knows (ptx_folder, RunLimits::signal).
std::string to_text(const RunOptions& options);
// Throws duet::Error when the text is no such thing.
RunOptions run_options_of(const std::string& text);

}  // namespace duet::machine
