// The checks of a run: `duet run --check memory,races`.
#pragma once

#include <string>

namespace duet::check {

struct Checks {
  bool memory = false;  // accesses beside allocations, misaligned, to released memory
  bool races = false;   // in a block's shared memory, between commands, of host memory under a copy
  bool init = false;    // reads of unwritten bytes
  bool sync = false;    // barriers that some warps miss
  bool leaks = false;   // allocations left at the program's end
  bool api = false;     // failed calls whose error was not read
  bool model = false;   // of the simulator itself: the rules of hu2016's model (src/model/rules.h)

  bool of_kernels() const { return memory || races || init || sync; }
  bool any() const { return of_kernels() || leaks || api || model; }
};

// Words with commas between. Throws duet::Error with one line for an unknown word.
Checks checks_of(const std::string& words);
std::string text_of(const Checks& checks);

}  // namespace duet::check
