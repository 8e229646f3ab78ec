// dashti2017 Figure 7, the microbenchmark: an array of which the GPU increments one half and the CPU the other, at the same time; then
// they change halves. With copies each side brings its half to the other in between; managed memory may not be used by both at once, so
// there they work in turn (--turns no: not even there); of shared memory all caches are flushed between two rounds, as the paper's gpu_hook
// does. `halves --count 33554432 --rounds 100` is the paper's; how many threads of the CPU work it does not say (--cpus).
#include <thread>
#include <vector>

#include "method.h"

extern "C" __global__ void increment(int* data, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i]++;
}

namespace {

const unsigned kThreads = 256;

void add_one(volatile int* data, unsigned count) {
  for (unsigned i = 0; i < count; i++) data[i] = data[i] + 1;
}

// Each thread has a part of it, of whole lines.
void on_cpu(int* data, unsigned count, unsigned cpus) {
  const unsigned part = (count / cpus + 15) / 16 * 16;
  std::vector<std::thread> others;
  for (unsigned first = part; first < count; first += part)
    others.emplace_back([=] { add_one(data + first, count - first < part ? count - first : part); });
  add_one(data, count < part ? count : part);
  for (std::thread& other : others) other.join();
}

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("halves", "[--count N] [--rounds N] [--cpus N] [--turns auto|no], integers", argc, argv);
  const dashti2017::Method method = arguments.method();
  const auto count = static_cast<unsigned>(arguments.number("count", 65536, 2, 1u << 27)) & ~1u;
  const auto rounds = static_cast<unsigned>(arguments.number("rounds", 2, 1, 1000));
  const auto cpus = static_cast<unsigned>(arguments.number("cpus", 1, 1, 64));
  const bool in_turn = arguments.one_of("turns", {"auto", "no"}) == 0 && method == dashti2017::Method::kManaged;
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
    if (in_turn) CHECK_CUDA(cudaDeviceSynchronize());
    on_cpu(&data[0] + cpu, half, cpus);
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
  printf("PASS halves method=%s count=%u rounds=%u cpus=%u\n", dashti2017::name_of(method), count, rounds, cpus);
  return 0;
}
