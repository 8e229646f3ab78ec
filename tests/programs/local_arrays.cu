// Arrays of a thread with indices known only at run time (local memory): an insertion sort, a lookup table of
// structures, bytes addressed one by one.
#include "expect.h"

struct Cell {
  short key;
  double value;
};

__host__ __device__ void compute(int seed, int* out) {
  int data[16];
  for (int i = 0; i < 16; i++) data[i] = (seed * 31 + i * i * 17) % 101 - 50;
  for (int i = 1; i < 16; i++) {
    int value = data[i], at = i;
    for (; at > 0 && data[at - 1] > value; at--) data[at] = data[at - 1];
    data[at] = value;
  }
  for (int i = 0; i < 16; i++) out[i] = data[i];

  Cell cells[8];
  for (int i = 0; i < 8; i++) cells[(i * 3 + seed) % 8] = {static_cast<short>(i - seed), i * 0.5};
  out[16] = cells[seed % 8].key;
  out[17] = static_cast<int>(cells[(seed / 3) % 8].value * 2);

  unsigned char bytes[13];
  for (int i = 0; i < 13; i++) bytes[(i * 5 + seed) % 13] = static_cast<unsigned char>(seed * i + 200);
  out[18] = bytes[seed % 13] * 256 + bytes[(seed * 7) % 13];
}

__global__ void run(int* out) {
  compute(threadIdx.x + blockIdx.x * blockDim.x, out + 19 * (threadIdx.x + blockIdx.x * blockDim.x));
}

int main() {
  const int n = 128;
  expect::Array<int> out(n * 19);
  run<<<2, n / 2>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < n; i++) {
    int expected[19];
    compute(i, expected);
    for (int k = 0; k < 19; k++) expect::equal("out", i * 19 + k, out.host[i * 19 + k], expected[k]);
  }
  return expect::pass("local_arrays");
}
