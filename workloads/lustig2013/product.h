// matrixMul's check: the product in double precision, and how far sums in single precision may be off.
#pragma once

#include <math.h>
#include <stddef.h>

#include <vector>

namespace lustig2013 {

// Whether c is the product of a and b, n x n each; otherwise wrong(index, expected) has been called for the
// first element that is not.
template <typename Floats, typename Wrong>
bool is_product(const Floats& a, const Floats& b, const Floats& c, size_t n, Wrong&& wrong) {
  std::vector<double> sum(n), magnitude(n);
  for (size_t row = 0; row < n; row++) {
    for (size_t col = 0; col < n; col++) sum[col] = magnitude[col] = 0;
    for (size_t k = 0; k < n; k++)
      for (size_t col = 0; col < n; col++) {
        double term = static_cast<double>(a[row * n + k]) * b[k * n + col];
        sum[col] += term;
        magnitude[col] += fabs(term);
      }
    for (size_t col = 0; col < n; col++) {
      // n + 1 roundings of at most half an ulp each, relative to the sum of magnitudes.
      const size_t i = row * n + col;
      if (fabs(c[i] - sum[col]) <= 6e-8 * (n + 1) * magnitude[col]) continue;
      wrong(i, sum[col]);
      return false;
    }
  }
  return true;
}

}  // namespace lustig2013
