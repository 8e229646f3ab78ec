// Kernels that are bound by one thing each, for the model of src/predict: what it says of them is known
// beforehand. `kernels NAME`, of those in main().
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

__global__ void chain(float* data, int rounds) {
  float x = data[threadIdx.x], y = x + 1;
  for (int i = 0; i < rounds; i++) x = x * y + 1.5f;
  data[threadIdx.x] = x;
}

__global__ void shared_chain(int* data, int rounds) {
  __shared__ int next[32];
  next[threadIdx.x] = (threadIdx.x + 1) & 31;
  __syncthreads();
  int at = threadIdx.x;
  for (int i = 0; i < rounds; i++) at = next[at];
  data[threadIdx.x] = at;
}

__global__ void chase(int* data, int rounds) {
  int at = threadIdx.x;
  for (int i = 0; i < rounds; i++) at = data[at];
  data[threadIdx.x] = at;
}

__global__ void stream(const float4* from, float4* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) to[i] = from[i];
}

__global__ void fill(float4* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    to[i] = make_float4(1, 2, 3, 4);
}

__global__ void gather(const float* from, float* to, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = i * 2654435761u;
  float sum = 0;
  for (int k = 0; k < rounds; k++) {
    at = at * 1664525u + 1013904223u;
    sum += from[(at >> 8) & 0x3fffff];
  }
  to[i] = sum;
}

__global__ void atomics(int* counter, int rounds) {
  for (int k = 0; k < rounds; k++) atomicAdd(counter, 1);
}

__global__ void issue(float* data, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = i, b = i + 1, c = i + 2, d = i + 3;
  for (int k = 0; k < rounds; k++) a = a * b + c, b = b * c + d, c = c * d + a, d = d * a + b;
  data[i] = a + b + c + d;
}

__global__ void conflicts(int* data, int rounds) {
  __shared__ int words[1024];
  for (int k = 0; k < 1024; k += blockDim.x) words[k + threadIdx.x] = 0;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < rounds; k++) sum += words[(threadIdx.x * 32 + k) & 1023];
  data[threadIdx.x] = sum;
}

template <int n>
__device__ float unrolled(float x, float y) {
  if constexpr (n > 0)
    return unrolled<n - 1>(x * y + n, y);
  else
    return x;
}
__global__ void code(float* data) {
  const float x = data[threadIdx.x];
  data[threadIdx.x] = unrolled<400>(x, x + 1);
}

__global__ void sum_of_three(float* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] += data[count + i] + data[2 * count + i];
}

// Each lane goes through a row of its own, and writes where it has read.
__global__ void rows(float* data, int columns) {
  float* const row = data + (blockIdx.x * blockDim.x + threadIdx.x) * (columns + 32);
  float last = 0;
  for (int k = 0; k < columns; k++) row[k] = last = row[k] + last;
}

