// dashti2017 Figure 3: the bandwidth at which one CPU thread, or the GPU, writes or reads an array again and again. Each GPU thread has
// an entry of 8 bytes of its own; the CPU goes through the array in order. The GPU comes back to an entry within a thread (--passes), or
// when it has gone through the whole array (--launches). `bandwidth --by gpu --bytes 65536 --launches 64`.
#include "../common/clock.h"
#include "method.h"

using Entry = unsigned long long;

extern "C" __global__ void write_entries(volatile Entry* data, unsigned count, unsigned passes) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (unsigned pass = 1; pass <= passes; pass++) data[i] = pass + i;
}

extern "C" __global__ void read_entries(volatile Entry* data, unsigned count, unsigned passes) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Entry sum = 0;
  for (unsigned pass = 0; pass < passes; pass++) sum += data[i];
  data[i] = sum;
}

namespace {

const unsigned kThreads = 256;

void on_cpu(volatile Entry* data, unsigned count, unsigned passes, bool writes) {
  for (unsigned pass = 1; pass <= passes; pass++)
    for (unsigned i = 0; i < count; i++) {
      if (writes)
        data[i] = pass + i;
      else
        (void)data[i];
    }
  if (!writes)
    for (unsigned i = 0; i < count; i++) data[i] = data[i] * passes;
}

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("bandwidth",
                                  "[--by gpu|cpu] [--access write|read] [--bytes N] [--passes N] [--launches N], 8 bytes an entry", argc, argv);
  const dashti2017::Method method = arguments.method();
  const bool by_cpu = arguments.one_of("by", {"gpu", "cpu"}) == 1;
  const bool writes = arguments.one_of("access", {"write", "read"}) == 0;
  const auto count = static_cast<unsigned>(arguments.number("bytes", 65536, 2048, 1u << 30) / sizeof(Entry));
  const auto passes = static_cast<unsigned>(arguments.number("passes", 16, 1, 1u << 24));
  const auto launches = static_cast<unsigned>(arguments.number("launches", 1, 1, 1u << 20));
  arguments.end();

  dashti2017::Array<Entry> data(method, count);
  for (unsigned i = 0; i < count; i++) data[i] = i;
  if (!by_cpu) {
    data.to_device();
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  duetMark("start");
  const unsigned long long before = workload::now_ns();
  if (by_cpu) {
    on_cpu(&data[0], count, passes, writes);
  } else {
    for (unsigned launch = 0; launch < launches; launch++) {
      (writes ? write_entries : read_entries)<<<(count + kThreads - 1) / kThreads, kThreads>>>(data.device(), count, passes);
      CHECK_LAUNCH("entries");
    }
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  const unsigned long long ns = workload::now_ns() - before;
  duetMark("finish");
  if (!by_cpu) data.to_host();
  for (unsigned i = 0; i < count; i++) {
    Entry expected = i;
    for (unsigned launch = 0; launch < (by_cpu ? 1 : launches); launch++) expected = writes ? Entry{passes} + i : expected * passes;
    if (data[i] == expected) continue;
    fprintf(stderr, "bandwidth: entry %u is %llu, expected %llu\n", i, data[i], expected);
    return 1;
  }
  printf("PASS bandwidth method=%s by=%s access=%s bytes=%zu passes=%u launches=%u ns=%llu\n", dashti2017::name_of(method),
         by_cpu ? "cpu" : "gpu", writes ? "write" : "read", data.bytes(), passes, by_cpu ? 1 : launches, ns);
  return 0;
}
