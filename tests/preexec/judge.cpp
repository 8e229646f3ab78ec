// Runs a kernel of kernels.h thread by thread and its pre-execution program (C of `duet preexec`, compiled
// for this host), and compares the bytes that they touch in the kernel's arrays.
//   g++ judge.cpp vecadd.o -o judge && ./judge vecadd 1   ->   vecadd covered=... extra=0 missed=0 outside=0
// The second argument: whether thread ids are clamped; otherwise whole batches of threads are fetched for.
// The program goes through all threads here: skip_factor 1, and blocks in threes; where it is told their ids,
// these come from the last to the first.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "preexec/context.h"

struct Three {
  unsigned x = 0, y = 0, z = 0;
};
static Three threadIdx, blockIdx, blockDim, gridDim;

static std::set<std::uintptr_t> touched, fetched_bytes;
static std::uint64_t outside = 0;
static std::map<std::uintptr_t, std::size_t> arrays;  // bytes by address

template <typename T>
struct Traced {
  T* pointer;
  T& operator[](long i) const {
    for (std::size_t b = 0; b < sizeof(T); ++b)
      touched.insert(reinterpret_cast<std::uintptr_t>(pointer + i) + b);
    return pointer[i];
  }
};

#define DUET_ORACLE
#include "kernels.h"

// Of the pre-execution program: what a failing load finds is 0, as a processor gives it.
extern "C" const void* fetched(std::uint64_t address, unsigned bytes) {
  static const char zeros[16] = {};
  const auto array = arrays.upper_bound(address);
  if (array != arrays.begin()) {
    const auto& [base, size] = *std::prev(array);
    if (address + bytes <= base + size) {
      for (unsigned b = 0; b < bytes; ++b) fetched_bytes.insert(address + b);
      return reinterpret_cast<const void*>(address);
    }
  }
  ++outside;
  return zeros;
}
extern "C" void duet_preexecute(duet::preexec::Context* context);

static std::vector<std::byte> parameters;
template <typename T>
void parameter(T value) {
  while (parameters.size() % sizeof value != 0) parameters.emplace_back();
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  parameters.insert(parameters.end(), bytes, bytes + sizeof value);
}
template <typename T>
Traced<const T> array(std::vector<T>& values) {
  parameter(values.data());
  arrays[reinterpret_cast<std::uintptr_t>(values.data())] = values.size() * sizeof(T);
  return {values.data()};
}
template <typename T>
Traced<T> output(std::vector<T>& values) {
  array(values);
  return {values.data()};
}
template <typename T>
T number(T value) {
  parameter(value);
  return value;
}

