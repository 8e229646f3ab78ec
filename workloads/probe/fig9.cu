// The experiment of lustig2013 Figure 9: one asynchronous copy of N bytes and a synchronization, against two
// copies of N / 2 bytes of the same data and a synchronization. The transfers take equally long, so the
// difference is what one more call costs: the driver's time and, since copies of one stream follow one another,
// one more passage through the hardware. With the two halves in two streams the driver prepares the second while
// the first one is on its way, so that for small N the difference is the driver's time alone. Prints one JSON
// object a line and a size; driver_ns is the difference with two streams.
#include <algorithm>
#include <iterator>
#include <vector>

#include "../common/check.h"
#include "../common/clock.h"

namespace {

const int kRepeats = 5;
const unsigned long long kMaxBytes = 64ull << 20;
const unsigned long long kDefaultSizes[] = {1024,      4096,      16384,   65536,  128 << 10,
                                            256 << 10, 512 << 10, 1 << 20, 4 << 20};

unsigned long long median(const unsigned long long* samples) {
  unsigned long long sorted[kRepeats];
  std::copy(samples, samples + kRepeats, sorted);
  std::sort(sorted, sorted + kRepeats);
  return sorted[kRepeats / 2];
}

class Experiment {
 public:
  explicit Experiment(unsigned long long max_bytes) {
    for (cudaStream_t& stream : streams_) CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&host_), max_bytes));
    CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&back_), max_bytes));
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&device_), max_bytes));
    workload::Random random(9);
    for (unsigned long long i = 0; i < max_bytes; i++) host_[i] = static_cast<unsigned char>(random.next());
  }
  ~Experiment() {
    CHECK_CUDA(cudaFree(device_));
    CHECK_CUDA(cudaFreeHost(back_));
    CHECK_CUDA(cudaFreeHost(host_));
    for (cudaStream_t stream : streams_) CHECK_CUDA(cudaStreamDestroy(stream));
  }
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  void run(unsigned long long bytes) {
    unsigned long long one[kRepeats], two[kRepeats], apart[kRepeats];
    for (int round = -1; round < kRepeats; round++) {
      unsigned long long one_ns = copy_in_parts(bytes, 1, 1), two_ns = copy_in_parts(bytes, 2, 1);
      unsigned long long apart_ns = copy_in_parts(bytes, 2, 2);
      if (round < 0) continue;
      one[round] = one_ns;
      two[round] = two_ns;
      apart[round] = apart_ns;
    }
    long long same_stream_ns = static_cast<long long>(median(two)) - static_cast<long long>(median(one));
    long long driver_ns = static_cast<long long>(median(apart)) - static_cast<long long>(median(one));
    printf("{\"probe\": \"fig9\", \"bytes\": %llu, ", bytes);
    workload::print_samples("one_copy_ns", one, kRepeats);
    printf(", ");
    workload::print_samples("two_copies_ns", two, kRepeats);
    printf(", ");
    workload::print_samples("two_streams_ns", apart, kRepeats);
    printf(", \"same_stream_ns\": %lld, \"driver_ns\": %lld}\n", same_stream_ns, driver_ns);
  }

 private:
  unsigned long long copy_in_parts(unsigned long long bytes, int parts, int streams) {
    const unsigned long long part = bytes / parts;
    CHECK_CUDA(cudaMemset(device_, 0, bytes));
    CHECK_CUDA(cudaDeviceSynchronize());
    unsigned long long start = workload::now_ns();
    for (int i = 0; i < parts; i++)
      CHECK_CUDA(
          cudaMemcpyAsync(device_ + i * part, host_ + i * part, part, cudaMemcpyHostToDevice,
                          streams_[i % streams]));
    CHECK_CUDA(cudaDeviceSynchronize());
    unsigned long long elapsed = workload::now_ns() - start;
    CHECK_CUDA(cudaMemcpy(back_, device_, bytes, cudaMemcpyDeviceToHost));
    for (unsigned long long i = 0; i < bytes; i++) {
      if (back_[i] == host_[i]) continue;
      fprintf(stderr, "fig9: byte %llu of %llu in %d parts is %u, expected %u\n", i, bytes, parts,
              static_cast<unsigned>(back_[i]), static_cast<unsigned>(host_[i]));
      exit(1);
    }
    return elapsed;
  }

  cudaStream_t streams_[2] = {};
  unsigned char* host_ = nullptr;
  unsigned char* back_ = nullptr;
  unsigned char* device_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<unsigned long long> sizes;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      printf("usage: fig9 [N...]\n  N  bytes, an even number from 2 to %llu (default: 1024 to 4194304)\n",
             kMaxBytes);
      return 0;
    }
    if (argv[i][0] == '-') workload::usage_error("fig9", "unknown option", argv[i]);
    sizes.push_back(workload::parse_number("fig9", "N", argv[i], 2, kMaxBytes));
    if (sizes.back() % 2 != 0) workload::usage_error("fig9", "N must be even, not", argv[i]);
  }
  if (sizes.empty()) sizes.assign(std::begin(kDefaultSizes), std::end(kDefaultSizes));
  Experiment experiment(*std::max_element(sizes.begin(), sizes.end()));
  for (unsigned long long size : sizes) experiment.run(size);
  return 0;
}
