// yang2012 Table 1, transpose-matrix-vector multiplication (TMV): c = A^T b, where A has --rows rows and
// --size columns. `TMV` multiplies 2048 rows of 512 columns with 512 threads, 256 a block: one thread a
// column, so that a warp reads 128 consecutive bytes of each row. Form `figure9` is the loop of the paper's
// Figure 9a: two loads a turn, b's the same for all threads. The paper calls that simplified; what it ran was
// optimised to match CUBLAS, and is not shown. Form `shared` is our reading of it: a block brings 256
// elements of b into shared memory at a time, and the loop over them is unrolled. With 512 threads, a column
// cannot be split further.
#include "benchmark.h"

namespace {

using namespace yang2012;

enum { kRows };
enum { kFigure9, kShared };
const Spec kSpec = {"TMV",
                    "columns, a multiple of 256",
                    512,
                    256,
                    1u << 16,
                    256,
                    {{"--rows", "of the matrix, a multiple of 256 for form shared", 2048, 1, 1u << 16}},
                    {"figure9", "shared"}};
const unsigned kThreads = 256;

}  // namespace

extern "C" __global__ void tmv_figure9(const float* a, const float* b, float* c, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < height; i++) sum += a[i * width + x] * b[i];
  c[x] = sum;
}

extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    tmv_shared(const float* a, const float* b, float* c, int width, int height) {
  __shared__ float part[kThreads];
  const int x = blockIdx.x * kThreads + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < height; first += kThreads) {
    part[threadIdx.x] = b[first + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int i = 0; i < static_cast<int>(kThreads); i++) sum += a[(first + i) * width + x] * part[i];
    __syncthreads();
  }
  c[x] = sum;
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv, kSpec);
  const unsigned width = options.size, height = options.extra[kRows];
  if (options.form == kShared) require_multiple(kSpec, "--rows", height, kThreads);
  const size_t count = static_cast<size_t>(width) * height;
  if (count > 1u << 27) workload::usage_error(kSpec.program, "too many elements in", "the matrix");
  Array<float> a(options.memory, count), b(options.memory, height), c(options.memory, width);
  workload::Random random(options.seed);
  for (size_t i = 0; i < count; i++) a[i] = random.uniform(-1.0f, 1.0f);
  for (unsigned i = 0; i < height; i++) b[i] = random.uniform(-1.0f, 1.0f);

  const Geometry geometry = {width / kThreads, kThreads};
  const auto kernel = options.form == kShared ? tmv_shared : tmv_figure9;
  duetMark("data ready");
  a.to_device();
  b.to_device();
  begin(options);
  for (unsigned i = 0; i < options.repeat; i++) {
    kernel<<<geometry.grid, geometry.block>>>(a.device(), b.device(), c.device(), static_cast<int>(width),
                                              static_cast<int>(height));
    CHECK_LAUNCH("tmv");
  }
  c.to_host();
  duetMark("finish");

  std::vector<double> sum(width), magnitude(width);
  for (unsigned i = 0; i < height; i++)
    for (unsigned x = 0; x < width; x++) {
      const double term = static_cast<double>(a[static_cast<size_t>(i) * width + x]) * b[i];
      sum[x] += term;
      magnitude[x] += fabs(term);
    }
  Check check(kSpec);
  for (unsigned x = 0; x < width; x++)
    check.element("element", x, c[x], sum[x], 6e-8 * (height + 1) * magnitude[x]);
  return check.finish(options, geometry, "(rows+1)*6e-8*sum|a*b|");
}
