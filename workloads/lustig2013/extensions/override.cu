// lustig2013 section 4.5: override commands, which change bits without data or let go what waits. A kernel
// reads data that lies on the device already: those of the offload before, which have not changed. It was
// launched in advance and waits, because its words are empty. How it is let go:
//
//   set      duetFullEmptySet fills the words where they are
//   copy     the host copies the same data in again, which fills
//   release  duetFullEmptyRelease, repeated until the kernel has ended: it lets go only what waits in a
//            controller when it gets there. The words stay empty
//   launch   not in advance: the kernel is launched when the others let theirs go; no bits
//
// Each line of 128 bytes has one reader, a warp.
#include "extension.h"

namespace {

using namespace lustig2013;

enum WayIndex { kSet, kCopy, kRelease, kLaunch };
const Way kWays[] = {{"set", "the words are filled where they are"},
                     {"copy", "a copy of the same data fills"},
                     {"release", "what waits is let go, until nothing does"},
                     {"launch", "no bits, the kernel is launched late"}};
Number numbers[] = {{"--size", "bytes of the data", 65536, 4096, 1u << 26, 4096},
                    {"--repeat", "one offload after the other", 4, 1, 256, 1}};
const unsigned kThreads = 256;

__global__ void mix(const unsigned* in, unsigned* out, unsigned round) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 2654435761u + round;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t way = parse_ways(argc, argv, "override", kWays, numbers);
  const unsigned n = numbers[0].value / sizeof(unsigned), repeat = numbers[1].value;
  const size_t bytes = n * sizeof(unsigned);
  const Stream compute, side;
  const Tracked<unsigned> in(n);
  const Device<unsigned> out(n);
  const Pinned<unsigned> host(n), back(n);
  workload::Random random(1);
  for (size_t i = 0; i < n; i++) host[i] = random.next();
  CHECK_CUDA(cudaMemcpyAsync(in.get(), host.get(), bytes, cudaMemcpyHostToDevice, compute.get()));
  CHECK_CUDA(cudaDeviceSynchronize());

  unsigned releases = 0;
  for (unsigned round = 0; round < repeat; round++) {
    back.poison();
    if (way != kLaunch) in.set(duetEmpty, compute.get());
    CHECK_CUDA(cudaMemcpyAsync(out.get(), back.get(), bytes, cudaMemcpyHostToDevice, compute.get()));
    CHECK_CUDA(cudaDeviceSynchronize());
    const auto launch = [&] {
      mix<<<n / kThreads, kThreads, 0, compute.get()>>>(in.get(), out.get(), round);
      CHECK_LAUNCH("mix");
    };
    if (way != kLaunch) {
      launch();
      duetHostWork(100000);
    }
    if (round + 1 == repeat) duetMark("data ready");
    if (way == kLaunch) launch();
    if (way == kSet) in.set(duetFull, side.get());
    if (way == kCopy)
      CHECK_CUDA(cudaMemcpyAsync(in.get(), host.get(), bytes, cudaMemcpyHostToDevice, side.get(),
                                 cudaMemcpyTriggerNone, cudaMemcpyActionFill));
    if (way == kRelease) {
      releases = 0;
      cudaError_t status = cudaErrorNotReady;
      for (; status == cudaErrorNotReady; status = cudaStreamQuery(compute.get())) {
        releases++;
        CHECK_CUDA(duetFullEmptyRelease(in.get(), bytes, side.get()));
        CHECK_CUDA(cudaStreamSynchronize(side.get()));
      }
      CHECK_CUDA(status);
    }
    CHECK_CUDA(cudaStreamSynchronize(compute.get()));
    if (round + 1 == repeat) duetMark("finish");
    CHECK_CUDA(cudaMemcpyAsync(back.get(), out.get(), bytes, cudaMemcpyDeviceToHost, compute.get()));
    CHECK_CUDA(cudaStreamSynchronize(compute.get()));
    for (size_t i = 0; i < n; i++) require_word("override", i, back[i], host[i] * 2654435761u + round);
  }
  if (way == kRelease) printf("releases %u\n", releases);
  printf("PASS override %u\n", n);
  return 0;
}
