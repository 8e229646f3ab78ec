// What `duet predict --sampled` leaves out, and what of it others notice. `sampled NAME`, of those in main().
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int kBlocks = 1024, kThreads = 128, kCount = kBlocks * kThreads;

__global__ void values(const float* from, float* to, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float near[kThreads];
  near[threadIdx.x] = from[i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < rounds; k++) sum += near[(threadIdx.x + k) % kThreads] * k;
  if (i % 3 == 0) sum = sqrtf(sum);
  to[i] = sum;
}

__global__ void make_indices(int* to, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = (i * step + 1) % kCount;
}

__global__ void by_indices(const int* index, const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[index[i]];
}

// Decides by what it writes.
__global__ void follow_indices(int* index) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  index[i] = index[index[i]];
}

// Long warps, the longer the later; no loop of them only counts.
__global__ void longer(const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  unsigned at = i;
#pragma unroll 1
  for (int k = 0; k < 20 * (300 + static_cast<int>(blockIdx.x)); k++) {
    at = at * 1664525 + 1013904223;
    if (at & 1) at ^= 0x55;
    if (k % 64 == 0) sum += from[at % kThreads];
  }
  to[i] = sum;
}

// Of the blocks between the windows only some do anything.
__global__ void some(const float* from, float* to, int blocks) {
  if (blockIdx.x >= blocks) return;
  float sum = 0;
  for (int k = 0; k < 100; k++) sum += from[(threadIdx.x + k) % kThreads];
  to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Its control comes of shared memory, its data of nowhere else.
__global__ void by_shared(float* to) {
  __shared__ int rounds[kThreads];
  rounds[threadIdx.x] = threadIdx.x % 7;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < rounds[kThreads - 1 - threadIdx.x]; k++) sum += to[k];
  to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Loops that only count, and some that do not.
__global__ void loops(const float* from, float* to, int n, long long m, int step, unsigned long long far) {
  float sum = 1;
#pragma unroll 1
  for (int i = 0; i < n; i += step) sum = sum * from[i & 63] + 1;
#pragma unroll 1
  for (int i = n; i > static_cast<int>(threadIdx.x % 5); i -= 3) sum = sum * from[i & 63] + 2;
  for (unsigned i = threadIdx.x; i < static_cast<unsigned>(n); i += blockDim.x) sum = sum * from[i & 63] + 3;
#pragma unroll 1
  for (long long i = m; i >= 0; i -= 7) sum = sum * from[i & 63] + 4;
#pragma unroll 1
  for (unsigned long long i = far - threadIdx.x; i != far; ++i) sum = sum * from[i & 63] + 5;
  for (int j = 0; j < n / 8; j++)
    for (int i = threadIdx.x; i <= j; i++) sum = sum * from[(i ^ j) & 63] + 6;
  for (int i = 0; i < n; i++) {
    if (i % 7 == threadIdx.x % 7) sum = sum * from[i & 63] + 7;
    if (i % 64 == 0) to[i & 63] = sum;
  }
#pragma unroll 1
  for (unsigned char i = 250; i != 3; ++i) sum = sum * from[i & 63] + 8;  // wraps
  int k = 0;
  do {
    sum = sqrtf(sum);
    k += 5;
  } while (k <= n);
  to[64 + blockIdx.x * blockDim.x + threadIdx.x] = sum + k;
}

int done(const char* what) {
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s: %s\n", what, error == cudaSuccess ? "done" : cudaGetErrorString(error));
  return error != cudaSuccess;
}

}  // namespace

int main(int count, char** words) {
  const char* const what = count > 1 ? words[1] : "";
  const auto is = [&](const char* name) { return std::strcmp(what, name) == 0; };
  float *a, *b;
  int *index, *other;
  for (float** p : {&a, &b}) cudaMalloc(p, kCount * sizeof(float));
  for (int** p : {&index, &other}) cudaMalloc(p, kCount * sizeof(int));
  std::vector<int> ones(kCount, 1);
  if (is("VALUES")) {
    values<<<kBlocks, kThreads>>>(a, b, 40);
  } else if (is("SOME")) {
    some<<<2 * kBlocks, kThreads>>>(a, b, kBlocks / 2);
  } else if (is("SHARED")) {
    by_shared<<<kBlocks, kThreads>>>(a);
  } else if (is("AGAIN")) {
    for (int i = 0; i < 100; i++) values<<<kBlocks, kThreads>>>(i % 2 ? a : b, i % 2 ? b : a, 40);
  } else if (is("LONGER")) {
    longer<<<300, kThreads>>>(a, b);
  } else if (is("AGAIN_BY_DATA") || is("AGAIN_READ")) {
    cudaMemset(index, 0, kCount * sizeof(int));
    for (int i = 0; i < 100; i++) {
      by_indices<<<kBlocks, kThreads>>>(index, a, b);
      if (is("AGAIN_READ")) cudaMemcpy(ones.data(), b, sizeof(int), cudaMemcpyDeviceToHost);
    }
  } else if (is("AGAIN_OWN_DATA")) {
    cudaMemset(index, 0, kCount * sizeof(int));
    for (int i = 0; i < 100; i++) follow_indices<<<kBlocks, kThreads>>>(index);
  } else if (is("LOOPS")) {
    for (int i = 0; i < 20; i++) loops<<<2, 96>>>(a, b, 500 + i, 900, 3, 1ull << 40);
  } else if (is("HOST_DATA")) {  // by data, but these are right
    std::vector<float> from(kCount), to(kCount);
    for (int i = 0; i < kCount; i++) from[i] = i, ones[i] = kCount - 1 - i;
    cudaMemcpy(index, ones.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(a, from.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
    by_indices<<<kBlocks, kThreads>>>(index, a, b);
    cudaMemcpy(to.data(), b, kCount * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < kCount; i++)
      if (to[i] != kCount - 1 - i) return std::printf("element %d is %g\n", i, to[i]), 1;
  } else if (is("WRONG")) {
    make_indices<<<kBlocks, kThreads>>>(index, 3);
    by_indices<<<kBlocks, kThreads>>>(index, a, b);
  } else if (is("COPIED")) {
    make_indices<<<kBlocks, kThreads>>>(index, 3);
    cudaMemcpy(other, index, kCount * sizeof(int), cudaMemcpyDeviceToDevice);
    by_indices<<<kBlocks, kThreads>>>(other, a, b);
  } else if (is("MADE_RIGHT")) {
    make_indices<<<kBlocks, kThreads>>>(index, 3);
    cudaMemset(index, 0, kCount * sizeof(int));
    by_indices<<<kBlocks, kThreads>>>(index, a, b);
  } else if (is("HALF_RIGHT")) {
    make_indices<<<kBlocks, kThreads>>>(index, 3);
    cudaMemset(index, 0, kCount * sizeof(int) / 2);
    by_indices<<<kBlocks, kThreads>>>(index, a, b);
  } else if (is("VALUES_ON")) {  // what values come of is wrong too
    values<<<kBlocks, kThreads>>>(b, a, 4);
    cudaMemset(index, 0, kCount * sizeof(int));
    by_indices<<<kBlocks, kThreads>>>(index, a, reinterpret_cast<float*>(other));
    by_indices<<<kBlocks, kThreads>>>(other, a, b);
  } else if (is("HOST")) {
    values<<<kBlocks, kThreads>>>(a, b, 4);
    cudaMemcpy(ones.data(), b, kCount * sizeof(int), cudaMemcpyDeviceToHost);
    values<<<kBlocks, kThreads>>>(a, b, 4);
  } else {
    return std::printf("no such kernel: '%s'\n", what), 1;
  }
  return done(what);
}
