// Divergent control flow: loops with a trip count per lane, nested branches, break and continue, a switch,
// early return, a loop whose lanes leave through different exits, warps that are not full.
#include "expect.h"

__host__ __device__ int collatz_steps(unsigned n) {
  int steps = 0;
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    steps++;
  }
  return steps;
}

__host__ __device__ int nested(int i) {
  int value = 0;
  for (int a = 0; a < i % 7; a++) {
    if (a == 4) continue;
    for (int b = 0; b <= i % 5; b++) {
      if ((a + b + i) % 11 == 0) break;
      if (a > b) {
        value += a * 10;
        if (i % 2 == 0) value -= b;
      } else {
        value += b * 100;
      }
    }
    if (value > 900) return -value;
  }
  return value;
}

__host__ __device__ int choose(int i) {
  switch (i % 9) {
    case 0:
      return i + 1;
    case 1:
    case 2:
      return i * 2;
    case 3:
      i += 5;
      [[fallthrough]];
    case 4:
      return i * 3;
    case 7:
      return -i;
    default:
      return 7;
  }
}

__host__ __device__ int search(int i) {
  int state = i;
  for (int step = 0;; step++) {
    if (state % 13 == 0) return step;
    if (state > 5000) return -step;
    state = state * 3 + (state & 1);
    if (step == 20) break;
  }
  return 1000 + state % 7;
}

__global__ void run(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i * 4] = collatz_steps(i + 1);
  if (i % 17 == 3) return;
  out[i * 4 + 1] = nested(i);
  out[i * 4 + 2] = choose(i);
  out[i * 4 + 3] = search(i + 1);
}

int main() {
  const int n = 3 * 72 - 9;
  expect::Array<int> out(n * 4, -77);
  run<<<3, 72>>>(out.device(), n);
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < n; i++) {
    bool early = i % 17 == 3;
    expect::equal("collatz", i, out.host[i * 4], collatz_steps(i + 1));
    expect::equal("nested", i, out.host[i * 4 + 1], early ? -77 : nested(i));
    expect::equal("choose", i, out.host[i * 4 + 2], early ? -77 : choose(i));
    expect::equal("search", i, out.host[i * 4 + 3], early ? -77 : search(i + 1));
  }
  return expect::pass("divergence");
}
