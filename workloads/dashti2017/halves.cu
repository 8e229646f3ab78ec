// dashti2017 Figure 7, the microbenchmark: an array of which the GPU increments one half and the CPU the other, at the same time; then
// they change halves. With copies each side brings its half to the other in between; managed memory may not be used by both at once, so
// there they work in turn; of shared memory all caches are flushed between two rounds, as the paper's gpu_hook does. `halves --count 33554432 --rounds 100` is the paper's.
#include "method.h"

extern "C" __global__ void increment(int* data, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i]++;
}

namespace {

const unsigned kThreads = 256;

void on_cpu(volatile int* data, unsigned count) {
  for (unsigned i = 0; i < count; i++) data[i] = data[i] + 1;
}

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("halves", "[--count N] [--rounds N], integers", argc, argv);
  const dashti2017::Method method = arguments.method();
  const auto count = static_cast<unsigned>(arguments.number("count", 65536, 2, 1u << 27)) & ~1u;
  const auto rounds = static_cast<unsigned>(arguments.number("rounds", 2, 1, 1000));
  arguments.end();

  const unsigned half = count / 2;
  dashti2017::Array<int> data(method, count);
  for (unsigned i = 0; i < count; i++) data[i] = 0;
  data.to_device();
  CHECK_CUDA(cudaDeviceSynchronize());
  duetMark("start");
  for (unsigned round = 0; round < rounds; round++) {
    const unsigned gpu = round % 2 * half, cpu = half - gpu;
    if (method == dashti2017::Method::kShared) duetFlushCpu(nullptr, 0);
    increment<<<(half + kThreads - 1) / kThreads, kThreads>>>(data.device() + gpu, half);
    CHECK_LAUNCH("increment");
    if (method == dashti2017::Method::kManaged) CHECK_CUDA(cudaDeviceSynchronize());
    on_cpu(&data[0] + cpu, half);
    if (method == dashti2017::Method::kDevice) {
      CHECK_CUDA(cudaMemcpy(&data[0] + gpu, data.device() + gpu, half * sizeof(int), cudaMemcpyDeviceToHost));
      CHECK_CUDA(cudaMemcpy(data.device() + cpu, &data[0] + cpu, half * sizeof(int), cudaMemcpyHostToDevice));
    }
    CHECK_CUDA(cudaDeviceSynchronize());
    if (method == dashti2017::Method::kShared) duetFlushGpu(nullptr, 0);
  }
  duetMark("finish");
  data.to_host();
  for (unsigned i = 0; i < count; i++) {
    if (data[i] == static_cast<int>(rounds)) continue;
    fprintf(stderr, "halves: element %u is %d, expected %u\n", i, data[i], rounds);
    return 1;
  }
  printf("PASS halves method=%s count=%u rounds=%u\n", dashti2017::name_of(method), count, rounds);
  return 0;
}
