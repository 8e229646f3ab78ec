// Latency and rate of each unit of an SM, and of copies and launches, as a program sees them (units.py).
//   units sm            "fma.f32 4.1 111.4": cycles of a dependent instruction, results a cycle and SM
//   units moves BYTES   "device_to_device 83.1": GB/s written, from the difference of two sizes
//   units launches      "launch 2.5": us from one launch to the next
// A chain is in inline PTX, so no compiler folds it, and runs once before it is timed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

using Half2 = unsigned;
constexpr int kSteps = 128;     // of a chain
constexpr int kThreads = 1024;  // of a block for a rate, where an SM has room

#define UNIT(name, type, constraint, text)                                                                   \
  struct name {                                                                                              \
    using Type = type;                                                                                       \
    static __device__ void step(Type& x, Type y) { asm volatile(text : "+" constraint(x) : constraint(y)); } \
  };
UNIT(IntegerAdd, int, "r", "add.s32 %0, %0, %1;")
UNIT(IntegerMad, int, "r", "mad.lo.s32 %0, %0, %1, %1;")
UNIT(Shift, int, "r", "shf.l.wrap.b32 %0, %0, %1, 5;")
UNIT(Minimum, int, "r", "min.s32 %0, %0, %1;")
UNIT(Popc, int, "r", "popc.b32 %0, %0;")
UNIT(Clz, int, "r", "clz.b32 %0, %0;")
UNIT(Brev, int, "r", "brev.b32 %0, %0;")
UNIT(Single, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
UNIT(Double, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
UNIT(Half, Half2, "r", "fma.rn.f16x2 %0, %0, %1, %1;")
UNIT(Special, float, "f", "rsqrt.approx.f32 %0, %0;")
UNIT(Convert, int, "r", "{.reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rzi.s32.f32 %0, f;}")
UNIT(Shuffle, int, "r", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
UNIT(Barrier, int, "r", "bar.sync 0;")
UNIT(SharedLoad, unsigned, "r", "{ld.volatile.shared.u32 %0, [%0];}")

// From the first warp's beginning to the last one's end: warps take turns.
template <class Unit, int Chains>
__global__ void __launch_bounds__(kThreads)
    chain(typename Unit::Type* out, typename Unit::Type y, long long* cycles) {
  constexpr int kUnrolled = 64 / Chains;
  __shared__ unsigned ring[kThreads];
  __shared__ long long starts[kThreads / 32], ends[kThreads / 32];
  ring[threadIdx.x] = static_cast<unsigned>(__cvta_generic_to_shared(&ring[threadIdx.x]));
  __syncthreads();
  typename Unit::Type x[Chains];
  for (int c = 0; c < Chains; ++c)
    x[c] = static_cast<typename Unit::Type>(ring[(threadIdx.x + 32 * c) % blockDim.x]);
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const long long start = clock64();
    for (int round = 0; round < kSteps / kUnrolled; ++round) {
#pragma unroll
      for (int i = 0; i < kUnrolled; ++i)
#pragma unroll
        for (int c = 0; c < Chains; ++c) Unit::step(x[c], y);
    }
    const long long end = clock64();
    if (threadIdx.x % 32 == 0) starts[threadIdx.x / 32] = start, ends[threadIdx.x / 32] = end;
    __syncthreads();
    long long first = starts[0], last = ends[0];
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
      first = min(first, starts[warp]), last = max(last, ends[warp]);
    *cycles = last - first;
  }
  for (int c = 0; c < Chains; ++c) out[threadIdx.x + c * blockDim.x] = x[c];
}

template <class Unit>
void unit(const char* name, int results = 1) {
  typename Unit::Type* out;
  long long* cycles;
  long long one = 0, all = 0;
  int most = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0);
  const int threads = most < kThreads ? 128 : kThreads;
  cudaMalloc(&out, 4 * kThreads * sizeof *out);
  cudaMalloc(&cycles, sizeof *cycles);
  chain<Unit, 1><<<1, 32>>>(out, {}, cycles);
  cudaMemcpy(&one, cycles, sizeof one, cudaMemcpyDeviceToHost);
  chain<Unit, 4><<<1, threads>>>(out, {}, cycles);
  cudaMemcpy(&all, cycles, sizeof all, cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::exit((std::printf("%s: %s\n", name, cudaGetErrorString(error)), 1));
  std::printf("%s %.1f %.1f\n", name, one / double{kSteps}, 4.0 * threads * kSteps * results / all);
}

template <class F>
double seconds(F f) {
  cudaDeviceSynchronize();
  const auto start = std::chrono::steady_clock::now();
  f();
  cudaDeviceSynchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void moves(std::size_t bytes) {
  char *a, *b, *pinned, *pageable = static_cast<char*>(std::malloc(bytes));
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMallocHost(&pinned, bytes);
  std::memset(pageable, 1, bytes);
  const auto rate = [&](const char* name, auto move) {
    const double half = seconds([&] { move(bytes / 2); }), whole = seconds([&] { move(bytes); });
    std::printf("%s %.2f\n", name, bytes / 2 / (whole - half) * 1e-9);
  };
  rate("device_to_device", [&](std::size_t n) { cudaMemcpyAsync(b, a, n, cudaMemcpyDeviceToDevice); });
  rate("memset", [&](std::size_t n) { cudaMemsetAsync(b, 0, n); });
  rate("to_device_pinned", [&](std::size_t n) { cudaMemcpyAsync(a, pinned, n, cudaMemcpyHostToDevice); });
  rate("to_host_pinned", [&](std::size_t n) { cudaMemcpyAsync(pinned, a, n, cudaMemcpyDeviceToHost); });
  rate("to_device_pageable", [&](std::size_t n) { cudaMemcpy(a, pageable, n, cudaMemcpyHostToDevice); });
}

__global__ void nothing() {}

void launches() {
  nothing<<<1, 32>>>();
  const auto each = [](const char* name, auto launch) {
    const double few = seconds([&] {
      for (int i = 0; i < 50; ++i) launch();
    });
    const double many = seconds([&] {
      for (int i = 0; i < 150; ++i) launch();
    });
    std::printf("%s %.2f\n", name, (many - few) / 100 * 1e6);
  };
  each("launch", [] { nothing<<<1, 32>>>(); });
  each("launch_and_synchronize", [] {
    nothing<<<1, 32>>>();
    cudaDeviceSynchronize();
  });
}

int main(int words, char** word) {
  if (words > 2 && !std::strcmp(word[1], "moves")) return moves(std::strtoull(word[2], nullptr, 10)), 0;
  if (words > 1 && !std::strcmp(word[1], "launches")) return launches(), 0;
  if (words < 2 || std::strcmp(word[1], "sm"))
    return std::fprintf(stderr, "units sm | moves BYTES | launches\n"), 2;
  unit<Single>("fma.f32");
  unit<Double>("fma.f64");
  unit<Half>("fma.f16x2", 2);
  unit<IntegerAdd>("add.s32");
  unit<IntegerMad>("mad.lo.s32");
  unit<Shift>("shf.b32");
  unit<Minimum>("min.s32");
  unit<Special>("rsqrt.approx.f32");
  unit<Popc>("popc.b32");
  unit<Clz>("clz.b32");
  unit<Brev>("brev.b32");
  unit<Convert>("cvt.s32.f32", 2);
  unit<SharedLoad>("ld.shared");
  unit<Barrier>("bar.sync");
  int lanes = 0;
  cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, 0);
  if (lanes == 32) unit<Shuffle>("shfl.sync");
}
