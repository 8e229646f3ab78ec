// Programs with one known flaw each, and the same work without it: flaws NAME bad|good.
//
//   flaws bank_conflicts bad
//
// Each has about the work that fills the GPU that it runs on. flaws.py runs both versions, and compares the
// advice with the time that the good one saves.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

namespace {

constexpr int kThreads = 256;  // of a block

__device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ---- Kernels: access to memory ----

__global__ void scale(const float* a, float* b, int rows, int columns, bool by_columns) {
  const int i = thread();
  const int at = by_columns ? i % rows * columns + i / rows : i;
  b[at] = 2 * a[at];
}

struct Particle {
  float x, y, z, mass, vx, vy, vz, charge;
};
__global__ void move(Particle* p) { p[thread()].x += 0.1f * p[thread()].vx; }
__global__ void move(float* x, const float* vx) { x[thread()] += 0.1f * vx[thread()]; }

template <int kPitch>
__global__ void transpose(const float* in, float* out, int tiles) {
  __shared__ float tile[32][kPitch];
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  for (int t = 0; t < tiles; ++t) {
    const int base = (blockIdx.x * tiles + t) * 1024;
    for (int r = y; r < 32; r += 8) tile[r][x] = in[base + r * 32 + x];
    __syncthreads();
    for (int r = y; r < 32; r += 8) out[base + r * 32 + x] = tile[x][r];
    __syncthreads();
  }
}

__global__ void histogram(const int* values, unsigned* bins, int each, bool in_shared) {
  __shared__ unsigned own[16];
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  unsigned mine = 0;
  for (int k = 0; k < each; ++k) {
    const int value = values[thread() + k * gridDim.x * blockDim.x];
    if (in_shared)
      mine += value & 1;
    else
      atomicAdd(&bins[0], value & 1);
  }
  if (!in_shared) return;
  atomicAdd(&own[threadIdx.x % 16], mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 16; ++k) own[0] += own[k];
    atomicAdd(&bins[0], own[0]);
  }
}

// Lines in a mixed order, one a warp: of the whole array again and again, or of tile after tile.
__global__ void passes(const float* a, float* out, int lines, int count, int tile) {
  const int warp = thread() / 32, warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int first = 0; first < lines; first += tile)
    for (int p = 0; p < count; ++p)
      for (int i = warp; i < tile; i += warps) sum += a[(first + (i * 5003 & tile - 1)) * 32 + lane];
  out[thread()] = sum;
}

__constant__ float coefficients[1024];
template <bool kInShared>
__global__ void filter(float* out, int rounds) {
  __shared__ float table[1024];
  for (int i = threadIdx.x; i < 1024 && kInShared; i += blockDim.x) table[i] = coefficients[i];
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const int at = (threadIdx.x * 29 + r * 131) & 1023;
    if constexpr (kInShared)
      sum += table[at];
    else
      sum += coefficients[at];
  }
  out[thread()] = sum;
}

__global__ void private_bins(const int* values, int* out, int rounds, bool in_shared) {
  __shared__ int shared_bins[32][64];
  int own[32];
  int* const column = &shared_bins[0][threadIdx.x];
  for (int k = 0; k < 32; ++k) (in_shared ? column[k * 64] : own[k]) = k;
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const int bin = values[(thread() + r) & 1023] & 31;
    sum += in_shared ? ++column[bin * 64] : ++own[bin];
  }
  out[thread()] = sum;
}

__global__ void read_again(const float* a, float* out, int n, int rounds) {
  float sum = 0;
  for (int r = 0; r < rounds; ++r)
    for (int i = thread(); i < n; i += gridDim.x * blockDim.x) sum += a[i];
  out[thread()] = sum;
}

// ---- Kernels: use of the SM ----

__global__ void work(float* a, int rounds) {
  float x = a[thread()];
  for (int r = 0; r < rounds; ++r) x = x * 0.999f + 0.5f;
  a[thread()] = x;
}

__global__ void work_in_double(float* a, int rounds) {
  float x = a[thread()];
  for (int r = 0; r < rounds; ++r) x = x * 0.999 + 0.5;
  a[thread()] = x;
}

// Each load waits for the one before. `unused` shared memory decides how many blocks an SM holds.
__global__ void chase(const int* next, int* out, int rounds) {
  extern __shared__ int unused[];
  int at = thread() & 0x3fff;
  for (int r = 0; r < rounds; ++r) at = next[at];
  out[thread()] = at;
  if (at < 0) out[0] = unused[0];
}

