// lustig2013 section 7.1: C = A B for square single-precision matrices. A row of C is a sum of rows of B, so
// the inner loop walks along rows, and its additions do not depend on each other. NVIDIA's own reference
// (computeGold of the SDK's matrixMul) walks down B's columns and adds in double precision, one chain an
// element.
#include "../product.h"

#include <algorithm>
#include <vector>

#include "../../common/random.h"
#include "timed.h"

namespace {

using namespace lustig2013;

const Program kProgram = {"matrixMul", "ROWS", 64, 16, 4096, 16};

[[gnu::noinline]] void multiply(const float* a, const float* b, float* c, std::size_t n,
                                std::size_t first_row, std::size_t last_row) {
  for (std::size_t row = first_row; row < last_row; row++) {
    float* const sums = c + row * n;
    std::fill_n(sums, n, 0.0f);
    for (std::size_t k = 0; k < n; k++) {
      const float factor = a[row * n + k];
      const float* const row_of_b = b + k * n;
      for (std::size_t col = 0; col < n; col++) sums[col] += factor * row_of_b[col];
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = kProgram.parse(argc, argv);
  const std::size_t n = options.size;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  const auto fill = [&](unsigned long long seed) {
    workload::Random random(seed);
    for (std::size_t i = 0; i < n * n; i++) {
      a[i] = random.uniform(0.0f, 1.0f);
      b[i] = random.uniform(0.0f, 1.0f);
    }
  };
  measure(options, fill, [&] {
    in_parts(options, n, [&](std::size_t first, std::size_t last) {
      multiply(a.data(), b.data(), c.data(), n, first, last);
    });
  });
  const auto wrong = [&](std::size_t i, double expected) { kProgram.wrong("element", i, c[i], expected); };
  return is_product(a, b, c, n, wrong) ? 0 : 1;
}