static void run(Three grid, Three block, const std::function<void()>& thread) {
  gridDim = grid, blockDim = block;
  for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
    for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x)
      for (threadIdx.y = 0; threadIdx.y < block.y; ++threadIdx.y)
        for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x) thread();
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string name = argv[1];
  const bool clamped = std::strcmp(argv[2], "1") == 0;
  // More than is used, so that what lies beside it shows.
  std::vector<float> f1(4096), f2(4096), f3(4096);
  std::vector<int> i1(4096), i2(4096), i3(4096), i4(4096);
  std::vector<unsigned> u1(4096);
  std::vector<double> d1(4096), d2(4096);
  for (int i = 0; i < 4096; ++i) {
    u1[i] = static_cast<unsigned>(i * 2654435761u);
    i1[i] = i * 37 % 1000;  // of gather
    i2[i] = 2 * i;          // rows: two edges each
    i3[i] = i * 29 % 500;   // edges
    i4[i] = i % 3 != 0;     // frontier
  }
  Three grid{7, 1, 1}, block{64, 1, 1};
  if (name == "vecadd") {
    auto a = array(f1), b = array(f2);
    auto c = output(f3);
    const int n = number(400);
    run(grid, block, [&] { vecadd(a, b, c, n); });
  } else if (name == "tmv") {
    grid = {3, 1, 1}, block = {32, 1, 1};
    auto a = array(f1), b = array(f2);
    auto c = output(f3);
    const int width = number(96), height = number(21);
    run(grid, block, [&] { tmv(a, b, c, width, height); });
  } else if (name == "mv") {
    grid = {4, 1, 1}, block = {32, 1, 1};
    auto a = array(f1), b = array(f2);
    auto c = output(f3);
    const int width = number(19), rows = number(100);
    run(grid, block, [&] { mv(a, b, c, width, rows); });
  } else if (name == "mm") {
    grid = {5, 5, 1}, block = {4, 4, 1};
    auto a = array(f1), b = array(f2);
    auto c = output(f3);
    const int n = number(20);
    run(grid, block, [&] { mm(a, b, c, n); });
  } else if (name == "convolution") {
    grid = {5, 3, 1}, block = {8, 8, 1};
    auto in = array(i1), mask = array(i2);
    auto out = output(i3);
    const int width = number(37), height = number(20);
    run(grid, block, [&] { convolution(in, mask, out, width, height); });
  } else if (name == "strided") {
    auto samples = array(f1);
    auto sums = output(f2);
    const int n = number(3001);
    run(grid, block, [&] { strided(samples, sums, n); });
  } else if (name == "falling") {
    auto samples = array(f1);
    auto sums = output(f2);
    const int n = number(3001);
    run(grid, block, [&] { falling(samples, sums, n); });
  } else if (name == "strided64") {
    auto samples = array(f1);
    auto sums = output(f2);
    const long n = number(3001l);
    run(grid, block, [&] { strided64(samples, sums, n); });
  } else if (name == "bitonic") {
    grid = {8, 1, 1};
    auto keys = output(u1);
    const unsigned distance = number(16u), width = number(64u);
    run(grid, block, [&] { bitonic(keys, distance, width); });
  } else if (name == "doubling") {
    auto in = array(i1);
    auto out = output(i2);
    const int n = number(300);
    run(grid, block, [&] { doubling(in, out, n); });
  } else if (name == "gather") {
    auto index = array(i1);
    auto from = array(d1);
    auto to = output(d2);
    const int n = number(430);
    run(grid, block, [&] { gather(index, from, to, n); });
  } else if (name == "search") {
    std::vector<int> cost(4096);
    auto rows = array(i2), edges = array(i3), frontier = array(i4);
    auto out = output(i1);
    const int n = number(440);
    run(grid, block, [&] { search(rows, edges, frontier, out, n); });
  } else {
    std::fprintf(stderr, "no such case: %s\n", name.c_str());
    return 2;
  }
  duet::preexec::Context context;
  context.parameters = reinterpret_cast<std::uintptr_t>(parameters.data());
  context.grid = {grid.x, grid.y, grid.z};
  context.block = {block.x, block.y, block.z};
  context.concurrent_blocks = 3;
  context.skip_factor = 1;
  context.batch_size = 4;
  context.thread_ids = static_cast<std::uint32_t>(clamped ? duet::preexec::ThreadIds::Clamped
                                                          : duet::preexec::ThreadIds::AsPrinted);
  std::uint32_t ids[64] = {}, active[3] = {};
  context.known_blocks = grid.x * grid.y * grid.z;
  for (std::uint32_t n = 0; n < context.known_blocks; ++n) ids[n] = context.known_blocks - 1 - n;
  context.ring = reinterpret_cast<std::uintptr_t>(ids);
  context.ring_mask = 63;
  context.active = reinterpret_cast<std::uintptr_t>(active);
  duet_preexecute(&context);
  std::size_t covered = 0, extra = 0;
  for (const std::uintptr_t byte : fetched_bytes) ++(touched.count(byte) != 0 ? covered : extra);
  std::printf("%s touched=%zu covered=%zu extra=%zu missed=%zu outside=%llu\n", name.c_str(), touched.size(),
              covered, extra, touched.size() - covered, static_cast<unsigned long long>(outside));
  return context.finished == 1 ? 0 : 1;
}