__global__ void heap(int* data) {
  char* memory = static_cast<char*>(malloc(16));
  asm volatile("" : "+l"(memory));  // or the compiler leaves both out
  free(memory);
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// All blocks wait for the last one, which starts with them.
__global__ void waits(int* data, volatile int* flag) {
  if (blockIdx.x == gridDim.x - 1)
    *flag = 1;
  else
    while (*flag == 0) {
    }
  int sum = 0;
  for (int k = 0; k < 64; k++) sum += data[(blockIdx.x * 64 + k) * blockDim.x + threadIdx.x];
  data[(1 << 20) + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// More of each warp than the model computes, and alike from beginning to end.
__global__ void long_loop(const float* from, float* to, int rounds) {
  float sum = 0;
  for (int k = 0; k < rounds; k++) sum = sum * 0.5f + from[(k * blockDim.x + threadIdx.x) & 0x3ffff];
  to[threadIdx.x] = sum;
}

// As much, and not alike.
__global__ void phases(int* data, int rounds) {
  int at = threadIdx.x;
  for (int k = 0; k < 3000; k++) at = data[(at + k * 1056) & 0xffffff];
  for (int k = 0; k < rounds; k++) at = (at ^ k) * 3;
  data[threadIdx.x] = at;
}

// More than the caches hold, and many more blocks than the GPU has room for.
__global__ void copy(const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

// Most blocks have nothing to do, the first ones as much as any.
__global__ void few(float* data, int rounds) {
  if (blockIdx.x >= gridDim.x / 8) return;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = data[i];
  for (int k = 0; k < rounds; k++) x = x * 1.5f + 1;
  data[i] = x;
}

__global__ void empty(float* data) {
  if (data == nullptr) data[threadIdx.x] = 1;
}

// Each block its own one.
__global__ void own_words(int* counters, int rounds) {
  for (int k = 0; k < rounds; k++) atomicAdd(counters + blockIdx.x * 64, threadIdx.x & 1);
}

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

// Four warps of a block want a sector each of every line.
__global__ void sectors(const unsigned char* from, unsigned char* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + from[i + (1 << 20)] + from[i + (2 << 20)] + from[i + (3 << 20)];
}

// One thread stores to a word's line while that line is still on its way.
__global__ void overtakes(int* first, int* second, int n, int rounds) {
  int x = 0;
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < n; i++) {
      const int sum = first[i] + second[i];
      first[i] = x;
      x = max(x, sum) - 1;
      second[i] = x;
    }
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  constexpr size_t kBytes = 64 << 20;
  float* data;
  cudaMalloc(&data, kBytes);
  cudaMemset(data, 0, kBytes);
  int* words = reinterpret_cast<int*>(data);
  float4* vectors = reinterpret_cast<float4*>(data);
  if (strcmp(what, "CHAIN") == 0) chain<<<1, 32>>>(data, 500);
  if (strcmp(what, "SHARED") == 0) shared_chain<<<1, 32>>>(words, 500);
  if (strcmp(what, "CHASE") == 0) {
    std::vector<int> next(1 << 20);
    for (int i = 0; i < 1 << 20; i++) next[i] = (i + 8192) & 0xfffff;
    cudaMemcpy(data, next.data(), 4 << 20, cudaMemcpyHostToDevice);
    chase<<<1, 1>>>(words, 128);
  }
  if (strcmp(what, "STREAM") == 0) stream<<<96, 256>>>(vectors, vectors + (1 << 21), 1 << 18);
  if (strcmp(what, "FILL") == 0) fill<<<96, 256>>>(vectors, 1 << 18);
  if (strcmp(what, "GATHER") == 0) gather<<<96, 256>>>(data, data + (8 << 20), 4);
  if (strcmp(what, "ATOMICS") == 0) atomics<<<64, 256>>>(words, 2);
  if (strcmp(what, "ISSUE") == 0) issue<<<64, 256>>>(data, 200);
  if (strcmp(what, "CONFLICTS") == 0) conflicts<<<16, 256>>>(words, 200);
  if (strcmp(what, "HEAP") == 0) heap<<<64, 64>>>(words);
  if (strcmp(what, "WAITS") == 0) waits<<<16, 64>>>(words, words + (2 << 20));
  if (strcmp(what, "LONG") == 0) long_loop<<<1, 512>>>(data, data + (8 << 20), 40000);
  if (strcmp(what, "PHASES") == 0) phases<<<1, 512>>>(words, 300000);
  if (strcmp(what, "SPIN") == 0) spin<<<1, 32>>>(1000000);
  if (strcmp(what, "SPINS") == 0)
    for (int i = 0; i < 4; i++) spin<<<512, 512>>>(8000);
  if (strcmp(what, "OWN_WORDS") == 0) own_words<<<16, 128>>>(words, 16);
  // The same again and again, and each time more.
  if (strcmp(what, "AGAIN") == 0)
    for (int i = 0; i < 60; i++) issue<<<32, 256>>>(data, 50);
  if (strcmp(what, "MORE") == 0)
    for (int i = 0; i < 20; i++) issue<<<32, 256>>>(data, 20 << i / 4);
  if (strcmp(what, "COPY") == 0) copy<<<4096, 256>>>(data, data + (8 << 20));
  if (strcmp(what, "FEW") == 0) few<<<8192, 256>>>(data, 100);
  for (int i = 0; i < 4 && strcmp(what, "COPIES") == 0; i++) copy<<<4096, 256>>>(data, data + (8 << 20));
  auto* const bytes = reinterpret_cast<unsigned char*>(data);
  if (strcmp(what, "SECTORS") == 0) sectors<<<4096, 256>>>(bytes, bytes + (4 << 20));
  if (strcmp(what, "EMPTY") == 0) empty<<<132, 32>>>(data);
  if (strcmp(what, "CODE") == 0) code<<<1, 32>>>(data);
  if (strcmp(what, "OVERTAKES") == 0) overtakes<<<1, 1>>>(words, words + 512, 256, 4);
  if (strcmp(what, "ROWS") == 0) rows<<<16, 64>>>(data, 256);
  if (strcmp(what, "FITS") == 0) {
    cudaMemset(data, 0, 3 * 4000 * 64 * sizeof(float));
    for (int i = 0; i < 3; i++) sum_of_three<<<4000, 64>>>(data, 4000 * 64);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess && cudaGetLastError() == cudaSuccess) std::puts("done");
  return error != cudaSuccess;
}
