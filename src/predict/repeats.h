// Launches that do again what those before them did: they execute, but are neither recorded nor computed.
//   if (repeats.starts(grid)) ...                             it needs no recording
//   const auto before = memory.moments();                     of one that was recorded
//   repeats.computed(recording, prediction, memory, before);
//   repeats.repeated(recording, memory)                       the prediction of one that was not
// After three launches alike (of one kernel, with one grid: instructions within 5 %, time an instruction
// within 10 % of the mean of those before) whose mean is known to 2 % (its standard error, of the last four
// at most) the next 4 need none; when the one after them is alike too, 8 (16 where the mean is known to 0.5
// %), and so on up to 64. The time of those is that mean, by instructions; where they differ by more than 5 %
// the next launch is recorded. What the last one left in the caches they leave too, unless nothing else was
// there since.
#pragma once

#include <map>
#include <string>

#include "predict/predictor.h"

namespace duet::predict {

// What launches have in common that may repeat: the kernel, its grid and its shared memory.
std::string identity(const gpu::Grid& grid);

class Repeats {
 public:
  bool starts(const gpu::Grid& grid);
  void computed(const KernelRecording& recording, const Prediction& prediction, const MemoryModel& memory,
                const MemoryModel::Moments& before);
  Prediction repeated(const KernelRecording& recording);
  // What launches that were not computed have left in the caches since the last call. Before each use of
  // them.
  void leave_in(MemoryModel& memory);

 private:
  struct Kernel {
    Prediction last;
    std::vector<double> paces;  // of the last ones that were computed and alike
    double instructions = 0;    // of the last one that was computed
    double standing = 0;        // of its blocks that stand for others
    unsigned alike = 0;         // computed ones, one after the other
    unsigned at_once = 0;       // launches that need no recording, the next time
    unsigned left = 0;          // of them
    MemoryModel::Left left_in_caches;
    std::uint64_t computed_at = 0;
  };
  std::map<std::string, Kernel> kernels_;  // by identity
  std::vector<Kernel*> to_leave_;          // in the order in which they were last launched
  std::uint64_t uses_of_memory_ = 0;       // kernels that were computed, and copies
};

}  // namespace duet::predict
