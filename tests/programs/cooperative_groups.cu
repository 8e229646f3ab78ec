// Groups of every kind: ranks, sizes, votes, exchanges, reductions, scans and barriers, each against values
// that the host works out by itself.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>
#include <vector>

#include "expect.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 128, kBlocks = 4;

struct Pair {
  double a;
  int b;
};

template <unsigned kSize>
__global__ void tiles(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<kSize>(block);
  const int value = static_cast<int>(block.thread_rank() * 7 % 31);
  int* mine = out + block.thread_rank() * 16;
  mine[0] = static_cast<int>(tile.thread_rank());
  mine[1] = static_cast<int>(tile.meta_group_rank());
  mine[2] = static_cast<int>(tile.meta_group_size());
  mine[3] = tile.shfl(value, 1);
  mine[4] = tile.shfl_down(value, 1);
  mine[5] = tile.shfl_up(value, 1);
  mine[6] = tile.shfl_xor(value, 1);
  mine[7] = static_cast<int>(tile.ballot(value & 1));
  mine[8] = tile.any(value == 30) * 2 + tile.all(value < 30);
  mine[9] = cg::reduce(tile, value, cg::plus<int>());
  mine[10] = cg::reduce(tile, value, cg::greater<int>());
  mine[11] = cg::inclusive_scan(tile, value);
  mine[12] = cg::exclusive_scan(tile, value);
  const Pair pair = tile.shfl(Pair{value * 0.5, value}, static_cast<int>(kSize) - 1);
  mine[13] = static_cast<int>(pair.a * 4) + pair.b;
  tile.sync();
  const auto labelled = cg::labeled_partition(tile, value % 3);
  mine[14] = static_cast<int>(labelled.size() * 100 + labelled.thread_rank());
  mine[15] = cg::reduce(labelled, value, cg::plus<int>());
}

template <unsigned kSize>
void check_tiles() {
  expect::Array<int> out(kThreads * 16, -1);
  tiles<kSize><<<1, kThreads>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  const auto value = [](int thread) { return thread * 7 % 31; };
  const int size = kSize;
  for (int t = 0; t < kThreads; ++t) {
    const int first = t / size * size, rank = t - first;
    int sum = 0, most = 0, ballot = 0, before = 0, any = 0, all = 1, same = 0, same_before = 0, same_sum = 0;
    for (int i = first; i < first + size; ++i) {
      sum += value(i);
      most = std::max(most, value(i));
      ballot |= (value(i) & 1) << (i - first);
      if (i < t) before += value(i);
      any |= value(i) == 30;
      all &= value(i) < 30;
      if (value(i) % 3 != value(t) % 3) continue;
      same += 1;
      same_before += i < t;
      same_sum += value(i);
    }
    const int last = value(first + size - 1);
    const int expected[16] = {rank,
                              t / size,
                              kThreads / size,
                              value(first + 1),
                              value(rank + 1 < size ? t + 1 : t),
                              value(rank > 0 ? t - 1 : t),
                              value(t ^ 1),
                              ballot,
                              any * 2 + all,
                              sum,
                              most,
                              before + value(t),
                              before,
                              last * 2 + last,
                              same * 100 + same_before,
                              same_sum};
    for (int i = 0; i < 16; ++i) expect::equal("tile", t * 16 + i, out.host[t * 16 + i], expected[i]);
  }
}

// Lanes that are together only because a branch went that way.
__global__ void coalesced(int* out) {
  const int t = threadIdx.x;
  int* mine = out + t * 6;
  if (t % 5 < 2) {
    const cg::coalesced_group group = cg::coalesced_threads();
    mine[0] = static_cast<int>(group.size());
    mine[1] = static_cast<int>(group.thread_rank());
    mine[2] = group.shfl(t, 2);
    mine[3] = cg::reduce(group, t, cg::plus<int>());
    mine[4] = static_cast<int>(group.ballot(t & 1));
    const auto odd = cg::binary_partition(group, (t & 1) != 0);
    mine[5] = cg::reduce(odd, t, cg::less<int>());
    group.sync();
  }
}

void check_coalesced() {
  expect::Array<int> out(64 * 6, -1);
  coalesced<<<1, 64>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int t = 0; t < 64; ++t) {
    std::vector<int> together;
    for (int i = t / 32 * 32; i < t / 32 * 32 + 32; ++i)
      if (i % 5 < 2) together.push_back(i);
    int sum = 0, ballot = 0, rank = 0, least = 1000;
    for (size_t i = 0; i < together.size(); ++i) {
      sum += together[i];
      ballot |= (together[i] & 1) << i;
      rank += together[i] < t;
      if ((together[i] & 1) == (t & 1)) least = std::min(least, together[i]);
    }
    const int expected[6] = {static_cast<int>(together.size()), rank, together[2], sum, ballot, least};
    for (int i = 0; i < 6; ++i)
      expect::equal("coalesced", t * 6 + i, out.host[t * 6 + i], t % 5 < 2 ? expected[i] : -1);
  }
}

