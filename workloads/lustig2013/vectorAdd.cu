// lustig2013 Table 3, vectorAdd: c = a + b over vectors of 8K to 256K single-precision elements.
#include "common.h"

namespace {

using namespace lustig2013;

const Spec kSpec = {"vectorAdd", "elements in a vector", 65536, 1, 1u << 26, 1};
const int kThreads = 256;

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

struct Problem {
  explicit Problem(const Options& options) : n(options.size), a(n), b(n), c(n), d_a(n), d_b(n), d_c(n) {
    workload::Random random(options.seed);
    for (int i = 0; i < n; i++) {
      a[i] = random.uniform(-1.0f, 1.0f);
      b[i] = random.uniform(-1.0f, 1.0f);
    }
  }
  int n;
  Pinned<float> a, b, c;
  Device<float> d_a, d_b, d_c;
};

void launch(const Problem& p, const Stream& stream) {
  vector_add<<<(p.n + kThreads - 1) / kThreads, kThreads, 0, stream.get()>>>(p.d_a.get(), p.d_b.get(),
                                                                             p.d_c.get(), p.n);
  CHECK_LAUNCH("vector_add");
}

void offload_baseline(const Problem& p, const Stream& stream) {
  duetMark("data ready");
  copy_in(p.d_a, p.a, stream);
  copy_in(p.d_b, p.b, stream);
  launch(p, stream);
  copy_out(p.c, p.d_c, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream.get()));
  duetMark("finish");
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  Problem problem(options);
  Stream stream;
  switch (options.variant) {
    case Variant::kBaseline:
      offload_baseline(problem, stream);
      break;
  }
  for (int i = 0; i < problem.n; i++) {
    float expected = problem.a[i] + problem.b[i];
    if (problem.c[i] != expected) return report_mismatch(kSpec, "element", i, problem.c[i], expected);
  }
  printf("PASS vectorAdd %u\n", options.size);
  return 0;
}
