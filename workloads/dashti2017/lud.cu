// dashti2017 Figure 4, lud: a matrix is taken apart into a lower and an upper triangle, in place, by tiles of 16 x 16. A step is three
// kernels: the tile on the diagonal, those beside and below it, and all that are left. Each takes its tiles into shared memory, so that
// global memory sees a tile once a kernel; what L2 holds from one kernel to the next is what an uncached matrix loses. `lud --size 256`.
#include "application.h"

namespace {

const int kTile = 16;

}  // namespace

// A thread a column; the first row stays as it is.
extern "C" __global__ void lud_diagonal(float* m, int size, int first) {
  __shared__ float tile[kTile][kTile];
  const int own = threadIdx.x;
  for (int row = 0; row < kTile; row++) tile[row][own] = m[(first + row) * size + first + own];
  __syncthreads();
  for (int step = 0; step < kTile - 1; step++) {
    if (own > step) {
      for (int k = 0; k < step; k++) tile[own][step] -= tile[own][k] * tile[k][step];
      tile[own][step] /= tile[step][step];
    }
    __syncthreads();
    if (own > step)
      for (int k = 0; k <= step; k++) tile[step + 1][own] -= tile[step + 1][k] * tile[k][own];
    __syncthreads();
  }
  for (int row = 1; row < kTile; row++) m[(first + row) * size + first + own] = tile[row][own];
}

// One half of a block solves for a tile right of the diagonal's, a thread a column; the other for one below it, a thread a row.
extern "C" __global__ void lud_perimeter(float* m, int size, int first) {
  __shared__ float diagonal[kTile][kTile], right[kTile][kTile], below[kTile][kTile];
  const bool upper = threadIdx.x < kTile;
  const int own = threadIdx.x % kTile, other = first + (blockIdx.x + 1) * kTile;
  const int half = upper ? 0 : kTile / 2;
  for (int row = half; row < half + kTile / 2; row++) diagonal[row][own] = m[(first + row) * size + first + own];
  for (int row = 0; row < kTile; row++) {
    if (upper)
      right[row][own] = m[(first + row) * size + other + own];
    else
      below[row][own] = m[(other + row) * size + first + own];
  }
  __syncthreads();
  if (upper) {
    for (int row = 1; row < kTile; row++)
      for (int k = 0; k < row; k++) right[row][own] -= diagonal[row][k] * right[k][own];
  } else {
    for (int column = 0; column < kTile; column++) {
      for (int k = 0; k < column; k++) below[own][column] -= below[own][k] * diagonal[k][column];
      below[own][column] /= diagonal[column][column];
    }
  }
  __syncthreads();
  if (upper) {
    for (int row = 1; row < kTile; row++) m[(first + row) * size + other + own] = right[row][own];
  } else {
    for (int row = 0; row < kTile; row++) m[(other + row) * size + first + own] = below[row][own];
  }
}

// A thread an element.
extern "C" __global__ void lud_internal(float* m, int size, int first) {
  __shared__ float right[kTile][kTile], below[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = first + (blockIdx.y + 1) * kTile + y, column = first + (blockIdx.x + 1) * kTile + x;
  right[y][x] = m[(first + y) * size + column];
  below[y][x] = m[row * size + first + x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < kTile; k++) sum += below[y][k] * right[k][x];
  m[row * size + column] -= sum;
}

namespace {

// The further from the diagonal, the smaller.
std::vector<float> by_distance(int size) {
  std::vector<float> values(size);
  for (int i = 0; i < size; i++) values[i] = 10.0f / static_cast<float>(1 + i);
  return values;
}

void take_apart_on_cpu(std::vector<float>& m, int size) {
  for (int k = 0; k < size; k++)
    for (int row = k + 1; row < size; row++) {
      const float factor = m[row * size + k] /= m[k * size + k];
      for (int column = k + 1; column < size; column++) m[row * size + column] -= factor * m[k * size + column];
    }
}

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("lud", "[--size N] [--time all|offload], N a multiple of 16", argc, argv);
  const dashti2017::Method method = arguments.method();
  const int size = static_cast<int>(arguments.number("size", 64, kTile, 4096)) / kTile * kTile;
  const dashti2017::Timed timed(arguments);
  arguments.end();

  const std::vector<float> values = by_distance(size);
  std::vector<float> result(size_t(size) * size), expected(size_t(size) * size);
  for (size_t i = 0; i < expected.size(); i++) expected[i] = values[abs(static_cast<int>(i / size) - static_cast<int>(i % size))];
  dashti2017::Array<float> m(method, size_t(size) * size);
  CHECK_CUDA(cudaDeviceSynchronize());
  timed.inputs();
  for (int row = 0; row < size; row++)
    for (int column = 0; column < size; column++) m[row * size + column] = values[abs(row - column)];
  timed.offload();
  m.to_device();
  for (int first = 0; first < size; first += kTile) {
    const unsigned left = size / kTile - first / kTile - 1;
    lud_diagonal<<<1, kTile>>>(m.device(), size, first);
    CHECK_LAUNCH("lud_diagonal");
    if (left == 0) break;
    lud_perimeter<<<left, 2 * kTile>>>(m.device(), size, first);
    CHECK_LAUNCH("lud_perimeter");
    lud_internal<<<dim3(left, left), dim3(kTile, kTile)>>>(m.device(), size, first);
    CHECK_LAUNCH("lud_internal");
  }
  m.to_host();
  timed.offloaded();
  for (size_t i = 0; i < result.size(); i++) result[i] = m[i];
  timed.results();

  take_apart_on_cpu(expected, size);
  for (size_t i = 0; i < result.size(); i++)
    if (!dashti2017::close_to(result[i], expected[i])) return dashti2017::wrong("lud", "element", i, result[i], expected[i]);
  printf("PASS lud method=%s size=%d\n", dashti2017::name_of(method), size);
  return 0;
}
