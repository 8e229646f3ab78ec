// Registers of 128 bits: made of halves and taken apart, loaded from and stored to every kind of memory,
// exchanged and compared and swapped in global and shared memory.
#include "expect.h"

using Half = unsigned long long;
struct alignas(16) Pair {
  Half low, high;
};

static __device__ void swap_halves(Pair& to, Pair from) {
  asm volatile(
      "{ .reg .b128 a, b<3>; mov.b128 a, {%2, %3}; mov.b128 b2, a; mov.b128 {%1, %0}, b2;\n"
      "  mov.b128 {_, %0}, b2; }"
      : "=l"(to.low), "=l"(to.high)
      : "l"(from.low), "l"(from.high));
}

__global__ void moves(Pair* out, const Pair* in, unsigned bit) {
  __shared__ Pair shared[64];
  Pair local[4] = {};
  const unsigned i = threadIdx.x;
  asm volatile("{ .reg .b128 a; ld.global.b128 a, [%0]; st.shared.b128 [%1], a; }" ::"l"(in + i),
               "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared + i)))
               : "memory");
  __syncthreads();
  Pair* const place = local + (i + bit) % 4;
  asm volatile("{ .reg .b128 a; ld.b128 a, [%0]; st.b128 [%1], a; }" ::"l"(shared + (i + 1) % 64), "l"(place)
               : "memory");
  Pair swapped;
  swap_halves(swapped, *place);
  asm volatile(
      "{ .reg .b128 a; .reg .pred p; setp.ne.u32 p, %3, 5; mov.b128 a, {%1, %2};\n"
      "  @p st.relaxed.gpu.global.b128 [%0], a; }" ::"l"(out + i),
      "l"(swapped.low), "l"(swapped.high), "r"(i)
      : "memory");
}

static __device__ Pair exchange(Pair* at, Pair value) {
  Pair old;
  asm volatile("{ .reg .b128 o, v; mov.b128 v, {%3, %4}; atom.exch.b128 o, [%2], v; mov.b128 {%0, %1}, o; }"
               : "=l"(old.low), "=l"(old.high)
               : "l"(at), "l"(value.low), "l"(value.high)
               : "memory");
  return old;
}
static __device__ Pair compare_and_swap(Pair* at, Pair expected, Pair value) {
  Pair old;
  asm volatile(
      "{ .reg .b128 o, e, v; mov.b128 e, {%3, %4}; mov.b128 v, {%5, %6};\n"
      "  atom.acq_rel.gpu.cas.b128 o, [%2], e, v; mov.b128 {%0, %1}, o; }"
      : "=l"(old.low), "=l"(old.high)
      : "l"(at), "l"(expected.low), "l"(expected.high), "l"(value.low), "l"(value.high)
      : "memory");
  return old;
}

// Every thread adds 1 to the lower half; the upper one stays three times the lower.
static __device__ void count(Pair* at) {
  Pair seen = {0, 0};
  while (true) {
    const Pair old = compare_and_swap(at, seen, {seen.low + 1, 3 * (seen.low + 1)});
    if (old.low == seen.low && old.high == seen.high) return;
    seen = old;
  }
}

__global__ void atomics(Pair* counter, Pair* slot, Pair* taken, Pair* of_block) {
  __shared__ Pair shared;
  if (threadIdx.x == 0) shared = {0, 0};
  __syncthreads();
  count(counter);
  count(&shared);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  taken[i] = exchange(slot, {i + 1, ~Half{i + 1}});
  // Only the upper half differs: nothing is swapped.
  compare_and_swap(&shared, {shared.low, ~Half{0}}, {0, 0});
  __syncthreads();
  if (threadIdx.x == 0) of_block[blockIdx.x] = shared;
  if (threadIdx.x == 0)
    asm volatile("{ .reg .b128 v; mov.b128 v, {%1, %1}; atom.global.exch.b128 _, [%0], v; }" ::"l"(
                     of_block + 8 + blockIdx.x),
                 "l"(Half{77})
                 : "memory");
}

int main() {
  std::vector<Pair> values(64);
  for (Half i = 0; i < 64; i++) values[i] = {i * 0x0123456789abcdefull + 1, ~i * 0xfedcba987654321ull};
  expect::Array<Pair> in(values), out(64, Pair{1, 2});
  moves<<<1, 64>>>(out.device(), in.device(), 1);
  CHECK_LAUNCH();
  out.fetch();
  for (unsigned i = 0; i < 64; i++) {
    const Pair& from = values[(i + 1) % 64];
    expect::equal("low", i, out.host[i].low, i == 5 ? 1 : from.high);
    expect::equal("high", i, out.host[i].high, i == 5 ? 2 : from.low);
  }

  constexpr unsigned kBlocks = 2, kThreads = 48, kAll = kBlocks * kThreads;
  expect::Array<Pair> counter(1), slot(1), taken(kAll), of_block(16);
  atomics<<<kBlocks, kThreads>>>(counter.device(), slot.device(), taken.device(), of_block.device());
  CHECK_LAUNCH();
  counter.fetch();
  slot.fetch();
  taken.fetch();
  of_block.fetch();
  expect::equal("counter", 0, counter.host[0].low, Half{kAll});
  expect::equal("counter", 1, counter.host[0].high, Half{3 * kAll});
  for (unsigned b = 0; b < kBlocks; b++) {
    expect::equal("of block", b, of_block.host[b].low, Half{kThreads});
    expect::equal("of block, high", b, of_block.host[b].high, Half{3 * kThreads});
    expect::equal("exchanged", b, of_block.host[8 + b].high, Half{77});
  }
  // Every value is taken once, but for the one that stays.
  std::vector<int> seen(kAll + 1);
  taken.host.push_back(slot.host[0]);
  for (const Pair& pair : taken.host) {
    REQUIRE(pair.low <= kAll && pair.high == (pair.low == 0 ? 0 : ~pair.low));
    REQUIRE(seen[pair.low]++ == 0);
  }
  puts("PASS registers_128");
}
