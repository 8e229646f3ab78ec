// Advice for shortening a run, for stats.json, terminal and page; advise/ finds it.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace duet::report {

// A [[method]] row of the machine, and the calls that give memory by it; "": none does.
struct AdvisedMethod {
  std::string name, calls;
};

struct Advice {
  std::string rule;                  // "bank_conflicts"
  std::string kernel;                // its kernel; empty: the run
  std::string bound_by;              // the cause of the time
  std::string because;               // the numbers behind it
  std::string change;                // the change to try
  Picoseconds saves_ps = 0;          // estimated from the run
  std::vector<std::string> what_if;  // key=value: on a machine so changed it can be measured
  bool hardware = false;             // a change of the machine, not of the program
  bool at_most = false;  // nobody knows how much of saves_ps a program can have; such items come last
  // To be taken off a measurement: what the change costs the program, or the machine saves beside the item.
  Picoseconds costs_ps = 0;
  std::vector<AdvisedMethod> methods{};  // a run by each of them (duet run --method) measures it
};

// Above changes of the machine.
inline constexpr const char* kHardwareHeading = "changes of the machine, not of the program:";
// Two lines. `saves` begins with a verb: "saves 3.000 us".
std::string advice_lines(const Advice& advice, std::size_t number, const std::string& indent,
                         const std::string& saves);
// "about 3.000 us, 20 % of the run", or "at most ..."
std::string saved_text(Picoseconds saves_ps, Picoseconds run_ps, bool at_most = false);
// All advice as text; empty when there is none.
std::string advice_text(const std::vector<Advice>& advice, Picoseconds run_ps);

}  // namespace duet::report