// Sums of kSums columns, all in registers: blocks of one row of the grid have columns of their own.
template <int kSums>
__global__ void project(const int* places, float* out, int rounds) {
  float sums[kSums];
#pragma unroll
  for (int k = 0; k < kSums; ++k) sums[k] = threadIdx.x + k + blockIdx.y * kSums;
  int at = thread() & 0x3fff;
  for (int r = 0; r < rounds; ++r)
#pragma unroll
    for (int k = 0; k < kSums; k += 4) {
      at = places[at];
#pragma unroll
      for (int next = k; next < k + 4; ++next) sums[next] = sums[next] * 0.5f + at;
    }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kSums; ++k) sum += sums[k] * (k + blockIdx.y * kSums);
  out[blockIdx.y * gridDim.x * blockDim.x + thread()] = sum;
}

__device__ float line(float x, float slope, float start) {
#pragma unroll 1
  for (int k = 0; k < 16; ++k) x = x * slope + start;
  return x;
}
__global__ void ways(float* out, int rounds, bool by_warp) {
  const int way = (by_warp ? threadIdx.x / 32 : threadIdx.x) % 8;
  float x = threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    switch (way) {
      case 0:
        x = line(x, 0.9f, 1);
        break;
      case 1:
        x = line(x, 0.8f, 2);
        break;
      case 2:
        x = line(x, 0.7f, 3);
        break;
      case 3:
        x = line(x, 0.6f, 4);
        break;
      case 4:
        x = line(x, 0.5f, 5);
        break;
      case 5:
        x = line(x, 0.4f, 6);
        break;
      case 6:
        x = line(x, 0.3f, 7);
        break;
      default:
        x = line(x, 0.2f, 8);
    }
  }
  out[thread()] = x;
}

// In each round some warps have much to do, in all rounds each has as much as the others. Nothing is shared.
__global__ void turns(float* out, int rounds, bool barriers) {
  float x = threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    x = line(x, 0.999f, 0.5f);
    if ((threadIdx.x / 32 + r) % 8 == 0)
      for (int k = 0; k < 8; ++k) x = line(x, 0.999f, 0.5f);
    if (barriers) __syncthreads();
  }
  out[thread()] = x;
}

// ---- Programs ----

cudaDeviceProp device() {
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  return properties;
}
int sms() {
  static const int count = device().multiProcessorCount;
  return count;
}

