// What no pre-execution program can fetch: an element whose index comes out of shared memory, where another
// thread has put it. The control of yang2012's row Y-alg. `ThroughShared --size 4096`
#include "../benchmark.h"

namespace {

using namespace yang2012;

const Spec kSpec = {"ThroughShared", "elements, a multiple of 128", 4096, 128, 1u << 20, 128, {}, {}};
const unsigned kThreads = 128;

}  // namespace

// Each block's elements, in the order that `order` gives its threads from last to first.
extern "C" __global__ void through_shared(const float* in, const unsigned* order, float* out) {
  __shared__ unsigned indices[kThreads];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  indices[threadIdx.x] = order[i];
  __syncthreads();
  out[i] = in[indices[kThreads - 1 - threadIdx.x]];
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv, kSpec);
  const unsigned n = options.size;
  Array<float> in(options.memory, n), out(options.memory, n);
  Array<unsigned> order(options.memory, n);
  workload::Random random(options.seed);
  for (unsigned i = 0; i < n; i++) {
    in[i] = random.uniform(0.0f, 1.0f);
    order[i] = random.below(n);
  }
  const Geometry geometry = {n / kThreads, kThreads};
  duetMark("data ready");
  in.to_device();
  order.to_device();
  begin(options);
  for (unsigned i = 0; i < options.repeat; i++) {
    through_shared<<<geometry.grid, geometry.block>>>(in.device(), order.device(), out.device());
    CHECK_LAUNCH("through_shared");
  }
  out.to_host();
  duetMark("finish");

  Check check(kSpec);
  for (unsigned i = 0; i < n; i++) {
    const unsigned thread = i % kThreads;
    check.element("element", i, out[i], in[order[i - thread + kThreads - 1 - thread]], 0);
  }
  return check.finish(options, geometry, "0");
}
