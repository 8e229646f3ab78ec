// yang2012 Table 1, Vector-Add (VD): one sum a thread. `VecAdd` adds 1M elements with 1M threads, 128 a
// block. The paper shows the kernel in Figure 3a and names the NVIDIA SDK as its source. As in the SDK's
// (vectorAdd) a thread asks whether its element exists; the figure leaves that out. No loop: an LWST kernel
// of section 4.1.
#include "benchmark.h"

namespace {

using namespace yang2012;

const Spec kSpec = {"VecAdd", "elements, a multiple of 128", 1u << 20, 128, 1u << 26, 128, {}, {}};
const unsigned kThreads = 128;

}  // namespace

extern "C" __global__ void vec_add(const float* a, const float* b, float* c, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv, kSpec);
  const unsigned n = options.size;
  Array<float> a(options.memory, n), b(options.memory, n), c(options.memory, n);
  workload::Random random(options.seed);
  for (unsigned i = 0; i < n; i++) {
    a[i] = random.uniform(0.0f, 1.0f);
    b[i] = random.uniform(0.0f, 1.0f);
  }
  const Geometry geometry = {n / kThreads, kThreads};
  duetMark("data ready");
  a.to_device();
  b.to_device();
  begin(options);
  for (unsigned i = 0; i < options.repeat; i++) {
    vec_add<<<geometry.grid, geometry.block>>>(a.device(), b.device(), c.device(), static_cast<int>(n));
    CHECK_LAUNCH("vec_add");
  }
  c.to_host();
  duetMark("finish");
  Check check(kSpec);
  for (unsigned i = 0; i < n; i++) check.element("element", i, c[i], a[i] + b[i], 0);
  return check.finish(options, geometry, "0");
}