template <typename T>
T* on_device(std::size_t count) {
  T* pointer = nullptr;
  CHECK(cudaMalloc(&pointer, count * sizeof(T)));
  return pointer;
}
template <typename T>
T* pinned(std::size_t count) {
  T* pointer = nullptr;
  CHECK(cudaMallocHost(&pointer, count * sizeof(T)));
  std::memset(pointer, 0, count * sizeof(T));
  return pointer;
}
template <typename T>
T* on_device(const std::vector<T>& values) {
  T* const pointer = on_device<T>(values.size());
  T* const staged = pinned<T>(values.size());
  std::copy(values.begin(), values.end(), staged);
  CHECK(cudaMemcpy(pointer, staged, values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return pointer;
}
std::vector<cudaStream_t> streams(int count) {
  std::vector<cudaStream_t> result(count);
  for (cudaStream_t& stream : result) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return result;
}
// A ring of 16384 places, a line and more apart.
int* ring() {
  std::vector<int> next(1 << 14);
  for (int i = 0; i < 1 << 14; ++i) next[i] = (i + 32 * 97) & 0x3fff;
  return on_device(next);
}

void uncoalesced(bool bad) {
  const int rows = 1024, columns = sms() * 8, n = rows * columns;
  scale<<<n / kThreads, kThreads>>>(on_device<float>(n), on_device<float>(n), rows, columns, bad);
}

void array_of_structs(bool bad) {
  const int n = sms() * 8192;
  float* const all = on_device<float>(8 * n);
  if (bad)
    move<<<n / kThreads, kThreads>>>(reinterpret_cast<Particle*>(all));
  else
    move<<<n / kThreads, kThreads>>>(all, all + n);
}

void bank_conflicts(bool bad) {
  const int blocks = sms() * 8, tiles = 4;
  float *in = on_device<float>(blocks * tiles * 1024), *out = on_device<float>(blocks * tiles * 1024);
  if (bad)
    transpose<32><<<blocks, kThreads>>>(in, out, tiles);
  else
    transpose<33><<<blocks, kThreads>>>(in, out, tiles);
}

void atomics(bool bad) {
  const int blocks = sms() * 4, each = 8;
  histogram<<<blocks, kThreads>>>(on_device<int>(blocks * kThreads * each), on_device<unsigned>(16), each,
                                  !bad);
}

void l2(bool bad) {
  // A little more than L2 holds. A machine with a larger one must find the same array.
  const int lines = device().major < 7 ? 1 << 13 : 1 << 19;
  const int blocks = sms() * 6, count = sms() < 64 ? 8 : 3;
  passes<<<blocks, kThreads>>>(on_device<float>(std::size_t{32} * lines), on_device<float>(blocks * kThreads),
                               lines, count, bad ? lines : lines / 4);
}

void constant_memory(bool bad) {
  const int blocks = sms() * 4;
  std::vector<float> values(1024);
  for (int i = 0; i < 1024; ++i) values[i] = i;
  CHECK(cudaMemcpyToSymbol(coefficients, values.data(), sizeof coefficients));
  float* const out = on_device<float>(blocks * kThreads);
  if (bad)
    filter<false><<<blocks, kThreads>>>(out, 96);
  else
    filter<true><<<blocks, kThreads>>>(out, 96);
}

void local_memory(bool bad) {
  const int blocks = sms() * 4;
  private_bins<<<blocks, 64>>>(on_device<int>(1024), on_device<int>(blocks * 64), 128, !bad);
}

void managed_memory(bool bad) {
  const int n = 1 << 18, blocks = sms() * 4;
  float *a = nullptr, *there = nullptr;
  CHECK(cudaMallocManaged(&a, n * sizeof(float)));
  std::fill(a, a + n, 1.0f);
  if (!bad) {
    there = on_device<float>(n);
    CHECK(cudaMemcpy(there, a, n * sizeof(float), cudaMemcpyDefault));
  }
  read_again<<<blocks, kThreads>>>(bad ? a : there, on_device<float>(blocks * kThreads), n, 8);
}

void mapped_memory(bool bad) {
  const int n = 1 << 18, blocks = sms() * 4;
  float *a = nullptr, *there = nullptr;
  CHECK(cudaHostAlloc(&a, n * sizeof(float), cudaHostAllocMapped));
  std::fill(a, a + n, 1.0f);
  if (bad) {
    CHECK(cudaHostGetDevicePointer(&there, a, 0));
  } else {
    there = on_device<float>(n);
    CHECK(cudaMemcpy(there, a, n * sizeof(float), cudaMemcpyHostToDevice));
  }
  read_again<<<blocks, kThreads>>>(there, on_device<float>(blocks * kThreads), n, 8);
}

void doubles(bool bad) {
  const int blocks = sms() * 6;
  float* const a = on_device<float>(blocks * kThreads);
  if (bad)
    work_in_double<<<blocks, kThreads>>>(a, 128);
  else
    work<<<blocks, kThreads>>>(a, 128);
}

void registers(bool bad) {
  const int blocks = sms() * 8;
  float* const out = on_device<float>(4 * blocks * kThreads);
  if (bad)
    project<112><<<blocks, kThreads>>>(ring(), out, 2);
  else
    project<28><<<dim3(blocks, 4), kThreads>>>(ring(), out, 2);
}

void shared_memory(bool bad) {
  const int blocks = sms() * 24;
  const int bytes = bad ? device().major < 7 ? 20 << 10 : 100 << 10 : 4096;
  CHECK(cudaFuncSetAttribute(chase, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  chase<<<blocks, 128, bytes>>>(ring(), on_device<int>(blocks * 128), 32);
}

void block_size(bool bad) {
  const int threads = sms() * 32 * 256;
  chase<<<threads / (bad ? 32 : 256), bad ? 32 : 256>>>(ring(), on_device<int>(threads), 16);
}

void partial_warps(bool bad) {
  const int threads = sms() * 40 * 64;
  work<<<threads / (bad ? 8 : 128), bad ? 8 : 128>>>(on_device<float>(threads), 256);
}

void divergence(bool bad) {
  const int blocks = sms() * 6;
  ways<<<blocks, kThreads>>>(on_device<float>(blocks * kThreads), 8, !bad);
}

void barriers(bool bad) { turns<<<sms(), 512>>>(on_device<float>(sms() * 512), 64, bad); }

void tail(bool bad) {
  int fit = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, work, 512, 0));
  const int blocks = sms() * fit + 4, parts = bad ? 1 : 8;
  work<<<blocks * parts, 512>>>(on_device<float>(blocks * parts * 512), 2048 / parts);
}

void small_grid(bool bad) {
  const int blocks = bad ? std::max(1, sms() / 8) : sms(), all = 4096 * sms();
  work<<<blocks, kThreads>>>(on_device<float>(blocks * kThreads), all / blocks);
}

void pageable(bool bad) {
  const std::size_t n = 1 << 20;
  float* const host = bad ? static_cast<float*>(std::calloc(n, 4)) : pinned<float>(n);
  float* const a = on_device<float>(n);
  CHECK(cudaMemcpy(a, host, n * 4, cudaMemcpyHostToDevice));
  work<<<n / kThreads, kThreads>>>(a, 16);
  CHECK(cudaMemcpy(host, a, n * 4, cudaMemcpyDeviceToHost));
}

void tiny_copies(bool bad) {
  const int count = 128, floats = 512;
  float *const host = pinned<float>(count * floats), *const a = on_device<float>(count * floats);
  for (int i = 0; i < (bad ? count : 1); ++i)
    CHECK(cudaMemcpy(a + i * floats, host + i * floats, (bad ? 1 : count) * floats * 4,
                     cudaMemcpyHostToDevice));
  work<<<count * floats / kThreads, kThreads>>>(a, 16);
}

void no_overlap(bool bad) {
  const int pieces = bad ? 1 : 4, n = 1 << 21, rounds = sms() < 64 ? 256 : 512;
  float *const host = pinned<float>(n), *const back = pinned<float>(n), *const a = on_device<float>(n);
  const std::vector<cudaStream_t> in = streams(pieces);
  const int each = n / pieces;
  CHECK(cudaDeviceSynchronize());
  for (int step = 0; step < pieces + 2; ++step) {
    const int next = step * each, at = next - each, last = at - each;
    if (step < pieces)
      CHECK(cudaMemcpyAsync(a + next, host + next, each * 4, cudaMemcpyHostToDevice, in[step]));
    if (at >= 0 && at < n) work<<<each / kThreads, kThreads, 0, in[step - 1]>>>(a + at, rounds);
    if (last >= 0)
      CHECK(cudaMemcpyAsync(back + last, a + last, each * 4, cudaMemcpyDeviceToHost, in[step - 2]));
  }
}

void issue_order(bool bad) {
  const int stages = 4;
  const std::vector<cudaStream_t> in = streams(6);
  const int count = static_cast<int>(in.size());
  float* const a = on_device<float>(count * 64);
  CHECK(cudaDeviceSynchronize());
  for (int k = 0; k < stages * count; ++k) {
    const int stream = bad ? k / stages : k % count;
    work<<<1, 64, 0, in[stream]>>>(a + stream * 64, 4096);
  }
}

void serial_kernels(bool bad) {
  const int count = 8;
  const std::vector<cudaStream_t> in = streams(count);
  float* const a = on_device<float>(count * 2 * kThreads);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i) work<<<2, kThreads, 0, in[bad ? 0 : i]>>>(a + i * 2 * kThreads, 8192);
}

void launch_bound(bool bad) {
  const int count = 256;
  float* const a = on_device<float>(sms() * 64);
  for (int i = 0; i < (bad ? count : 1); ++i) work<<<sms(), 64>>>(a, bad ? 4 : 4 * count);
}

void synchronization(bool bad) {
  float* const a = on_device<float>(sms() * kThreads);
  for (int i = 0; i < 48; ++i) {
    work<<<sms(), kThreads>>>(a, 512);
    if (bad) CHECK(cudaDeviceSynchronize());
  }
}

void malloc_in_loop(bool bad) {
  float* a = bad ? nullptr : on_device<float>(sms() * kThreads);
  for (int i = 0; i < 48; ++i) {
    if (bad) CHECK(cudaMalloc(&a, sms() * kThreads * sizeof(float)));
    work<<<sms(), kThreads>>>(a, 256);
    if (bad) CHECK(cudaFree(a));
  }
}

constexpr std::pair<const char*, void (*)(bool)> kPrograms[] = {{"uncoalesced", uncoalesced},
                                                                {"array_of_structs", array_of_structs},
                                                                {"bank_conflicts", bank_conflicts},
                                                                {"atomics", atomics},
                                                                {"l2", l2},
                                                                {"constant_memory", constant_memory},
                                                                {"local_memory", local_memory},
                                                                {"managed_memory", managed_memory},
                                                                {"mapped_memory", mapped_memory},
                                                                {"doubles", doubles},
                                                                {"registers", registers},
                                                                {"shared_memory", shared_memory},
                                                                {"block_size", block_size},
                                                                {"partial_warps", partial_warps},
                                                                {"divergence", divergence},
                                                                {"barriers", barriers},
                                                                {"tail", tail},
                                                                {"small_grid", small_grid},
                                                                {"pageable", pageable},
                                                                {"tiny_copies", tiny_copies},
                                                                {"no_overlap", no_overlap},
                                                                {"issue_order", issue_order},
                                                                {"serial_kernels", serial_kernels},
                                                                {"launch_bound", launch_bound},
                                                                {"synchronization", synchronization},
                                                                {"malloc_in_loop", malloc_in_loop}};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) {
    for (const auto& program : kPrograms) std::puts(program.first);
    return 0;
  }
  for (const auto& [name, program] : kPrograms) {
    if (argc != 3 || std::strcmp(argv[1], name) != 0) continue;
    program(std::strcmp(argv[2], "bad") == 0);
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  std::fprintf(stderr, "flaws NAME bad|good, or: flaws list\n");
  return 2;
}
