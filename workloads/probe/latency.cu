// Measures what runtime calls cost, with nothing but the runtime API and a clock: copies of several sizes
// between pinned memory and the device, launches of an empty kernel, synchronizations with nothing to wait
// for. Prints one JSON object a line with five samples in nanoseconds, taken after one warm-up. Source of the
// set of calls: lustig2013 Table 2 and Figure 10.
#include <iterator>
#include <vector>

#include "../common/check.h"
#include "../common/clock.h"

namespace {

const int kRepeats = 5;
const unsigned long long kMaxBytes = 64ull << 20;
const unsigned long long kDefaultSizes[] = {4,         64,        1024,    4096,    16384,    65536,
                                            128 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20};

__global__ void empty_kernel() {}

// Runs before(), then body() under the clock, then after(); the first round warms up and is not reported.
template <typename Before, typename Body, typename After>
void measure(const char* operation, unsigned long long bytes, Before before, Body body, After after) {
  unsigned long long samples[kRepeats];
  for (int round = -1; round < kRepeats; round++) {
    before();
    unsigned long long start = workload::now_ns();
    body();
    unsigned long long end = workload::now_ns();
    after();
    if (round >= 0) samples[round] = end - start;
  }
  printf("{\"probe\": \"latency\", \"operation\": \"%s\", \"bytes\": %llu, ", operation, bytes);
  workload::print_samples("ns", samples, kRepeats);
  printf("}\n");
}

void synchronize() { CHECK_CUDA(cudaDeviceSynchronize()); }
void nothing() {}

class Copies {
 public:
  explicit Copies(unsigned long long max_bytes) {
    CHECK_CUDA(cudaStreamCreate(&stream_));
    CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&from_), max_bytes));
    CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&to_), max_bytes));
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&device_), max_bytes));
  }
  ~Copies() {
    CHECK_CUDA(cudaFree(device_));
    CHECK_CUDA(cudaFreeHost(to_));
    CHECK_CUDA(cudaFreeHost(from_));
    CHECK_CUDA(cudaStreamDestroy(stream_));
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  void measure_all(unsigned long long bytes) {
    auto in = [&] { CHECK_CUDA(cudaMemcpyAsync(device_, from_, bytes, cudaMemcpyHostToDevice, stream_)); };
    auto out = [&] { CHECK_CUDA(cudaMemcpyAsync(to_, device_, bytes, cudaMemcpyDeviceToHost, stream_)); };
    auto wait = [&] { CHECK_CUDA(cudaStreamSynchronize(stream_)); };
    fill(bytes, 1);
    measure(
        "memcpy_h2d", bytes, synchronize,
        [&] { CHECK_CUDA(cudaMemcpy(device_, from_, bytes, cudaMemcpyHostToDevice)); }, nothing);
    measure(
        "memcpy_d2h", bytes, synchronize,
        [&] { CHECK_CUDA(cudaMemcpy(to_, device_, bytes, cudaMemcpyDeviceToHost)); }, nothing);
    verify(bytes, "cudaMemcpy");
    fill(bytes, 2);
    measure("memcpy_async_h2d_call", bytes, synchronize, in, wait);
    measure("memcpy_async_d2h_call", bytes, synchronize, out, wait);
    verify(bytes, "cudaMemcpyAsync");
    fill(bytes, 3);
    auto in_and_wait = [&] {
      in();
      wait();
    };
    auto out_and_wait = [&] {
      out();
      wait();
    };
    measure("memcpy_async_h2d_sync", bytes, synchronize, in_and_wait, nothing);
    measure("memcpy_async_d2h_sync", bytes, synchronize, out_and_wait, nothing);
    verify(bytes, "cudaMemcpyAsync");
  }

 private:
  void fill(unsigned long long bytes, unsigned char salt) {
    for (unsigned long long i = 0; i < bytes; i++) {
      from_[i] = static_cast<unsigned char>(i * 131 + (i >> 8) + salt);
      to_[i] = 0;
    }
  }
  void verify(unsigned long long bytes, const char* call) {
    for (unsigned long long i = 0; i < bytes; i++) {
      if (to_[i] == from_[i]) continue;
      fprintf(stderr, "latency: byte %llu of %llu through %s is %u, expected %u\n", i, bytes, call,
              static_cast<unsigned>(to_[i]), static_cast<unsigned>(from_[i]));
      exit(1);
    }
  }

  cudaStream_t stream_ = nullptr;
  unsigned char* from_ = nullptr;
  unsigned char* to_ = nullptr;
  unsigned char* device_ = nullptr;
};

void measure_calls() {
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreate(&stream));
  auto launch = [&] { empty_kernel<<<1, 32, 0, stream>>>(); };  // nothing else under the clock; checked afterwards
  auto wait = [&] { CHECK_CUDA(cudaStreamSynchronize(stream)); };
  auto launch_and_wait = [&] {
    launch();
    wait();
  };
  measure("launch_call", 0, synchronize, launch, wait);
  measure("launch_sync", 0, synchronize, launch_and_wait, nothing);
  CHECK_LAUNCH("empty_kernel");
  measure("stream_synchronize_idle", 0, synchronize, wait, nothing);
  measure("device_synchronize_idle", 0, synchronize, synchronize, nothing);
  CHECK_CUDA(cudaStreamDestroy(stream));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<unsigned long long> sizes;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      printf("usage: latency [BYTES...]\n  BYTES  sizes of the copies, 1 to %llu (default: 4 to 67108864)\n",
             kMaxBytes);
      return 0;
    }
    if (argv[i][0] == '-') workload::usage_error("latency", "unknown option", argv[i]);
    sizes.push_back(workload::parse_number("latency", "BYTES", argv[i], 1, kMaxBytes));
  }
  if (sizes.empty()) sizes.assign(std::begin(kDefaultSizes), std::end(kDefaultSizes));
  unsigned long long max_bytes = 0;
  for (unsigned long long size : sizes) max_bytes = size > max_bytes ? size : max_bytes;

  measure_calls();
  Copies copies(max_bytes);
  for (unsigned long long size : sizes) copies.measure_all(size);
  return 0;
}
