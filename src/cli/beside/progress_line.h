// One line on a terminal with the progress of the simulation, drawn over itself and wiped at the end.
#pragma once

#include <chrono>
#include <string>

#include "report/journal/journal.h"

namespace duet::cli {

class ProgressLine {
 public:
  void draw(const report::Progress& progress);
  void wipe();

 private:
  std::string drawn_;
  std::uint64_t instructions_ = 0;  // at the last drawing
  std::chrono::steady_clock::time_point time_;
  double rate_ = 0;
};

}  // namespace duet::cli
