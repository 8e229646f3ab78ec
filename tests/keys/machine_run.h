// A workload on a machine, in a process of its own, and everything that can be seen of it. What two runs have
// in common says whether a key has an effect.
#pragma once

#include <string>
#include <vector>

namespace duet::keys {

struct Outcome {
  std::string time;     // simulated time, all statistics of all components, what device code read of clocks
  std::string told;     // what the program is told, and what its calls answer
  std::string refused;  // why there was no run; the others are empty then
};

// What a workload is told, a line each; goes into Outcome::told.
class Told {
 public:
  // The thread's clock, of which Outcome::time is then told.
  void note_clock();
  const std::string& clocks() const { return clocks_; }
  void say(const std::string& line) { text_ += line + '\n'; }
  const std::string& text() const { return text_; }

 private:
  std::string text_, clocks_;
};

using Workload = void (*)(Told& told);

// `sets` on gtx580, or on the machine that `machine` names.
Outcome run(const std::string& machine, const std::vector<std::string>& sets, bool functional,
            Workload workload);

}  // namespace duet::keys
