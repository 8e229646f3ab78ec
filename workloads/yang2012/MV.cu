// yang2012 Table 1, matrix-vector multiplication (MV): c = A b, where A has --size rows of --width columns.
// `MV` multiplies 65536 rows of 16 columns with 65536 threads, 256 a block: one thread a row. The paper wrote
// the program itself, optimised it to match CUBLAS, and does not show it. Form `direct` has a thread walk its
// row, so that a warp's loads lie 64 bytes apart and depend on L1 for the rest of each line: the caching that
// section 4.2 gives as the reason why MV is not steady. Form `shared` is our reading of an optimised one: a
// block brings eight columns of its 256 rows into shared memory (8 KB), neighbours in a row by neighbouring
// threads.
#include "benchmark.h"

namespace {

using namespace yang2012;

enum { kWidth };
enum { kDirect, kShared };
const Spec kSpec = {"MV",
                    "rows, a multiple of 256",
                    1u << 16,
                    256,
                    1u << 20,
                    256,
                    {{"--width", "columns, a multiple of 8 for form shared", 16, 1, 1024}},
                    {"direct", "shared"}};
const unsigned kThreads = 256;
const unsigned kColumns = 8;  // in shared memory at a time

// Where an element lies in shared memory: the rows of a warp, four of which fill the banks, are turned
// against each other, so that both a warp's stores along rows and its loads down a column find 32 different
// banks.
__device__ unsigned skewed(unsigned row, unsigned column) {
  return row * kColumns + (column + row / 4) % kColumns;
}

}  // namespace

extern "C" __global__ void mv_direct(const float* a, const float* b, float* c, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < width; i++) sum += a[row * width + i] * b[i];
  c[row] = sum;
}

extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    mv_shared(const float* a, const float* b, float* c, int width) {
  __shared__ float part[kThreads * kColumns];
  const int first_row = blockIdx.x * kThreads;
  const int column = threadIdx.x % kColumns, row = threadIdx.x / kColumns;
  float sum = 0;
  for (int first = 0; first < width; first += kColumns) {
#pragma unroll 1
    for (int i = row; i < static_cast<int>(kThreads); i += kThreads / kColumns)
      part[skewed(i, column)] = a[(first_row + i) * width + first + column];
    __syncthreads();
#pragma unroll 4
    for (int i = 0; i < static_cast<int>(kColumns); i++) sum += part[skewed(threadIdx.x, i)] * b[first + i];
    __syncthreads();
  }
  c[first_row + threadIdx.x] = sum;
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv, kSpec);
  const unsigned height = options.size, width = options.extra[kWidth];
  if (options.form == kShared) require_multiple(kSpec, "--width", width, kColumns);
  const size_t count = static_cast<size_t>(width) * height;
  if (count > 1u << 27) workload::usage_error(kSpec.program, "too many elements in", "the matrix");
  Array<float> a(options.memory, count), b(options.memory, width), c(options.memory, height);
  workload::Random random(options.seed);
  for (size_t i = 0; i < count; i++) a[i] = random.uniform(-1.0f, 1.0f);
  for (unsigned i = 0; i < width; i++) b[i] = random.uniform(-1.0f, 1.0f);

  const Geometry geometry = {height / kThreads, kThreads};
  const auto kernel = options.form == kShared ? mv_shared : mv_direct;
  duetMark("data ready");
  a.to_device();
  b.to_device();
  begin(options);
  for (unsigned i = 0; i < options.repeat; i++) {
    kernel<<<geometry.grid, geometry.block>>>(a.device(), b.device(), c.device(), static_cast<int>(width));
    CHECK_LAUNCH("mv");
  }
  c.to_host();
  duetMark("finish");

  Check check(kSpec);
  for (unsigned row = 0; row < height; row++) {
    double sum = 0, magnitude = 0;
    for (unsigned i = 0; i < width; i++) {
      const double term = static_cast<double>(a[static_cast<size_t>(row) * width + i]) * b[i];
      sum += term;
      magnitude += fabs(term);
    }
    check.element("element", row, c[row], sum, 6e-8 * (width + 1) * magnitude);
  }
  return check.finish(options, geometry, "(width+1)*6e-8*sum|a*b|");
}
