// Kernels whose pre-execution programs have wrong addresses to offer: a table that holds wild indices behind
// a guard by data, a pointer that is null and never used by a thread, many launches in a row, and loops that
// go on for as long as the data say.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                               \
  do {                                                            \
    if (const cudaError_t error = (call); error != cudaSuccess) { \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
      std::exit(1);                                               \
    }                                                             \
  } while (0)

constexpr int kCount = 1 << 16;

extern "C" __global__ void guarded(const int* index, const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = index[i];
  out[i] = at >= 0 && at < n ? in[at] : -1.0f;
}

extern "C" __global__ void with_null(const float* in, const float* never, float* out, int use) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = in[i];
  if (value > 1e30f) value += never[i + use];  // guarded by data: no thread gets here
  out[i] = value + 1.0f;
}

extern "C" __global__ void as_long_as(const int* next, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = i, steps = 0;
  while (at >= 0) at = next[at], ++steps;
  out[i] = steps;
}

template <typename T>
T* on_device(const std::vector<T>& values) {
  T* device = nullptr;
  CHECK(cudaMalloc(&device, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

int main() {
  std::vector<int> index(kCount), next(kCount);
  std::vector<float> in(kCount);
  for (int i = 0; i < kCount; ++i) {
    index[i] =
        i % 3 == 0 ? static_cast<int>(0x9e3779b9u * static_cast<unsigned>(i)) | 1 << 30 : (i * 7) % kCount;
    if (i % 6 == 0) index[i] = -index[i];
    next[i] = i % 64 == 63 ? -1 : i + 1;
    in[i] = static_cast<float>(i % 1000);
  }
  int* const device_index = on_device(index);
  int* const device_next = on_device(next);
  float* const device_in = on_device(in);
  float* const device_out = on_device(in);
  int* const device_steps = on_device(index);
  std::vector<float> out(kCount);
  std::vector<int> steps(kCount);

  guarded<<<kCount / 256, 256>>>(device_index, device_in, device_out, kCount);
  CHECK(cudaMemcpy(out.data(), device_out, kCount * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < kCount; ++i) {
    const float expected = index[i] >= 0 && index[i] < kCount ? in[index[i]] : -1.0f;
    if (out[i] != expected) return std::printf("guarded: %d is %f\n", i, out[i]), 1;
    sum += out[i];
  }
  with_null<<<kCount / 256, 256>>>(device_in, nullptr, device_out, 1 << 28);
  CHECK(cudaMemcpy(out.data(), device_out, kCount * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i)
    if (out[i] != in[i] + 1.0f) return std::printf("with_null: %d is %f\n", i, out[i]), 1;
  for (int round = 0; round < 8; ++round) as_long_as<<<kCount / 256, 256>>>(device_next, device_steps);
  CHECK(cudaMemcpy(steps.data(), device_steps, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i)
    if (steps[i] != 64 - i % 64) return std::printf("as_long_as: %d is %d\n", i, steps[i]), 1;
  std::printf("right, sum %.0f\n", sum);
  return 0;
}
