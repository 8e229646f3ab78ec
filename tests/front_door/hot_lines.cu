// Kernels with one costly line each, and without it: `hot_lines KERNEL [fixed]`, or `hot_lines streams`,
// which runs two of them at once. tests/front_door/hot_lines_test.py looks for the line that is marked so.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                               \
  do {                                                            \
    const cudaError_t error_ = (call);                            \
    if (error_ != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(3);                                               \
    }                                                             \
  } while (0)

constexpr int kThreads = 128, kBlocks = 30, kFloats = 1 << 20;

// Each lane in a line of its own; fixed: neighbours.
__global__ void uncoalesced(const float* in, float* out, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    const int at = i * stride + k * 4096;
    sum += in[at & (kFloats - 1)];  // HOT uncoalesced
  }
  out[i] = sum;
}

// All lanes in one bank; fixed: each in its own.
__global__ void conflicts(const float* in, float* out, int stride) {
  __shared__ float tile[32 * 32 + 32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = threadIdx.x; k < 32 * 32; k += blockDim.x) tile[k] = k;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 64; ++k) {
    const int lane = threadIdx.x % 32;
    sum += tile[(lane * stride + k) % (32 * 32)];  // HOT conflicts
  }
  out[i] = sum + in[i];
}

// Odd lanes go another way; fixed: odd warps do.
__global__ void divergent(const float* in, float* out, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int k = 0; k < 16; ++k) {
    if ((threadIdx.x / by + k) % 2)  // HOT divergent
      x = __fsqrt_rn(x + k) / 3.0f + x;
    else
      x = __fsqrt_rn(x * k) / 5.0f - x;
  }
  out[i] = x;
}

// Each step needs the value of the one before, from a list that is larger than every cache; fixed: no list.
__global__ void waits(const int* next, int* out, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = i;
  for (int k = 0; k < steps; ++k) {
    at = next[at * 32 & (kFloats - 1)];  // HOT waits
  }
  out[i] = at;
}

// A device function that is inlined: its line is its own.
__device__ float expensive(const float* in, int i) {
  return in[i * 37 & (kFloats - 1)];  // HOT inlined
}
__global__ void inlined(const float* in, float* out, int times) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < times; ++k) sum += expensive(in, i + k * 4096);
  out[i] = sum;
}

// Two of these beside each other on an SM; one ends later.
__global__ void first_of_two(const float* in, float* out, int times) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < times; ++k) sum += in[(i + k * 97) & (kFloats - 1)];
  __syncthreads();
  out[i] = sum;
}
__global__ void second_of_two(const float* in, float* out, int times) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < times; ++k) sum = sum * 0.5f + in[(i * 32 + k) & (kFloats - 1)];
  if (threadIdx.x < 40) atomicAdd(&out[i % 8], sum);
}

// Warps that wait for a clock, which is not simulated cycle by cycle, while another kernel loads.
__global__ void spins(float* out, int cycles) {
  const long long end = clock64() + cycles;
  while (clock64() < end) {
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main(int count, char** words) {
  const bool fixed = count > 2 && std::strcmp(words[2], "fixed") == 0;
  const auto is = [&](const char* name) { return count > 1 && std::strcmp(words[1], name) == 0; };
  float *in, *out;
  CHECK(cudaMalloc(&in, kFloats * sizeof(float)));
  CHECK(cudaMalloc(&out, kFloats * sizeof(float)));
  CHECK(cudaMemset(in, 0, kFloats * sizeof(float)));
  if (is("uncoalesced")) {
    for (int i = 0; i < 2; ++i) uncoalesced<<<kBlocks, kThreads>>>(in, out, fixed ? 1 : 32);
  } else if (is("conflicts")) {
    conflicts<<<kBlocks, kThreads>>>(in, out, fixed ? 1 : 32);
  } else if (is("divergent")) {
    divergent<<<kBlocks, kThreads>>>(in, out, fixed ? 32 : 1);
  } else if (is("waits")) {
    waits<<<kBlocks, kThreads>>>(reinterpret_cast<const int*>(in), reinterpret_cast<int*>(out),
                                 fixed ? 0 : 40);
  } else if (is("inlined")) {
    inlined<<<kBlocks, kThreads>>>(in, out, 8);
  } else if (is("streams")) {
    cudaStream_t streams[3];
    for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < 3; ++i) {
      first_of_two<<<20, 96, 0, streams[0]>>>(in, out, 20);
      second_of_two<<<25, 64, 0, streams[1]>>>(in, out + 4096, 10 + i);
      spins<<<15, 32, 0, streams[2]>>>(out + 8192, 20000);
    }
  } else {
    return 2;
  }
  CHECK(cudaDeviceSynchronize());
}
