// Atomics on a thread's own memory, by generic addresses: old and new values of every width, their order
// among the thread's other accesses, and warps in which some lanes have shared or global memory instead.
#include "expect.h"

using Wide = unsigned long long;

// In assembly, as compilers know better than to do this.
#define ATOM(name, type, constraint, text)            \
  static __device__ type name(type* at, type value) { \
    type old;                                         \
    asm volatile("atom." text " %0, [%1], %2;"        \
                 : "=" constraint(old)                \
                 : "l"(at), constraint(value)         \
                 : "memory");                         \
    return old;                                       \
  }
#define CAS(name, type, constraint, text)                            \
  static __device__ type name(type* at, type expected, type value) { \
    type old;                                                        \
    asm volatile("atom.cas." text " %0, [%1], %2, %3;"               \
                 : "=" constraint(old)                               \
                 : "l"(at), constraint(expected), constraint(value)  \
                 : "memory");                                        \
    return old;                                                      \
  }
#define RED(name, type, constraint, text)                                           \
  static __device__ void name(type* at, type value) {                               \
    asm volatile("red." text " [%0], %1;" ::"l"(at), constraint(value) : "memory"); \
  }
ATOM(add, Wide, "l", "add.u64")
ATOM(add, unsigned, "r", "add.u32")
ATOM(add, double, "d", "add.f64")
ATOM(exchange, Wide, "l", "exch.b64")
CAS(compare_and_swap, Wide, "l", "b64")
CAS(compare_and_swap, unsigned, "r", "b32")
RED(reduce_add, Wide, "l", "add.u64")
RED(reduce_max, Wide, "l", "max.u64")
RED(reduce_min, Wide, "l", "min.u64")
RED(reduce_xor, Wide, "l", "xor.b64")

constexpr unsigned kThreads = 64, kResults = 20;

__global__ void alone(Wide* out, unsigned shift) {
  Wide cells[8];
  unsigned words[8];
  double numbers[4];
  const unsigned i = threadIdx.x;
  for (unsigned k = 0; k < 8; k++) cells[k] = 0x100000000ull * (k + 1) + i, words[k] = 10 * k + i;
  for (unsigned k = 0; k < 4; k++) numbers[k] = 0.5 * (k + i);
  Wide* const to = out + i * kResults;
  const auto cell = [&](unsigned k) { return cells + ((k + shift) & 7); };
  unsigned at = 0;
  to[at++] = add(cell(0), 0xfffffffffull);
  to[at++] = *cell(0);
  to[at++] = compare_and_swap(cell(1), 0x200000000ull + i, 77ull);
  to[at++] = *cell(1);
  to[at++] = compare_and_swap(cell(1), 78ull, 5ull);
  *cell(1) += 1;
  to[at++] = exchange(cell(1), Wide{i});
  to[at++] = *cell(1);
  reduce_max(cell(2), 0xfffffffffffull);
  to[at++] = *cell(2);
  reduce_min(cell(3), Wide{i} << 3);
  reduce_xor(cell(3), 0x8000000000000001ull);
  to[at++] = *cell(3);
  reduce_add(cell(4), 3ull);  // nobody waits for its result
  *cell(4) = 12;              // so this comes after it
  to[at++] = *cell(4);
  double* const number = numbers + ((i + shift) & 3);
  *number = 2.0 * i;
  const double old = add(number, 0.25);
  to[at++] = static_cast<Wide>(old * 4);
  to[at++] = static_cast<Wide>(*number * 4);
  unsigned* const word = words + ((i + shift) & 7);
  *word = i;
  to[at++] = add(word, 1000u);
  to[at++] = *word;
  to[at++] = compare_and_swap(word, 1000u + i, 6u);
  to[at++] = *word;
  alignas(16) Wide pair[4] = {i, i + 1, i + 2, i + 3};
  Wide* const both = pair + 2 * (shift & 1);
  Wide low, high;
  asm volatile(
      "{ .reg .b128 o, e, v; mov.b128 e, {%3, %4}; mov.b128 v, {%5, %6}; atom.cas.b128 o, [%2], e, v;\n"
      "  mov.b128 {%0, %1}, o; }"
      : "=l"(low), "=l"(high)
      : "l"(both), "l"(both[0]), "l"(both[1]), "l"(Wide{91}), "l"(Wide{92} << 40)
      : "memory");
  to[at++] = low + high;
  to[at++] = both[0];
  to[at++] = both[1];
}

// Lanes 3k add in local, 3k + 1 in shared, 3k + 2 in global memory.
__global__ void mixed(Wide* olds, Wide* news, Wide* global) {
  __shared__ Wide shared[kThreads];
  Wide local[2] = {0, 0};
  const unsigned i = threadIdx.x;
  shared[i] = i;
  local[i & 1] = i;
  global[i] = i;
  __syncthreads();
  Wide* const at = i % 3 == 0 ? local + (i & 1) : i % 3 == 1 ? shared + i : global + i;
  const Wide old = add(at, Wide{i} << 33);
  reduce_add(at, 1ull);
  olds[i] = old;
  news[i] = *at;
}

int main() {
  expect::Array<Wide> out(kThreads * kResults);
  for (unsigned shift = 0; shift < 2; shift++) {
    alone<<<1, kThreads>>>(out.device(), 8 * shift);
    CHECK_LAUNCH();
    out.fetch();
    for (unsigned i = 0; i < kThreads; i++) {
      const Wide b = 0x200000000ull + i;
      const Wide expected[] = {0x100000000ull + i,
                               0x100000000ull + i + 0xfffffffffull,
                               b,
                               77,
                               77,
                               78,
                               i,
                               0xfffffffffffull,
                               (Wide{i} << 3) ^ 0x8000000000000001ull,
                               12,
                               8ull * i,
                               8ull * i + 1,
                               i,
                               1000ull + i,
                               1000ull + i,
                               6,
                               2ull * i + 1,
                               91,
                               Wide{92} << 40};
      for (unsigned k = 0; k < sizeof expected / sizeof *expected; k++)
        expect::equal("result", i * kResults + k, out.host[i * kResults + k], expected[k]);
    }
  }
  expect::Array<Wide> olds(kThreads), news(kThreads), global(kThreads);
  mixed<<<1, kThreads>>>(olds.device(), news.device(), global.device());
  CHECK_LAUNCH();
  olds.fetch();
  news.fetch();
  for (Wide i = 0; i < kThreads; i++) {
    expect::equal("old", i, olds.host[i], i);
    expect::equal("new", i, news.host[i], i + (i << 33) + 1);
  }
  puts("PASS local_atomics");
}
