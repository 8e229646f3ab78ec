// 64-bit integer arithmetic: carries, products and high halves, shifts by variable amounts, division,
// comparisons, bit counting, conversions.
#include "expect.h"

typedef long long s64;
typedef unsigned long long u64;

const int kResults = 12;

#ifdef __CUDA_ARCH__
#define HIGH_UNSIGNED(a, b) __umul64hi(a, b)
#define HIGH_SIGNED(a, b) __mul64hi(a, b)
#define BITS_SET(a) __popcll(a)
#define LEADING_ZEROS(a) __clzll(a)
#else
#define HIGH_UNSIGNED(a, b) static_cast<u64>((static_cast<unsigned __int128>(a) * (b)) >> 64)
#define HIGH_SIGNED(a, b) static_cast<s64>((static_cast<__int128>(a) * (b)) >> 64)
#define BITS_SET(a) __builtin_popcountll(a)
#define LEADING_ZEROS(a) ((a) == 0 ? 64 : __builtin_clzll(a))
#endif

__host__ __device__ void compute(u64 a, u64 b, u64* out) {
  s64 sa = static_cast<s64>(a), sb = static_cast<s64>(b);
  out[0] = a + b;
  out[1] = a - b;
  out[2] = a * b;
  out[3] = HIGH_UNSIGNED(a, b);
  out[4] = static_cast<u64>(HIGH_SIGNED(sa, sb));
  out[5] = a << (b & 63) ^ a >> (b & 63) ^ static_cast<u64>(sa >> (b & 63));
  out[6] = b == 0 ? 1 : a / b;
  out[7] = b == 0 ? 2 : a % b;
  // The one signed quotient that overflows is left out.
  out[8] = sb == 0 || sb == -1 ? 3 : static_cast<u64>(sa / sb) * 3 + static_cast<u64>(sa % sb);
  out[9] = (a < b) | (sa < sb) << 1 | (a <= b) << 2 | (sa > sb) << 3 | (a == b) << 4;
  out[10] = static_cast<u64>(BITS_SET(a)) * 100 + static_cast<u64>(LEADING_ZEROS(b));
  out[11] = static_cast<u64>(static_cast<int>(a)) ^ static_cast<unsigned>(b) ^
            static_cast<u64>(static_cast<short>(a >> 16));
}

__global__ void run(const u64* a, const u64* b, u64* out) {
  compute(a[threadIdx.x], b[threadIdx.x], out + threadIdx.x * kResults);
}

int main() {
  const u64 interesting[] = {0,
                             1,
                             2,
                             0x7fffffffull,
                             0x80000000ull,
                             0xffffffff,
                             ~0ull,
                             1ull << 63,
                             0x7fffffffffffffffull,
                             0x100000001ull,
                             10,
                             1000000007,
                             63,
                             0x123456789abcdef0ull,
                             0xfedcba9876543210ull,
                             static_cast<u64>(-12345)};
  std::vector<u64> a, b;
  for (u64 x : interesting)
    for (u64 y : interesting) {
      a.push_back(x);
      b.push_back(y);
    }
  const int n = static_cast<int>(a.size());
  expect::Array<u64> d_a(a), d_b(b), out(n * kResults);
  run<<<1, n>>>(d_a.device(), d_b.device(), out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < n; i++) {
    u64 expected[kResults];
    compute(a[i], b[i], expected);
    for (int k = 0; k < kResults; k++)
      expect::equal("out", i * kResults + k, out.host[i * kResults + k], expected[k]);
  }
  return expect::pass("integers64");
}
