// Two runs beside each other: the effect of a change of the machine, or of the program, on a run.
//
//   const Comparison c = compare(text_of("a/stats.json"), text_of("b/stats.json"));
//   c.time.first, c.time.second            // picoseconds of simulated time
//   c.kernels.front().name                 // whose time changed most
//   std::fputs(comparison_table(c, {}, 12).c_str(), stdout);
//
// Everything is in order of the difference, the largest first: times by picoseconds, counters by the share
// that they changed. What is the same on both sides is left out of the lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "report/named_text.h"

namespace duet::report {

// A number of both runs; 0 where a run does not have it.
struct Change {
  std::string name;
  std::uint64_t first = 0, second = 0;
  std::uint64_t difference() const { return first < second ? second - first : first - second; }
};

// Kernels of one name, copies of one kind, or calls of one function, taken together.
struct WorkChange {
  std::string name;
  Change launches, time;  // picoseconds, added up however much of it was at once
  Change cycles, warp_instructions, bytes;
  std::vector<Change> slots;  // issue slots by cause, of kernels; all of them, in the first run's order
};

struct Comparison {
  struct Run {
    std::string command, machine;
    bool complete = true;
  } runs[2];
  Change time;                                 // of the run, picoseconds
  std::vector<Change> moments, critical_path;  // docs/reference/stats-json.md, picoseconds
  std::vector<WorkChange> kernels, copies, calls;
  std::vector<Change> counters;
};

// Of two files stats.json. Throws duet::Error with one line where a text is no such file; the line begins
// with the text's name.
Comparison compare(const NamedText& first, const NamedText& second);

// How a key of the machine changed; an empty text: the machine does not have it.
struct KeyChange {
  std::string key, unit, first, second;
};

// At most `most` rows a list; how many more there are is said.
std::string comparison_table(const Comparison& comparison, const std::vector<KeyChange>& machine,
                             std::size_t most);
// Everything, as docs/use/compare.md has it.
std::string comparison_json(const Comparison& comparison, const std::vector<KeyChange>& machine);

}  // namespace duet::report
