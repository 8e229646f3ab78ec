// dashti2017 Figure 3: the bandwidth at which one CPU thread, or the GPU, writes or reads an array again and again. Each GPU thread has
// an entry of 8 bytes of its own; the CPU goes through the array in order. In the passes of a launch a thread comes back to its own entry,
// or goes on through the array (--walk array), so that all of the array is in use whatever of it runs at once.
// `bandwidth --by gpu --bytes 65536 --walk array --passes 64`.
#include "../common/clock.h"
#include "method.h"

using Entry = unsigned long long;

// An entry is written with its number and `add`, so that the order of those who write it does not matter.
extern "C" __global__ void write_entries(volatile Entry* data, unsigned count, unsigned passes, unsigned stride, Entry add) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (unsigned pass = 0; pass < passes; pass++) {
    data[i] = add + i;
    i += stride;
    if (i >= count) i -= count;
  }
}

extern "C" __global__ void read_entries(volatile Entry* data, unsigned count, unsigned passes, unsigned stride, Entry* sums) {
  const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= count) return;
  Entry sum = 0;
  for (unsigned pass = 0, i = own; pass < passes; pass++) {
    sum += data[i] - i;
    i += stride;
    if (i >= count) i -= count;
  }
  sums[own] = sum;
}

namespace {

const unsigned kThreads = 256, kStride = 2048;  // as many entries as threads of an SM: those that run at once walk apart
const Entry kFirst = 7, kLast = 11;

// Returns the sum of what it has read.
Entry on_cpu(volatile Entry* data, unsigned count, unsigned passes, bool writes) {
  Entry sum = 0;
  for (unsigned pass = 0; pass < passes; pass++)
    for (unsigned i = 0; i < count; i++) {
      if (writes)
        data[i] = kLast + i;
      else
        sum += data[i] - i;
    }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("bandwidth",
                                  "[--by gpu|cpu] [--access write|read] [--bytes N] [--passes N] [--launches N] [--walk own|array], "
                                  "8 bytes an entry",
                                  argc, argv);
  const dashti2017::Method method = arguments.method();
  const bool by_cpu = arguments.one_of("by", {"gpu", "cpu"}) == 1;
  const bool writes = arguments.one_of("access", {"write", "read"}) == 0;
  const auto count = static_cast<unsigned>(arguments.number("bytes", 65536, 2048, 1u << 30) / sizeof(Entry));
  const auto passes = static_cast<unsigned>(arguments.number("passes", 16, 1, 1u << 24));
  const auto launches = static_cast<unsigned>(arguments.number("launches", 1, 1, 1u << 20));
  const unsigned stride = arguments.one_of("walk", {"own", "array"}) == 0 || kStride >= count ? 0 : kStride;
  arguments.end();

  dashti2017::Array<Entry> data(method, count);
  for (unsigned i = 0; i < count; i++) data[i] = kFirst + i;
  Entry* sums = nullptr;
  CHECK_CUDA(cudaMalloc(&sums, count * sizeof(Entry)));
  Entry sum = 0;
  if (!by_cpu) {
    data.to_device();
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  duetMark("start");
  const unsigned long long before = workload::now_ns();
  if (by_cpu) {
    sum = on_cpu(&data[0], count, passes, writes);
  } else {
    for (unsigned launch = 0; launch < launches; launch++) {
      const unsigned blocks = (count + kThreads - 1) / kThreads;
      if (writes)
        write_entries<<<blocks, kThreads>>>(data.device(), count, passes, stride, kLast);
      else
        read_entries<<<blocks, kThreads>>>(data.device(), count, passes, stride, sums);
      CHECK_LAUNCH("entries");
    }
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  const unsigned long long ns = workload::now_ns() - before;
  duetMark("finish");
  if (!by_cpu) data.to_host();
  std::vector<Entry> of_threads(count, Entry{passes} * kFirst);
  if (!writes && !by_cpu) CHECK_CUDA(cudaMemcpy(of_threads.data(), sums, count * sizeof(Entry), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(sums));
  for (unsigned i = 0; i < count; i++) {
    const Entry expected = (writes ? kLast : kFirst) + i;
    if (data[i] == expected && of_threads[i] == Entry{passes} * kFirst) continue;
    fprintf(stderr, "bandwidth: entry %u is %llu, expected %llu; its thread has read %llu, expected %llu\n", i, data[i], expected,
            of_threads[i], Entry{passes} * kFirst);
    return 1;
  }
  if (by_cpu && !writes && sum != Entry{passes} * count * kFirst) {
    fprintf(stderr, "bandwidth: the CPU has read %llu, expected %llu\n", sum, Entry{passes} * count * kFirst);
    return 1;
  }
  printf("PASS bandwidth method=%s by=%s access=%s bytes=%zu passes=%u launches=%u ns=%llu\n", dashti2017::name_of(method),
         by_cpu ? "cpu" : "gpu", writes ? "write" : "read", data.bytes(), passes, by_cpu ? 1 : launches, ns);
  return 0;
}
