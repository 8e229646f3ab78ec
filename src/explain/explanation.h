// A run as hu2016's five sub-models see it (sections 2 and 3), for `duet explain`.
//
//   const Explanation e = explain(report, machine, {});
//   std::fputs(text_of(e).c_str(), stdout);        // for the terminal
//   const std::string json = json_of(e);           // all of it: explain.json, and the data of explain.html
//
// The journal has to have been made for it (machine::RunOptions::explain). Times are picoseconds of simulated
// time. A time of 0 is unknown: the run ended before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/issue_slot.h"
#include "config/machine.h"
#include "explain/selection.h"
#include "report/results/processor_result.h"
#include "report/run_report.h"

namespace duet::explain {

// A component of the hardware structure (sections 2.1, 3.2).
struct Part {
  std::string term;   // the paper's: "TU"
  std::string name;   // "GigaThread engine"
  std::string holds;  // number, capacity and time, in words
};
struct Level {
  unsigned level = 0;
  std::string of;  // "the GPU"
  std::vector<Part> parts;
};

// A push-buffer command (Table III): its text, and the time of its decoding.
struct PushBufferStep {
  std::string name;
  std::uint64_t argument = 0;
  Picoseconds decoded_ps = 0;
  Picoseconds until_next_ps = 0;  // of the last one of a command: 0
  std::string effect;             // its effect, where known: "counter 0 taken at 99.755 us"
};

// A command of the driver, complete before another one begins.
struct Dependency {
  std::uint64_t command = 0;
  std::string why;  // "its stream"
  Picoseconds end_ps = 0;
};

// A push-buffer stream (PBS) of the host's command script.
struct Command {
  std::uint64_t number = 0, call = 0;  // ids of docs/reference/events.md
  std::string call_name;
  std::string kind;    // the driver's: "launch"
  std::string script;  // the paper's: "computing", "data-move", "control"
  std::string what;    // "smooth <<<128, 128>>>"
  std::uint32_t stream = 0, channel = 0;
  Picoseconds queued_ps = 0, driver_start_ps = 0, prepared_ps = 0, start_ps = 0, end_ps = 0;
  std::vector<Dependency> waits_for;
  // The command before it in its hardware channel (channels are served in order), and when it entered stage
  // (ii).
  std::uint64_t behind = 0;  // 0: none
  Picoseconds behind_ps = 0;
  // When all its predecessors were complete; then it waited for its channel and the driver.
  Picoseconds free_ps() const;
  // From its last push-buffer command's decoding to its first block or packet: for a stream's queue, a
  // reference counter, room on an SM, or an engine.
  Picoseconds gpu_wait_ps() const;
  std::vector<PushBufferStep> steps;
};

struct CounterPoint {
  Picoseconds time_ps = 0;
  std::uint64_t launched = 0, completed = 0;  // of the reference counter (section 3.4)
};
struct Warp {
  std::uint64_t index = 0;
  std::uint32_t slot = 0;  // of its SM
  Picoseconds begin_ps = 0, end_ps = 0;
};
struct Block {
  std::uint64_t number = 0;  // linear index in the grid
  std::uint32_t sm = 0;
  Picoseconds begin_ps = 0, end_ps = 0;
  std::string why;  // it is shown: "the longest"
  std::vector<Warp> warps;
  Picoseconds time_ps() const { return end_ps - begin_ps; }
};
// Blocks of a launch on one SM.
struct SmShare {
  std::uint32_t sm = 0;
  std::uint64_t blocks = 0, most_at_once = 0;
  Picoseconds first_ps = 0, last_ps = 0;
};
struct Bin {
  Picoseconds from_ps = 0, to_ps = 0;  // the latter included in the last one only
  std::uint64_t blocks = 0;
};

// A kernel's way through the GPU.
struct Launch {
  report::KernelResult record;
  std::string name;  // as a programmer wrote it
  std::uint64_t blocks = 0, warps_per_block = 0;
  std::uint32_t counter = 0;                              // its reference counter
  Picoseconds set_launch_id_ps = 0, wait_ref_cnt_ps = 0;  // 0: not told
  Picoseconds last_dispatch_ps = 0;                       // of a block to an SM
  std::uint64_t told_blocks = 0;                          // with an end on an SM
  std::vector<CounterPoint> points;  // every `point_step`th event of a block, and the last
  std::uint64_t point_step = 1;
  std::vector<CounterPoint> quarters;  // where a quarter of the blocks is launched, or complete
  std::vector<SmShare> sms;
  Picoseconds shortest_ps = 0, median_ps = 0, longest_ps = 0;
  std::vector<Bin> bins;      // of the blocks' times
  report::Counters counters;  // of stats.json, moved by its instructions
  std::vector<Block> shown;
};

// A move by a data transfer engine (section 3.5).
struct Move {
  std::uint64_t command = 0;
  std::uint32_t engine = 0;
  std::string step;  // "Stage-In"
  Bytes bytes = 0;
  Picoseconds begin_ps = 0, end_ps = 0;
};

struct Explanation {
  std::string command, machine;
  Picoseconds simulated_ps = 0;
  bool complete = true, functional = false;
  Selection selection;
  std::vector<Level> levels;
  std::uint64_t commands_in_all = 0, launches_in_all = 0, moves_in_all = 0;
  std::vector<Command> commands;  // the first ones, and the launches' ones
  std::vector<Launch> launches;   // the first ones, or the selected ones
  std::size_t main_launch = 0;    // the launch that the text follows
  std::vector<Move> moves;        // the first ones
};

constexpr std::uint64_t kCommands = 200, kLaunches = 50, kMoves = 200, kPoints = 120, kSelectedPoints = 1000;

// Reads the journal a few times, and keeps the shown parts, and 16 bytes a block of the launches above that
// run at a time. Throws duet::Error where the selection finds nothing.
Explanation explain(const report::RunReport& report, const config::Machine& machine,
                    const Selection& selection);
std::vector<Level> levels_of(const config::Machine& machine, bool functional);
std::string text_of(const Explanation& explanation);
std::string json_of(const Explanation& explanation);

}  // namespace duet::explain
