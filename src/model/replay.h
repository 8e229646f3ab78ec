// A run's journal through the model again: the same operations as when it was made, judged by the rules, and
// compared with the run's stats.json.
//
//   const Replay replay = replay_of(journal, machine, stats_json, {});
//   replay.violations, replay.differences            // both empty, or the run was none of this model
#pragma once

#include <string>
#include <vector>

#include "config/machine.h"
#include "model/rules.h"
#include "model/task_events.h"
#include "report/journal/journal.h"

namespace duet::model {

// One number, or time, with another value in stats.json.
struct Difference {
  std::string what;  // "kernel #2 (command 7): start_ps"
  std::uint64_t replayed = 0, recorded = 0;
};

struct Replay {
  EventCounts counts;
  std::uint64_t operations = 0, compared = 0;
  std::uint64_t kernels = 0, copies = 0;  // whose order was compared
  bool cut_off = false;                   // the run did not come to its end: its totals are not compared
  std::vector<Violation> violations;      // the first kMost of them
  std::uint64_t violations_in_all = 0;
  std::vector<Difference> differences;
  std::vector<std::string> log;  // the first operations, as many as were asked for
  static constexpr std::size_t kMost = 1000;
};

// `journal`: of a run with kExplainedEvents (`duet explain`). `stats`: the text of its stats.json. Throws
// duet::Error where the journal has none of these events, or blocks that cores executed.
Replay replay_of(const report::JournalReader& journal, const config::Machine& machine,
                 const std::string& stats, std::uint64_t logged);

std::string text_of(const Replay& replay);
std::string json_of(const Replay& replay);  // schema duet.model_replay/1

}  // namespace duet::model
