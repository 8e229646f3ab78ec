// Functors as kernel arguments, and lambdas that are written and called inside a kernel.
#include "expect.h"

struct Affine {
  int factor, offset;
  __host__ __device__ int operator()(int x) const { return factor * x + offset; }
};

template <typename First, typename Second>
__global__ void compose(int* out, First first, Second second) {
  int i = threadIdx.x;
  auto twice = [&](int x) { return first(first(x)); };
  auto add_index = [i](int x) { return x + i; };
  out[i] = second(add_index(twice(i)));
}

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};

int main() {
  expect::Array<int> out(64);
  Affine affine{3, -7};
  Square square;
  compose<<<1, 64>>>(out.device(), affine, square);
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < 64; i++) expect::equal("out", i, out.host[i], square(affine(affine(i)) + i));
  return expect::pass("functors");
}
