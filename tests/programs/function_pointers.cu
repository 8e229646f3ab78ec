// Calls through function pointers in device code, the same in a whole warp and different in its lanes.
#include "expect.h"

typedef int (*Operation)(int, int);

__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }

__device__ Operation table[3] = {add, subtract, multiply};

__global__ void uniform(int* out, int which) { out[threadIdx.x] = table[which](threadIdx.x, 3); }
__global__ void divergent(int* out) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x, 5); }

int apply(int which, int a, int b) { return which == 0 ? a + b : which == 1 ? a - b : a * b; }

int main() {
  expect::Array<int> out(64);
  for (int which = 0; which < 3; which++) {
    uniform<<<1, 64>>>(out.device(), which);
    CHECK_LAUNCH();
    out.fetch();
    for (int i = 0; i < 64; i++) expect::equal("uniform", i, out.host[i], apply(which, i, 3));
  }
  divergent<<<1, 64>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < 64; i++) expect::equal("divergent", i, out.host[i], apply(i % 3, i, 5));
  return expect::pass("function_pointers");
}
