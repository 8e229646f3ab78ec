// A Thrust sort and reduction and a CUB reduction and scan, against the host's. Needs the CCCL headers of a
// toolkit.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <vector>

struct Square {
  __host__ __device__ long long operator()(int value) const { return static_cast<long long>(value) * value; }
};

int main() {
  const int count = 5000;
  std::vector<int> values(count);
  unsigned state = 13;
  for (int& value : values) value = static_cast<int>((state = state * 1664525u + 1013904223u) >> 8) % 10007;
  thrust::device_vector<int> device(values.begin(), values.end());
  thrust::device_vector<long long> squares(count);
  thrust::transform(device.begin(), device.end(), squares.begin(), Square());
  const long long sum = thrust::reduce(squares.begin(), squares.end(), 0ll, thrust::plus<long long>());
  long long expected = 0;
  for (int value : values) expected += Square()(value);
  if (sum != expected) return std::printf("FAIL sum of squares is %lld, not %lld\n", sum, expected), 1;

  int* result;
  cudaMalloc(&result, sizeof(int) * count);
  size_t bytes = 0;
  const int* in = thrust::raw_pointer_cast(device.data());
  cub::DeviceReduce::Max(nullptr, bytes, in, result, count);
  thrust::device_vector<char> scratch(bytes);
  cub::DeviceReduce::Max(thrust::raw_pointer_cast(scratch.data()), bytes, in, result, count);
  int largest = 0;
  cudaMemcpy(&largest, result, sizeof largest, cudaMemcpyDeviceToHost);
  if (largest != *std::max_element(values.begin(), values.end())) return std::printf("FAIL largest\n"), 1;

  thrust::sort(device.begin(), device.end());
  thrust::host_vector<int> sorted = device;
  std::sort(values.begin(), values.end());
  if (!std::equal(values.begin(), values.end(), sorted.begin())) return std::printf("FAIL sort\n"), 1;
  // Keys that are no plain integers take the merge sort.
  thrust::sort(device.begin(), device.end(),
               [] __device__(int a, int b) { return a % 100 < b % 100 || (a % 100 == b % 100 && a < b); });
  sorted = device;
  std::sort(values.begin(), values.end(),
            [](int a, int b) { return a % 100 < b % 100 || (a % 100 == b % 100 && a < b); });
  if (!std::equal(values.begin(), values.end(), sorted.begin())) return std::printf("FAIL merge sort\n"), 1;
  std::puts("PASS");
}
