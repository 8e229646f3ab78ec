// lustig2013 Table 3, vectorAdd: c = a + b over vectors of 8K to 256K single-precision elements. Geometry and
// access pattern are those of the NVIDIA GPU Computing SDK 4.2, C/src/vectorAdd: blocks of 256 threads, a
// thread an element, elements from 0 to 1. Full/empty bits: a and b, emptied before an early launch; c,
// emptied before an early copy back (offload.h).
#include "offload.h"

namespace {

using namespace lustig2013;

const Spec kSpec = {"vectorAdd", "elements in a vector", 65536, 1, 1u << 26, 1, {}};
const int kThreads = 256;

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

struct Problem {
  explicit Problem(const Options& given)
      : options(given),
        n(options.size),
        in(options, options.overlaps_start(), {n * sizeof(float), n * sizeof(float)}),
        out(options, options.overlaps_finish(), {n * sizeof(float)}),
        a(n, &in),
        b(n, &in),
        c(n, &out),
        d_a(n, &in),
        d_b(n, &in),
        d_c(n, &out) {}

  void fill(unsigned long long seed) const {
    workload::Random random(seed);
    for (size_t i = 0; i < n; i++) {
      a[i] = random.uniform(0.0f, 1.0f);
      b[i] = random.uniform(0.0f, 1.0f);
    }
    c.poison();
  }

  void run(const Streams& streams) const {
    const auto add = [&](cudaStream_t stream) {
      const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
      vector_add<<<blocks, kThreads, 0, stream>>>(d_a.get(), d_b.get(), d_c.get(), static_cast<int>(n));
      CHECK_LAUNCH("vector_add");
    };
    offload(options, streams, in, out, add, [](cudaStream_t) {});
  }

  int check() const {
    for (size_t i = 0; i < n; i++) {
      float expected = a[i] + b[i];
      if (c[i] != expected) return report_mismatch(kSpec, "element", i, c[i], expected);
    }
    return 0;
  }

  Options options;
  size_t n;
  Side in, out;
  Pinned<float> a, b, c;
  Device<float> d_a, d_b, d_c;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  Problem problem(options);
  return run(kSpec, options, problem);
}
