// Calls of __noinline__ device functions: values, structures and pointers as arguments, results, calls within
// calls, calls from divergent code.
#include "expect.h"

struct Pair {
  int quotient, remainder;
};

__device__ __noinline__ Pair divide(int a, int b) { return {a / b, a % b}; }
__device__ __noinline__ float blend(float a, float b, float t) { return a + (b - a) * t; }
__device__ __noinline__ void bump(int* value, long long amount) { *value += static_cast<int>(amount); }
__device__ __noinline__ int outer(int x, int* calls) {
  Pair pair = divide(x, 7);
  bump(calls, pair.remainder);
  return pair.quotient * 10 + pair.remainder;
}

__global__ void run(int* out, int* sums, float* blended) {
  int i = threadIdx.x, sum = 0;
  if (i % 3 == 0)
    out[i] = outer(i * 5, &sum);
  else if (i % 3 == 1)
    out[i] = -outer(i + 100, &sum);
  else
    bump(&sum, 1000);
  sums[i] = sum;
  blended[i] = blend(i, 64.0f, 0.5f);
}

int main() {
  expect::Array<int> out(64, -5), sums(64);
  expect::Array<float> blended(64);
  run<<<1, 64>>>(out.device(), sums.device(), blended.device());
  CHECK_LAUNCH();
  out.fetch();
  sums.fetch();
  blended.fetch();
  for (int i = 0; i < 64; i++) {
    int x = i % 3 == 0 ? i * 5 : i + 100;
    int digits = x / 7 * 10 + x % 7;
    expect::equal("out", i, out.host[i], i % 3 == 0 ? digits : i % 3 == 1 ? -digits : -5);
    expect::equal("sums", i, sums.host[i], i % 3 == 2 ? 1000 : x % 7);
    expect::equal("blended", i, blended.host[i], i + (64.0f - i) * 0.5f);
  }
  return expect::pass("device_calls");
}
