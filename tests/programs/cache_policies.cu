// Eviction policies: createpolicy's 64 bits as ptxas encodes them, and hints, discard and applypriority,
// which leave every value as it is.
#include "expect.h"

using Bits = unsigned long long;

#define POLICY(index, text)                          \
  asm volatile("createpolicy." text : "=l"(policy)); \
  out[index] = policy

__global__ void fractions(Bits* out) {
  Bits policy;
  POLICY(0, "fractional.L2::evict_last.b64 %0;");
  POLICY(1, "fractional.L2::evict_last.b64 %0, 1.0;");
  POLICY(2, "fractional.L2::evict_last.b64 %0, 0.5;");
  POLICY(3, "fractional.L2::evict_last.L2::evict_first.b64 %0, 0.5;");
  POLICY(4, "fractional.L2::evict_normal.b64 %0, 0.75;");
  POLICY(5, "fractional.L2::evict_first.b64 %0, 0.75;");
  POLICY(6, "fractional.L2::evict_unchanged.b64 %0, 0.75;");
  POLICY(7, "fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.0625;");
  POLICY(8, "fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.0626;");
  POLICY(9, "fractional.L2::evict_last.b64 %0, 0.93;");
  POLICY(10, "fractional.L2::evict_first.L2::evict_first.b64 %0, 0f3F70A3D7;");
  asm volatile("createpolicy.cvt.L2.b64 %0, %1;" : "=l"(policy) : "l"(0x12f0000000000000ull));
  out[11] = policy;
}

__global__ void in_registers(Bits* out, const float* fractions, const void* const* addresses,
                             const unsigned* primary, const unsigned* total) {
  const unsigned i = threadIdx.x;
  Bits fraction = 7, range;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 3; @p createpolicy.fractional.L2::evict_last.b64 %0, %1; }"
               : "+l"(fraction)
               : "f"(fractions[i]), "r"(i));
  asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1+16], %2, %3;"
               : "=l"(range)
               : "l"(addresses[i]), "r"(primary[i]), "r"(total[i]));
  out[2 * i] = fraction;
  out[2 * i + 1] = range;
}

__global__ void hints(unsigned* out, unsigned* cells, unsigned* discarded, Bits policy) {
  unsigned value, old;
  unsigned* const cell = cells + threadIdx.x;
  asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(value) : "l"(cell), "l"(policy));
  asm volatile("atom.global.add.L2::cache_hint.u32 %0, [%1], 3, %2;" : "=r"(old) : "l"(cell), "l"(policy));
  asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(out + threadIdx.x), "r"(value + old),
               "l"(policy));
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(cells));
  asm volatile("applypriority.L2::evict_normal [%0+0], 128;" ::"l"(cells));
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(discarded));
    asm volatile("discard.L2 [%0], 128;" ::"l"(discarded));
  }
  __syncthreads();
  discarded[threadIdx.x] = threadIdx.x + 5;
}

// The layout of cuda/annotated_ptr.
static Bits range_of(Bits address, Bits primary, Bits total) {
  if (total == 0) return 0x1800000000000000ull;
  unsigned log2 = 0;
  while ((1ull << log2) < total) ++log2;
  const unsigned shift = log2 < 19 ? 12 : log2 - 7;
  const Bits start = address >> shift, end = (address + primary + (1ull << shift) - 1) >> shift;
  const Bits count = end - start < 127 ? end - start : 127;
  return 0x1d00000000000000ull | Bits{shift - 12} << 52 | (start & 127) << 44 | count << 37;
}

int main() {
  static const Bits kFractions[] = {0x14f0000000000000, 0x14f0000000000000, 0x1470000000000000,
                                    0x1570000000000000, 0x16b0000000000000, 0x12b0000000000000,
                                    0x10b0000000000000, 0x1200000000000000, 0x1410000000000000,
                                    0x14e0000000000000, 0x13f0000000000000, 0x12f0000000000000};
  expect::Array<Bits> policies(12);
  fractions<<<1, 1>>>(policies.device());
  CHECK_LAUNCH();
  policies.fetch();
  for (int i = 0; i < 12; i++) expect::equal("fraction", i, policies.host[i], kFractions[i]);

  constexpr int kCount = 8;
  const std::vector<float> parts = {1.0f, 0.5f, 0.0625f, 0.25f, 0.126f, 0.94f, 0.93f, 0.001f};
  const std::vector<Bits> fields = {15, 7, 0, 0, 2, 15, 14, 0};
  const std::vector<unsigned> primary = {0x1000, 0x100000, 0, 1, 0xffff, 0x7f000000, 0, 0x300001},
                              total = {0x1000, 0x200000, 0x8000, 0x80001, 0x10000, 0x80000000, 0, 0x300001};
  std::vector<const void*> where;
  for (Bits i = 0; i < kCount; i++)
    where.push_back(reinterpret_cast<const void*>(0x7f1234500000ull + i * 0x12345610));
  expect::Array<float> part(parts);
  expect::Array<unsigned> first(primary), all(total);
  expect::Array<const void*> address(where);
  expect::Array<Bits> made(2 * kCount);
  in_registers<<<1, kCount>>>(made.device(), part.device(), address.device(), first.device(), all.device());
  CHECK_LAUNCH();
  made.fetch();
  for (int i = 0; i < kCount; i++) {
    expect::equal("fraction in a register", i, made.host[2 * i],
                  i == 3 ? Bits{7} : 0x1400000000000000ull | fields[i] << 52);
    expect::equal("range", i, made.host[2 * i + 1],
                  range_of(reinterpret_cast<Bits>(where[i]) + 16, primary[i], total[i]));
  }

  std::vector<unsigned> start(64);
  for (unsigned i = 0; i < 64; i++) start[i] = 9 * i + 1;
  expect::Array<unsigned> cells(start), out(64), discarded(64, 3u);
  hints<<<1, 64>>>(out.device(), cells.device(), discarded.device(), policies.host[3]);
  CHECK_LAUNCH();
  cells.fetch();
  out.fetch();
  discarded.fetch();
  for (unsigned i = 0; i < 64; i++) {
    expect::equal("out", i, out.host[i], 2 * start[i]);
    expect::equal("cell", i, cells.host[i], start[i] + 3);
    expect::equal("discarded", i, discarded.host[i], i + 5);
  }
  puts("PASS cache_policies");
}
