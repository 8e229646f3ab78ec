// Double precision: arithmetic, division and square root are correctly rounded, comparisons with NaN,
// conversions to and from integers and float. (Products are kept apart from sums, so that no contraction
// changes a result.)
#include <math.h>

#include "expect.h"

__global__ void arithmetic(const double* a, const double* b, double* out) {
  int i = threadIdx.x;
  double x = a[i], y = b[i];
  out[i * 6] = x + y;
  out[i * 6 + 1] = x * y;
  out[i * 6 + 2] = x / y;
  out[i * 6 + 3] = sqrt(fabs(x));
  out[i * 6 + 4] = fma(x, y, -x);
  out[i * 6 + 5] = x - y;
}

__global__ void convert(const double* a, long long* integers, float* floats, int* compared) {
  int i = threadIdx.x;
  double x = a[i];
  integers[i] = static_cast<long long>(x);
  floats[i] = static_cast<float>(x);
  compared[i] = (x < 1.0) | (x > 1.0) << 1 | (x == 1.0) << 2 | (x != 1.0) << 3 | (x <= 1.0) << 4;
}

int main() {
  std::vector<double> a, b;
  const double values[] = {1.0, -1.0, 0.1, 3.0, 1e300, -1e-300, 5e-324, 1.0 / 3, 123456789.125, -2.5, 7e22};
  for (double x : values)
    for (double y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  const int n = static_cast<int>(a.size());
  expect::Array<double> d_a(a), d_b(b), out(n * 6);
  arithmetic<<<1, n>>>(d_a.device(), d_b.device(), out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < n; i++) {
    const double expected[6] = {
        a[i] + b[i], a[i] * b[i], a[i] / b[i], sqrt(fabs(a[i])), fma(a[i], b[i], -a[i]), a[i] - b[i]};
    for (int k = 0; k < 6; k++) expect::equal("out", i * 6 + k, out.host[i * 6 + k], expected[k]);
  }

  std::vector<double> convertible = {0.0,  -0.0,  1.0,    1.5,  -1.5, 2.999999, -123456789012.75,
                                     9e15, 1e-40, 9.2e18, -1e10};
  const int m = static_cast<int>(convertible.size());
  convertible.push_back(nan(""));
  expect::Array<double> in(convertible);
  expect::Array<long long> integers(m + 1);
  expect::Array<float> floats(m + 1);
  expect::Array<int> compared(m + 1);
  convert<<<1, m + 1>>>(in.device(), integers.device(), floats.device(), compared.device());
  CHECK_LAUNCH();
  integers.fetch();
  floats.fetch();
  compared.fetch();
  for (int i = 0; i < m; i++) {
    double x = convertible[i];
    expect::equal("integers", i, integers.host[i], static_cast<long long>(x));
    expect::equal("floats", i, floats.host[i], static_cast<float>(x));
    expect::equal("compared", i, compared.host[i],
                  (x < 1.0) | (x > 1.0) << 1 | (x == 1.0) << 2 | (x != 1.0) << 3 | (x <= 1.0) << 4);
  }
  REQUIRE(floats.host[m] != floats.host[m]);
  expect::equal("compared", m, compared.host[m], 8);
  return expect::pass("doubles");
}
