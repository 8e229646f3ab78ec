// dashti2017 Figure 4, gaussian: linear equations, solved by elimination. For each column a kernel makes the multipliers of the rows below it,
// a second one subtracts the row from all of them; the host waits for each kernel, and solves the triangle that is left. In the second
// kernel neighbours are rows, so a warp's accesses are a row apart: each is a request of its own. `gaussian --size 96`.
// `--cpus 4` (Figure 7): of the rows that are left the GPU has the first half, the cores the other, at the same time, and they bring each other
// theirs after each column; with managed memory in turn.
#include "../common/random.h"
#include "application.h"
#include "cores.h"

extern "C" __global__ void make_multipliers(float* multipliers, const float* a, int size, int column, int rows) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= rows) return;
  const int row = own + column + 1;
  multipliers[size * row + column] = a[size * row + column] / a[size * column + column];
}

extern "C" __global__ void subtract(const float* multipliers, float* a, float* b, int size, int column, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= rows || y >= size - column) return;
  const int row = x + column + 1;
  a[size * row + y + column] -= multipliers[size * row + column] * a[size * column + y + column];
  if (y == 0) b[row] -= multipliers[size * row + column] * b[column];
}

namespace {

const int kThreads = 512, kTile = 4, kLine = 16;  // floats of a line of the cores

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
  dashti2017::Arguments arguments("gaussian", "[--size N] [--cpus N] [--time all|offload]", argc, argv);
  const dashti2017::Method method = arguments.method();
  const int size = static_cast<int>(arguments.number("size", 32, 2, 4096));
  const auto cpus = static_cast<unsigned>(arguments.number("cpus", 0, 0, 64));
  const dashti2017::Timed timed(arguments);
  arguments.end();
  if (cpus > 0 && size % kLine != 0) workload::usage_error("gaussian", "with --cpus the size is a multiple of 16, not", std::to_string(size).c_str());

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
  const bool in_turn = method == dashti2017::Method::kManaged, copied = method == dashti2017::Method::kDevice;
  dashti2017::Cores cores(cpus);
  for (int column = 0; column < size - 1; column++) {
    // The GPU's rows are those before `middle`. No line has rows of both.
    const int first = column + 1, half = (first + size) / 2 / kLine * kLine, middle = cpus == 0 ? size : half < first ? first : half;
    const int rows = middle - first;
    if (rows > 0) {
      make_multipliers<<<(rows + kThreads - 1) / kThreads, kThreads>>>(multipliers.device(), a.device(), size, column, rows);
      CHECK_LAUNCH("make_multipliers");
      if (cpus == 0) CHECK_CUDA(cudaDeviceSynchronize());
      subtract<<<dim3(cpus == 0 ? tiles : (rows + kTile - 1) / kTile, tiles), dim3(kTile, kTile)>>>(multipliers.device(), a.device(), b.device(),
                                                                                                  size, column, rows);
      CHECK_LAUNCH("subtract");
    }
    if (cpus == 0 || in_turn) CHECK_CUDA(cudaDeviceSynchronize());
    if (cpus == 0) continue;
    cores.loop(middle, size, [&](int row) {
      const float factor = a[size * row + column] / a[size * column + column];
      multipliers[size * row + column] = factor;
      for (int i = column; i < size; i++) a[size * row + i] -= factor * a[size * column + i];
      b[row] -= factor * b[column];
    });
    CHECK_CUDA(cudaDeviceSynchronize());
    const auto copy = [&](float* to, const float* from, int count, cudaMemcpyKind kind) {
      if (copied && count > 0) CHECK_CUDA(cudaMemcpy(to, from, count * sizeof(float), kind));
    };
    copy(&a[size * first], a.device() + size * first, size * rows, cudaMemcpyDeviceToHost);
    copy(&b[first], b.device() + first, rows, cudaMemcpyDeviceToHost);
    copy(&multipliers[size * first], multipliers.device() + size * first, size * rows, cudaMemcpyDeviceToHost);
    copy(a.device() + size * middle, &a[size * middle], size * (size - middle), cudaMemcpyHostToDevice);
    copy(b.device() + middle, &b[middle], size - middle, cudaMemcpyHostToDevice);
    copy(multipliers.device() + size * middle, &multipliers[size * middle], size * (size - middle), cudaMemcpyHostToDevice);
    for (const auto* array : {&a, &b, &multipliers}) array->give_up(), array->take_back();
  }
  for (const auto* array : {&multipliers, &a, &b})
    if (cpus == 0) array->to_host();
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
