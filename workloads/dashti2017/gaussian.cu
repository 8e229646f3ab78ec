// dashti2017 Figure 4, gaussian: linear equations, solved by elimination. For each column a kernel makes the multipliers of the rows below it,
// a second one subtracts the row from all of them; the host waits for each kernel, and solves the triangle that is left. In the second
// kernel neighbours are rows, so a warp's accesses are a row apart: each is a request of its own. `gaussian --size 96`.
#include "../common/random.h"
#include "application.h"

extern "C" __global__ void make_multipliers(float* multipliers, const float* a, int size, int column) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= size - 1 - column) return;
  const int row = own + column + 1;
  multipliers[size * row + column] = a[size * row + column] / a[size * column + column];
}

extern "C" __global__ void subtract(const float* multipliers, float* a, float* b, int size, int column) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size - 1 - column || y >= size - column) return;
  const int row = x + column + 1;
  a[size * row + y + column] -= multipliers[size * row + column] * a[size * column + y + column];
  if (y == 0) b[row] -= multipliers[size * row + column] * b[column];
}

namespace {

const int kThreads = 512, kTile = 4;

// The diagonal is larger than the rest of a row.
float element(workload::Random& random, int size, int row, int column) {
  return row == column ? static_cast<float>(size) : random.uniform(0, 1);
}

std::vector<float> solved(const dashti2017::Array<float>& a, const dashti2017::Array<float>& b, int size) {
  std::vector<float> x(size);
  for (int row = size - 1; row >= 0; row--) {
    float left = b[row];
    for (int column = size - 1; column > row; column--) left -= a[size * row + column] * x[column];
    x[row] = left / a[size * row + row];
  }
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("gaussian", "[--size N] [--time all|offload]", argc, argv);
  const dashti2017::Method method = arguments.method();
  const int size = static_cast<int>(arguments.number("size", 32, 2, 4096));
  const dashti2017::Timed timed(arguments);
  arguments.end();

  dashti2017::Array<float> a(method, size_t(size) * size), multipliers(method, size_t(size) * size), b(method, size);
  CHECK_CUDA(cudaDeviceSynchronize());
  timed.inputs();
  workload::Random random(1);
  for (int row = 0; row < size; row++)
    for (int column = 0; column < size; column++) a[size * row + column] = element(random, size, row, column);
  for (int row = 0; row < size; row++) b[row] = 1;
  for (size_t i = 0; i < multipliers.size(); i++) multipliers[i] = 0;
  timed.offload();
  multipliers.to_device();
  a.to_device();
  b.to_device();
  const unsigned tiles = (size + kTile - 1) / kTile;
  for (int column = 0; column < size - 1; column++) {
    make_multipliers<<<(size + kThreads - 1) / kThreads, kThreads>>>(multipliers.device(), a.device(), size, column);
    CHECK_LAUNCH("make_multipliers");
    CHECK_CUDA(cudaDeviceSynchronize());
    subtract<<<dim3(tiles, tiles), dim3(kTile, kTile)>>>(multipliers.device(), a.device(), b.device(), size, column);
    CHECK_LAUNCH("subtract");
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  multipliers.to_host();
  a.to_host();
  b.to_host();
  timed.offloaded();
  const std::vector<float> x = solved(a, b, size);
  timed.results();

  // On the CPU the same elimination, then each element of the triangle, each multiplier and each unknown.
  workload::Random again(1);
  std::vector<float> m(size_t(size) * (size + 1));
  for (int row = 0; row < size; row++)
    for (int column = 0; column <= size; column++)
      m[row * (size + 1) + column] = column == size ? 1 : element(again, size, row, column);
  for (int k = 0; k < size - 1; k++)
    for (int row = k + 1; row < size; row++) {
      const float factor = m[row * (size + 1) + k] / m[k * (size + 1) + k];
      for (int column = k + 1; column <= size; column++) m[row * (size + 1) + column] -= factor * m[k * (size + 1) + column];
      m[row * (size + 1) + k] = factor;
    }
  for (int row = size - 1; row >= 0; row--) {
    float* const own = &m[row * (size + 1)];
    for (int column = 0; column < size; column++) {
      const float value = column < row ? multipliers[size * row + column] : a[size * row + column];
      if (!dashti2017::close_to(value, own[column])) return dashti2017::wrong("gaussian", "element", size * row + column, value, own[column]);
    }
    float unknown = own[size];
    for (int column = row + 1; column < size; column++) unknown -= own[column] * m[column * (size + 1) + size];
    own[size] = unknown / own[row];
    if (!dashti2017::close_to(x[row], own[size])) return dashti2017::wrong("gaussian", "unknown", row, x[row], own[size]);
  }
  printf("PASS gaussian method=%s size=%d\n", dashti2017::name_of(method), size);
  return 0;
}
