// lustig2013 Figure 12 and section 7.1: c = a + b over vectors of single-precision elements.
#include <vector>

#include "../../common/random.h"
#include "timed.h"

namespace {

using namespace lustig2013;

const Program kProgram = {"vectorAdd", "ELEMENTS", 65536, 1, 1ul << 26};

[[gnu::noinline]] void add(const float* a, const float* b, float* c, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; i++) c[i] = a[i] + b[i];
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = kProgram.parse(argc, argv);
  const std::size_t n = options.size;
  std::vector<float> a(n), b(n), c(n);
  const auto fill = [x = a.data(), y = b.data(), n](unsigned long long seed) {
    if (seed != 1) return;  // to warm up zeros do as well, and -O0 takes long to draw
    workload::Random random(seed);
    for (std::size_t i = 0; i < n; i++) {
      x[i] = random.uniform(0.0f, 1.0f);
      y[i] = random.uniform(0.0f, 1.0f);
    }
  };
  measure(options, fill, [&] {
    in_parts(options, n,
             [&](std::size_t first, std::size_t last) { add(a.data(), b.data(), c.data(), first, last); });
  });
  for (std::size_t i = 0; i < n; i++)
    if (c[i] != a[i] + b[i]) return kProgram.wrong("element", i, c[i], a[i] + b[i]);
}
