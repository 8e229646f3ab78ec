// 32-bit and narrower division and remainder by variables, signed and unsigned, and by constants.
#include "expect.h"

const int kResults = 8;

__host__ __device__ void compute(int a, int b, int* out) {
  unsigned ua = static_cast<unsigned>(a), ub = static_cast<unsigned>(b);
  bool overflows = b == -1;
  out[0] = overflows ? 0 : a / b;
  out[1] = overflows ? 0 : a % b;
  out[2] = static_cast<int>(ua / ub);
  out[3] = static_cast<int>(ua % ub);
  out[4] = a / 7 + a % 7 * 1000;
  out[5] = static_cast<int>(ua / 1000u + ua % 10u);
  out[6] = a / -16 + a % 16;
  short small = static_cast<short>(b);
  out[7] = small == 0 ? -9 : static_cast<short>(a) / small - static_cast<short>(a) % small;
}

__global__ void run(const int* a, const int* b, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  compute(a[i], b[i], out + i * kResults);
}

int main() {
  const int values[] = {1,         -1,   2,     3,          -3,
                        7,         10,   -10,   16,         99,
                        641,       1000, 65537, 0x7fffffff, static_cast<int>(0x80000000u),
                        -123456789};
  std::vector<int> a, b;
  for (int x : values)
    for (int y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  const int n = static_cast<int>(a.size());
  expect::Array<int> d_a(a), d_b(b), out(n * kResults);
  run<<<2, n / 2>>>(d_a.device(), d_b.device(), out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < n; i++) {
    int expected[kResults];
    compute(a[i], b[i], expected);
    for (int k = 0; k < kResults; k++)
      expect::equal("out", i * kResults + k, out.host[i * kResults + k], expected[k]);
  }
  return expect::pass("integer_division");
}
