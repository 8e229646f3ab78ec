// Every vector type through every make function, dim3, templates, lambdas, standard headers, and the memory spaces.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "cuda_profiler_api.h"
#include "device_launch_parameters.h"
#include "duet.h"
#include "math_constants.h"

#define CHECK_LAYOUT(name, size, alignment) static_assert(sizeof(name) == size && alignof(name) == alignment, #name)
CHECK_LAYOUT(char2, 2, 2);
CHECK_LAYOUT(char3, 3, 1);
CHECK_LAYOUT(char4, 4, 4);
CHECK_LAYOUT(ushort4, 8, 8);
CHECK_LAYOUT(int2, 8, 8);
CHECK_LAYOUT(int3, 12, 4);
CHECK_LAYOUT(uint4, 16, 16);
CHECK_LAYOUT(longlong2, 16, 16);
CHECK_LAYOUT(longlong4, 32, 16);
CHECK_LAYOUT(float2, 8, 8);
CHECK_LAYOUT(float3, 12, 4);
CHECK_LAYOUT(float4, 16, 16);
CHECK_LAYOUT(double2, 16, 16);
CHECK_LAYOUT(double4, 32, 16);
CHECK_LAYOUT(double4_32a, 32, 32);

__constant__ float coefficients[16];
__device__ int counter;
__device__ __constant__ int limits[2] = {1, 2};

template <class V1, class V2, class V3, class V4>
__device__ double sum(V1 a, V2 b, V3 c, V4 d) {
  return (double)a.x + b.x + b.y + c.x + c.y + c.z + d.x + d.y + d.z + d.w;
}
#define SUM(name) \
  total += sum(make_##name##1(1), make_##name##2(1, 2), make_##name##3(1, 2, 3), make_##name##4(1, 2, 3, 4))

__global__ void vectors(double* out) {
  double total = 0;
  SUM(char);
  SUM(uchar);
  SUM(short);
  SUM(ushort);
  SUM(int);
  SUM(uint);
  SUM(long);
  SUM(ulong);
  SUM(longlong);
  SUM(ulonglong);
  SUM(float);
  SUM(double);
  out[threadIdx.x] = total;
}

__host__ __device__ inline float twice(float x) { return x + x; }

template <int N, class T>
__global__ void __launch_bounds__(256, 2) spaces(T* __restrict__ data, const int n, const float4* __restrict__ quads) {
  __shared__ T tile[N];
  extern __shared__ __align__(16) unsigned char dynamic[];
  T* scratch = reinterpret_cast<T*>(dynamic);
  const dim3 block(blockDim), grid = gridDim;
  const uint3 thread = threadIdx;
  const int i = blockIdx.x * block.x + thread.x;
  tile[threadIdx.x % N] = i < n ? data[i] : T(0);
  scratch[threadIdx.x] = tile[0];
  __syncthreads();
  auto scale = [=](T v) { return v * T(coefficients[i & 15]) + T(limits[1]) + T(grid.y) + T(warpSize); };
  const float4 q = quads[i];
  if (i < n) data[i] = scale(scratch[(threadIdx.x + 1) % block.x]) + T(twice(q.w)) + T(std::max(q.x, q.y));
  if (threadIdx.x == 0) atomicAdd(&counter, 1);
}

template <class F>
__global__ void apply(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

struct Functor {
  float* data;
  __device__ void operator()(int i) const { data[i] *= CUDART_PI_F; }
};

int main() {
  std::vector<float> host(256);
  std::mt19937 random(1);
  std::generate(host.begin(), host.end(), [&] { return std::uniform_real_distribution<float>(0, 1)(random); });
  const auto start = std::chrono::steady_clock::now();
  float* device = nullptr;
  float4* quads = nullptr;
  double* sums = nullptr;
  if (cudaMalloc(&device, sizeof(float) * host.size()) != cudaSuccess) std::cerr << "no memory\n";
  cudaMalloc((void**)&quads, sizeof(float4) * host.size());
  cudaMallocManaged(&sums, 32 * sizeof(double));
  cudaMemcpy(device, host.data(), sizeof(float) * host.size(), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(coefficients, host.data(), sizeof(coefficients));
  cudaStream_t stream;
  cudaEvent_t event;
  cudaStreamCreate(&stream);
  cudaEventCreate(&event, cudaEventDisableTiming);
  cudaFuncSetAttribute(spaces<32, float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, spaces<32, float>);
  int grid = 0, block = 0, blocks = 0;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, vectors, 0, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, spaces<32, float>, 128, 0);
  vectors<<<1, 32>>>(sums);
  spaces<32><<<dim3(8), dim3(32, 1), 32 * sizeof(float), stream>>>(device, 256, quads);
  apply<<<2, 64>>>(256, Functor{device});
  int n = 256;
  const float4* constant_quads = quads;
  void* arguments[] = {&device, &n, &constant_quads};
  cudaLaunchKernel(spaces<32, float>, dim3(8), dim3(32), arguments, 128, stream);
  cudaLaunchConfig_t config = {};
  config.gridDim = 8;
  config.blockDim = dim3(32);
  cudaLaunchKernelEx(&config, spaces<32, float>, device, 256, constant_quads);
  void* address = nullptr;
  size_t bytes = 0;
  cudaGetSymbolAddress(&address, counter);
  cudaGetSymbolSize(&bytes, coefficients);
  cudaMemPrefetchAsync(sums, 256, 0, stream);
  cudaMemPrefetchAsync(sums, 256, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, stream);
  cudaLaunchHostFunc(stream, [](void*) {}, nullptr);
  duetMark("end");
  duetHostWork(100);
  std::complex<float> z(1, 2);
  std::cout << std::abs(z) << ' ' << std::string("time ") << (std::chrono::steady_clock::now() - start).count() << ' ' << duetTimeNs()
            << ' ' << rsqrtf(4.f) << ' ' << max(1, 2) << ' ' << min(2.f, 3.0) << std::sin(1.f) << '\n';
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
