// Which checks a run makes: `duet run --check memory,races`.
#pragma once

#include <string>

namespace duet::check {

struct Checks {
  bool memory = false;  // accesses beside allocations, misaligned, of what was released
  bool races = false;   // in a block's shared memory, between commands, of host memory under a copy
  bool init = false;    // reads of what nobody has written
  bool sync = false;    // barriers that not all reach
  bool leaks = false;   // what the program has not released at its end
  bool api = false;     // calls that failed and nobody asked
  bool model = false;   // of the simulator itself: the rules of hu2016's model (src/model/rules.h)

  bool of_kernels() const { return memory || races || init || sync; }
  bool any() const { return of_kernels() || leaks || api || model; }
};

// Words with commas between. Throws duet::Error with one line for a word that is no check.
Checks checks_of(const std::string& words);
std::string text_of(const Checks& checks);

}  // namespace duet::check
