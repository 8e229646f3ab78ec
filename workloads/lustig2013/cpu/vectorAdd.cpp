// lustig2013 Figure 12: c = a + b on one thread. --state says where the vectors are when the time begins:
// fresh: a and b have just been written, from end to end, as an offload finds them; warm: the addition has been
// done before; cold: other memory has been written since, twice as much as the last cache holds.
#include <vector>

#include "../../common/random.h"
#include "timed.h"

namespace {

using namespace lustig2013;

const char kUsage[] = "vectorAdd [--size ELEMENTS] [--state fresh|warm|cold] [--flush-bytes N]";

[[gnu::noinline]] void add(const float* a, const float* b, float* c, std::size_t n) {
  for (std::size_t i = 0; i < n; i++) c[i] = a[i] + b[i];
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t n = 65536, flush_bytes = 16u << 20;
  const char* state = "fresh";
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) usage(kUsage, argv[i]);
    if (std::strcmp(argv[i], "--size") == 0)
      n = number(argv[i + 1], 1, 1u << 26, kUsage);
    else if (std::strcmp(argv[i], "--flush-bytes") == 0)
      flush_bytes = number(argv[i + 1], 0, 1u << 30, kUsage);
    else if (std::strcmp(argv[i], "--state") == 0)
      state = argv[i + 1];
    else
      usage(kUsage, argv[i]);
  }
  const bool warm = std::strcmp(state, "warm") == 0, cold = std::strcmp(state, "cold") == 0;
  if (!warm && !cold && std::strcmp(state, "fresh") != 0) usage(kUsage, state);

  std::vector<float> a(n), b(n), c(n);
  workload::Random random(1);
  for (std::size_t i = 0; i < n; i++) {
    a[i] = random.uniform(0.0f, 1.0f);
    b[i] = random.uniform(0.0f, 1.0f);
  }
  if (warm) add(a.data(), b.data(), c.data(), n);
  if (cold) {
    std::vector<unsigned char> other(flush_bytes);
    for (std::size_t i = 0; i < flush_bytes; i += 64) other[i] = static_cast<unsigned char>(i >> 6);
  }
  const long long begin = now_ns();
  add(a.data(), b.data(), c.data(), n);
  const long long end = now_ns();
  for (std::size_t i = 0; i < n; i++)
    if (c[i] != a[i] + b[i]) {
      std::fprintf(stderr, "vectorAdd: element %zu is %g, expected %g\n", i, c[i], a[i] + b[i]);
      return 1;
    }
  return report(end - begin);
}
