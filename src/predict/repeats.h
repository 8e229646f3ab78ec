// Launches that repeat the launches before them: they execute, but are neither recorded nor computed.
//   if (repeats.starts(grid)) ...                             it needs no recording
//   const auto before = memory.moments();                     of a recorded launch
//   repeats.computed(recording, prediction, memory, before);
//   repeats.repeated(recording, memory)                       the prediction of an unrecorded launch
// Launches are alike when they are of one kernel with one grid, their instructions are within 5 %, and their
// time an instruction is within 10 % of the mean of the earlier ones. After three launches alike, whose mean
// is known to 2 % (its standard error, of the last four at most), the next 4 need no recording. When the
// launch after them is alike too, the next 8 need none (16 where the mean is known to 0.5 %), and so on up to
// 64. Their time is the mean, by instructions; where these differ by more than 5 % the next launch is
// recorded. They leave the lines of the last launch in the caches, unless nothing else was there since.
#pragma once

#include <map>
#include <string>

#include "predict/predictor.h"

namespace duet::predict {

// The common part of launches that may repeat: the kernel, its grid and its shared memory.
std::string identity(const gpu::Grid& grid);

class Repeats {
 public:
  bool starts(const gpu::Grid& grid);
  void computed(const KernelRecording& recording, const Prediction& prediction, const MemoryModel& memory,
                const MemoryModel::Moments& before);
  Prediction repeated(const KernelRecording& recording);
  // Puts the lines of uncomputed launches since the last call into the caches. Before each use of the caches.
  void leave_in(MemoryModel& memory);

 private:
  struct Kernel {
    Prediction last;
    std::vector<double> paces;  // of the last computed launches alike
    double instructions = 0;    // of the last computed launch
    double standing = 0;        // of its blocks, counted for others
    unsigned alike = 0;         // computed ones, one after the other
    unsigned at_once = 0;       // the next number of launches without a recording
    unsigned left = 0;          // of them
    MemoryModel::Left left_in_caches;
    std::uint64_t computed_at = 0;
  };
  std::map<std::string, Kernel> kernels_;  // by identity
  std::vector<Kernel*> to_leave_;          // in the order in which they were last launched
  std::uint64_t uses_of_memory_ = 0;       // computed kernels, and copies
};

}  // namespace duet::predict
