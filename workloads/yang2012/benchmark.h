// What the nine benchmarks of yang2012 Table 1 share: options, arrays, and the check that ends each of them
// with one line, `PASS VecAdd size=... threads=... blocks=... checked=... tolerance=... worst=...` (the
// largest error, as a part of its tolerance), or with the first element that is wrong and status 1. Also the
// kernel that makes a start cold (--start cold). Leaves out the kernels and their references: a program each.
#pragma once

#include <math.h>

#include "memory.h"

// Reads all of the words; it writes only what keeps the compiler from dropping that.
extern "C" __global__ void cold_stream(const uint4* words, unsigned count, unsigned* sink) {
  const unsigned stride = gridDim.x * blockDim.x;
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 word = words[i];
    sum += word.x ^ word.y ^ word.z ^ word.w;
  }
  if (sum != 0) *sink = sum;
}

namespace yang2012 {

// With --start cold the kernels that follow in the stream find nothing of their data in any cache. What is
// read is what happens to lie there, and is never shown.
inline void begin(const Options& options) {
  if (options.start != Start::kCold) return;
  void* scratch = nullptr;
  CHECK_CUDA(cudaMalloc(&scratch, options.scratch));
  const unsigned count = options.scratch / sizeof(uint4);
  cold_stream<<<64, 128>>>(static_cast<const uint4*>(scratch), count, static_cast<unsigned*>(scratch));
  CHECK_LAUNCH("cold_stream");
  CHECK_CUDA(cudaFree(scratch));
}

// Threads of one launch, as Table 1 counts them.
struct Geometry {
  dim3 grid, block;
  size_t blocks() const { return static_cast<size_t>(grid.x) * grid.y * grid.z; }
  size_t threads_per_block() const { return static_cast<size_t>(block.x) * block.y * block.z; }
};

// What kernels of 256 threads ask for that would otherwise have more registers than two blocks find on the SM
// of yang2012 section 3 (8K registers): 16 a thread there, and no change on larger machines.
const int kBlocksPerSm = 2;

class Check {
 public:
  explicit Check(const Spec& spec) : spec_(spec) {}

  // Right when at most `tolerance` from what is expected; not a number is wrong.
  void element(const char* what, size_t i, double found, double expected, double tolerance) {
    checked_++;
    const double error = fabs(found - expected);
    if (error <= tolerance) {
      if (error > worst_ * tolerance) worst_ = error / tolerance;
      return;
    }
    if (wrong_++ == 0)
      fprintf(stderr, "%s: %s %zu is %.9g, expected %.9g within %.3g\n", spec_.program, what, i, found,
              expected, tolerance);
  }

  // Prints the line and returns the exit status. `tolerance` says in words what `element` was given.
  int finish(const Options& options, const Geometry& geometry, const char* tolerance) const {
    if (wrong_ != 0 || checked_ == 0) {
      fprintf(stderr, "%s: %zu of %zu values are wrong\n", spec_.program, wrong_, checked_);
      return 1;
    }
    printf("PASS %s size=%u threads=%zu blocks=%zux%zu checked=%zu tolerance=%s worst=%.2f\n", spec_.program,
           options.size, geometry.blocks() * geometry.threads_per_block(), geometry.blocks(),
           geometry.threads_per_block(), checked_, tolerance, worst_);
    return 0;
  }

 private:
  const Spec& spec_;
  size_t checked_ = 0, wrong_ = 0;
  double worst_ = 0;  // error over its tolerance
};

}  // namespace yang2012
