// Kernels whose pre-execution programs have wrong addresses to offer: a table that holds wild indices behind
// a guard by data, a pointer that is null and never used by a thread, many launches in a row, and loops that
// go on for as long as the data say. `./hostile [COUNT]`: of threads, a multiple of 256.
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

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1 << 16;
  std::vector<int> index(count), next(count);
  std::vector<float> in(count);
  for (int i = 0; i < count; ++i) {
    index[i] =
        i % 3 == 0 ? static_cast<int>(0x9e3779b9u * static_cast<unsigned>(i)) | 1 << 30 : (i * 7) % count;
    if (i % 6 == 0) index[i] = -index[i];
    next[i] = i % 64 == 63 ? -1 : i + 1;
    in[i] = static_cast<float>(i % 1000);
  }
  int* const device_index = on_device(index);
  int* const device_next = on_device(next);
  float* const device_in = on_device(in);
  float* const device_out = on_device(in);
  int* const device_steps = on_device(index);
  std::vector<float> out(count);
  std::vector<int> steps(count);

  guarded<<<count / 256, 256>>>(device_index, device_in, device_out, count);
  CHECK(cudaMemcpy(out.data(), device_out, count * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const float expected = index[i] >= 0 && index[i] < count ? in[index[i]] : -1.0f;
    if (out[i] != expected) return std::printf("guarded: %d is %f\n", i, out[i]), 1;
    sum += out[i];
  }
  with_null<<<count / 256, 256>>>(device_in, nullptr, device_out, 1 << 28);
  CHECK(cudaMemcpy(out.data(), device_out, count * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; ++i)
    if (out[i] != in[i] + 1.0f) return std::printf("with_null: %d is %f\n", i, out[i]), 1;
  for (int round = 0; round < 8; ++round) as_long_as<<<count / 256, 256>>>(device_next, device_steps);
  CHECK(cudaMemcpy(steps.data(), device_steps, count * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; ++i)
    if (steps[i] != 64 - i % 64) return std::printf("as_long_as: %d is %d\n", i, steps[i]), 1;
  std::printf("right, sum %.0f\n", sum);
  return 0;
}
