// lustig2013 section 4.5: data that is read more than once before it is discarded. Frames go one after the
// other through one buffer on the device; of each frame several consumers, groups of blocks of one kernel,
// read every word. Who empties the buffer for the next frame:
//
//   counter     the consumers' reads; the machine counts them (gpu.full_empty.reads_per_fill, which must be
//               --consumers), and the next frame follows word by word while the kernel still runs
//   kernel-end  the end of each kernel (duetFullEmptyEmptyOnKernelEnd)
//   set         a command behind each kernel in its stream (duetFullEmptySet)
//   host        the same command, when the host has seen the kernel's end
//
// and without full/empty bits: "none", copies and kernels in one stream; "double", two buffers and a stream
// for each. A counter counts accesses, not who makes them: a consumer must not come back before the next
// frame. One kernel for all consumers of a frame sees to that, because a stream runs its kernels one after
// the other. Streams other than "none"'s need hardware channels of their own
// (gpu.front_end.hardware_channels).
#include "extension.h"

namespace {

using namespace lustig2013;

enum WayIndex { kCounter, kKernelEnd, kSet, kHost, kNone, kDouble };
const Way kWays[] = {{"counter", "reads empty, and are counted"},
                     {"kernel-end", "each kernel's end empties"},
                     {"set", "a command behind each kernel empties"},
                     {"host", "the host waits for each kernel, then empties"},
                     {"none", "no bits, one stream"},
                     {"double", "no bits, two buffers, two streams"}};
Number numbers[] = {{"--size", "words in a frame", 8192, 256, 1u << 22, 256},
                    {"--frames", "one after the other", 16, 1, 256, 1},
                    {"--consumers", "of each frame", 2, 1, 16, 1},
                    {"--work", "steps of arithmetic on a word", 16, 0, 10000, 1}};
const unsigned kThreads = 256;

__host__ __device__ unsigned filtered(unsigned value, unsigned consumer, unsigned work) {
  for (unsigned i = 0; i < work; i++) value = value * 1664525u + 1013904223u + consumer;
  return value ^ consumer;
}

template <bool kEmpties>
__global__ void consume(const unsigned* in, unsigned* out, unsigned work) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, words = gridDim.x * blockDim.x;
  const unsigned value = kEmpties ? duetLoadFullEmpty(in + i) : in[i];
  out[blockIdx.y * words + i] = filtered(value, blockIdx.y, work);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t way = parse_ways(argc, argv, "reuse", kWays, numbers);
  const unsigned n = numbers[0].value, frames = numbers[1].value, consumers = numbers[2].value,
                 work = numbers[3].value;
  const size_t bytes = n * sizeof(unsigned), results = static_cast<size_t>(frames) * consumers * n;
  const Stream compute, copies, other;
  const Tracked<unsigned> in(n);
  const Device<unsigned> plain(2 * n), out(results);
  const Pinned<unsigned> host(static_cast<size_t>(frames) * n), back(results);
  workload::Random random(1);
  for (size_t i = 0; i < host.size(); i++) host[i] = random.next();
  back.poison();
  CHECK_CUDA(cudaMemcpyAsync(out.get(), back.get(), out.bytes(), cudaMemcpyHostToDevice, compute.get()));
  in.set(duetEmpty, compute.get());
  if (way == kKernelEnd) CHECK_CUDA(duetFullEmptyEmptyOnKernelEnd(in.get(), 1));
  CHECK_CUDA(cudaDeviceSynchronize());

  const dim3 grid(n / kThreads, consumers);
  duetMark("data ready");
  for (unsigned f = 0; f < frames; f++) {
    const unsigned* frame = host.get() + static_cast<size_t>(f) * n;
    unsigned* result = out.get() + static_cast<size_t>(f) * consumers * n;
    if (way >= kNone) {
      const cudaStream_t stream = way == kDouble && f % 2 != 0 ? other.get() : compute.get();
      unsigned* buffer = plain.get() + (way == kDouble ? f % 2 * n : 0);
      CHECK_CUDA(cudaMemcpyAsync(buffer, frame, bytes, cudaMemcpyHostToDevice, stream));
      consume<false><<<grid, kThreads, 0, stream>>>(buffer, result, work);
      CHECK_LAUNCH("consume");
      continue;
    }
    if (way == kCounter)
      consume<true><<<grid, kThreads, 0, compute.get()>>>(in.get(), result, work);
    else
      consume<false><<<grid, kThreads, 0, compute.get()>>>(in.get(), result, work);
    CHECK_LAUNCH("consume");
    CHECK_CUDA(cudaMemcpyAsync(in.get(), frame, bytes, cudaMemcpyHostToDevice, copies.get(),
                               cudaMemcpyTriggerEmptied, cudaMemcpyActionFill));
    if (way == kHost) CHECK_CUDA(cudaStreamSynchronize(compute.get()));
    if (way == kHost || way == kSet) in.set(duetEmpty, compute.get());
  }
  for (const Stream* stream : {&compute, &other}) CHECK_CUDA(cudaStreamSynchronize(stream->get()));
  duetMark("finish");

  // A buffer that a way leaves full keeps this copy waiting.
  if (way < kNone)
    CHECK_CUDA(cudaMemcpyAsync(in.get(), host.get(), bytes, cudaMemcpyHostToDevice, copies.get(),
                               cudaMemcpyTriggerEmptied, cudaMemcpyActionFill));
  CHECK_CUDA(cudaMemcpyAsync(back.get(), out.get(), out.bytes(), cudaMemcpyDeviceToHost, compute.get()));
  CHECK_CUDA(cudaDeviceSynchronize());
  for (size_t i = 0; i < results; i++) {
    const size_t frame = i / n / consumers, consumer = i / n % consumers;
    require_word("reuse", i, back[i],
                 filtered(host[frame * n + i % n], static_cast<unsigned>(consumer), work));
  }
  printf("PASS reuse %u\n", n);
  return 0;
}