// A tile of two warps, and groups whose kind is known at run time only.
__device__ int sum_of(const cg::thread_group& group, int* scratch, int value) {
  for (int i = static_cast<int>(group.size()) / 2; i > 0; i /= 2) {
    scratch[group.thread_rank()] = value;
    group.sync();
    if (group.thread_rank() < i) value += scratch[group.thread_rank() + i];
    group.sync();
  }
  return value;
}
__global__ void large(int* out) {
  __shared__ cg::block_tile_memory<kThreads> memory;
  __shared__ int scratch[kThreads];
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const int t = static_cast<int>(block.thread_rank());
  int* mine = out + t * 4;
  mine[0] = cg::reduce(tile, t, cg::plus<int>());
  mine[1] = cg::reduce(tile, 1ll << tile.thread_rank() % 60, cg::bit_or<long long>()) == (1ll << 60) - 1;
  mine[2] = sum_of(block, scratch, t);
  cg::sync(block);
  const cg::thread_group part = cg::tiled_partition(block, 8);
  mine[3] = sum_of(part, scratch + t / 8 * 8, t);
}

void check_large() {
  expect::Array<int> out(kThreads * 4, -1);
  large<<<1, kThreads>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int t = 0; t < kThreads; ++t) {
    expect::equal("sum of a tile", t, out.host[t * 4], t < 64 ? 2016 : 2016 + 64 * 64);
    expect::equal("bits of a tile", t, out.host[t * 4 + 1], 1);
    if (t == 0) expect::equal("sum of a block", t, out.host[t * 4 + 2], kThreads * (kThreads - 1) / 2);
    if (t % 8 == 0) expect::equal("sum of a part", t, out.host[t * 4 + 3], 8 * t + 28);
  }
}

// Each block reads what the next one wrote in the round before.
__global__ void rounds(volatile int* data, volatile int* copy) {
  const cg::grid_group grid = cg::this_grid();
  const int blocks = static_cast<int>(grid.num_blocks()), me = static_cast<int>(grid.block_rank());
  for (int round = 0; round < 6; ++round) {
    if (threadIdx.x == 0) data[me] += 1 + round * (round % 2 ? copy[me] : 1);
    grid.sync();
    if (threadIdx.x == 0) copy[me] = data[(me + 1) % blocks];
    grid.sync();
  }
  if (grid.thread_rank() == grid.size() - 1) data[blocks] = static_cast<int>(grid.size());
}

void check_grid() {
  std::vector<int> data(kBlocks, 0), copy(kBlocks, 0);
  for (int round = 0; round < 6; ++round) {
    for (int b = 0; b < kBlocks; ++b) data[b] += 1 + round * (round % 2 ? copy[b] : 1);
    for (int b = 0; b < kBlocks; ++b) copy[b] = data[(b + 1) % kBlocks];
  }
  expect::Array<int> a(kBlocks + 1, 0), b(kBlocks, 0);
  int *first = a.device(), *second = b.device();
  void* arguments[] = {&first, &second};
  for (int launch = 0; launch < 2; ++launch) {
    if (launch == 1) CHECK(cudaMemset(first, 0, 4 * kBlocks)), CHECK(cudaMemset(second, 0, 4 * kBlocks));
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(kBlocks), dim3(64), arguments));
    a.fetch();
    for (int i = 0; i < kBlocks; ++i) expect::equal("grid", i, a.host[i], data[i]);
    expect::equal("grid", kBlocks, a.host[kBlocks], kBlocks * 64);
  }
}

__global__ void copies(const int* from, int* to) {
  __shared__ int staged[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, staged, from, sizeof(int) * kThreads);
  cg::wait(block);
  to[threadIdx.x] = staged[kThreads - 1 - threadIdx.x];
}

void check_copies() {
  std::vector<int> values(kThreads);
  for (int i = 0; i < kThreads; ++i) values[i] = i * i;
  expect::Array<int> from(values), to(kThreads, -1);
  copies<<<1, 32>>>(from.device(), to.device());
  CHECK_LAUNCH();
  to.fetch();
  for (int i = 0; i < 32; ++i) expect::equal("copy", i, to.host[i], values[kThreads - 1 - i]);
}

int main() {
  check_tiles<32>();
  check_tiles<16>();
  check_tiles<4>();
  check_tiles<2>();
  check_coalesced();
  check_large();
  check_grid();
  check_copies();
  return expect::pass("cooperative_groups");
}
