// A discrete execution of a model: in a step each unit (TU, SE, PE) does at most one thing, or the SE as many
// as it has schedulers. Other units see an action from the next step on. Order and counts are the model's; a
// step is no time. The same model gives the same execution.
//
//   const Execution run = execute(model, {.steps = 100});
//   run.log[0]                     // step 1, level 1, TU of the GPU, copy_in: read CopyRange
//   run.finished
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/operation.h"

namespace duet::model {

struct RunLimits {
  std::uint64_t steps = 0;                    // 0: until the program has ended
  std::uint64_t most_operations = 1'000'000;  // more are refused
};

struct LogEntry {
  std::uint64_t step = 0;
  unsigned level = 0;
  std::string unit;       // "SM array 3"
  std::string instance;   // "smooth(2)/FMUL"
  std::string operation;  // "dispatch to PE 1"
};

// How often each thing was done at a level.
struct LevelCounts {
  std::uint64_t groups = 0, instances = 0;  // of PS_C
  std::uint64_t moves = 0;                  // groups of PS_D
  std::uint64_t controls = 0;               // SS
  std::uint64_t commands = 0;               // SCs
};

struct Execution {
  bool finished = false;  // or cut off by RunLimits::steps
  std::uint64_t steps = 0;
  std::vector<LogEntry> log;
  std::vector<Operation> operations;  // the same for the rules
  std::vector<LevelCounts> counts;    // by level
};

// Throws duet::Error with one line where nothing can go on, with the waiting groups, and for more operations
// than the limit.
Execution execute(const Model& model, const RunLimits& limits);

std::string text_of(const Execution& execution);
// Structure, scripts and execution; schema duet.model/1. Without an execution: null.
std::string json_of(const Model& model, const Execution* execution);

}  // namespace duet::model
