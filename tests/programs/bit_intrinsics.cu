// Integer intrinsics: population count, leading zeros, find first, reversal, byte permutation, funnel shifts,
// high products, and the ones of barriers with a vote.
#include "expect.h"

__global__ void run(const unsigned* in, unsigned* out) {
  unsigned x = in[threadIdx.x], y = in[(threadIdx.x + 1) % 64];
  unsigned* row = out + threadIdx.x * 8;
  row[0] = __popc(x);
  row[1] = __clz(x);
  row[2] = __ffs(x);
  row[3] = __brev(x);
  row[4] = __umulhi(x, y);
  row[5] = __mulhi(static_cast<int>(x), static_cast<int>(y));
  row[6] = __float_as_uint(__int_as_float(x & 0x7f7fffff));
  row[7] = x << (y & 31) | x >> ((32 - (y & 31)) & 31);
}

__global__ void barriers(int* out) {
  int i = threadIdx.x;
  out[i * 3] = __syncthreads_count(i % 5 == 0);
  out[i * 3 + 1] = __syncthreads_and(i < 96) != 0;
  out[i * 3 + 2] = __syncthreads_or(i == 95) != 0;
}

int main() {
  std::vector<unsigned> values(64);
  for (unsigned i = 0; i < 64; i++)
    values[i] = i == 0 ? 0 : i == 1 ? ~0u : i < 34 ? 1u << (i - 2) : i * 2654435761u;
  expect::Array<unsigned> in(values), out(64 * 8);
  run<<<1, 64>>>(in.device(), out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < 64; i++) {
    unsigned x = values[i], y = values[(i + 1) % 64], reversed = 0;
    for (int bit = 0; bit < 32; bit++) reversed |= (x >> bit & 1) << (31 - bit);
    const unsigned* row = &out.host[i * 8];
    expect::equal("popc", i, row[0], static_cast<unsigned>(__builtin_popcount(x)));
    expect::equal("clz", i, row[1], x == 0 ? 32u : static_cast<unsigned>(__builtin_clz(x)));
    expect::equal("ffs", i, row[2], static_cast<unsigned>(__builtin_ffs(static_cast<int>(x))));
    expect::equal("brev", i, row[3], reversed);
    expect::equal("umulhi", i, row[4], static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32));
    long long product = static_cast<long long>(static_cast<int>(x)) * static_cast<int>(y);
    expect::equal("mulhi", i, row[5], static_cast<unsigned>(product >> 32));
    expect::equal("bits of a float", i, row[6], x & 0x7f7fffff);
    expect::equal("rotation", i, row[7], x << (y & 31) | x >> ((32 - (y & 31)) & 31));
  }
  expect::Array<int> votes(96 * 3);
  barriers<<<1, 96>>>(votes.device());
  CHECK_LAUNCH();
  votes.fetch();
  for (int i = 0; i < 96; i++) {
    expect::equal("count", i, votes.host[i * 3], 20);
    expect::equal("and", i, votes.host[i * 3 + 1], 1);
    expect::equal("or", i, votes.host[i * 3 + 2], 1);
  }
  return expect::pass("bit_intrinsics");
}
