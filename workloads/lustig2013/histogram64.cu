// lustig2013 Table 3, histogram64: 64 bins over 256 KB of bytes (the upper six bits choose the bin). Geometry
// and access pattern are those of the NVIDIA GPU Computing SDK 4.2, C/src/histogram (histogram64.cu): threads
// read 16 bytes at a time and stride over the data by the width of the grid, so that all blocks advance
// through the data together (--contiguous 1: a block has a piece of its own). A block of 64 threads keeps one
// byte counter a thread and bin in shared memory, so no atomics are needed; a byte holds the counts of 15
// reads, which gives 18 blocks for 256 KB (--reads: fewer, and more blocks). Every block writes a partial
// histogram; a second kernel merges them, one block of 256 threads a bin. Bytes are evenly distributed. The
// SDK launches both kernels 16 times to time them and copies only before and after; here an offload launches
// them once (--launches).
// Full/empty bits: the data, emptied before an early launch of the first kernel; the histogram, emptied
// before an early copy back (offload.h). The partial histograms have none: the kernels' order serves.
#include "offload.h"

namespace {

using namespace lustig2013;

const int kBins = 64;
const int kThreads = 64;
const int kMergeThreads = 256;
const unsigned kMostReads = 255 / sizeof(uint4);  // a byte counts to 255

enum { kContiguous, kReads, kLaunches };
const Spec kSpec = {
    "histogram64",
    "bytes of data",
    256 * 1024,
    16,
    1u << 28,
    16,
    {{"--contiguous", "1: a block counts neighbouring data, 0: it strides by the width of the grid", 0, 0, 1},
     {"--reads", "of 16 bytes that a thread may count", kMostReads, 1, kMostReads},
     {"--launches", "of the kernels with the same data; the last one's histogram is copied back", 1, 1,
      1000}}};

__device__ void count_word(unsigned char* counts, unsigned word) {
  counts[(word >> 2 & 63u) * kThreads]++;
  counts[(word >> 10 & 63u) * kThreads]++;
  counts[(word >> 18 & 63u) * kThreads]++;
  counts[(word >> 26) * kThreads]++;
}

// `reads`: the most of a thread, where a block's data are contiguous.
template <bool kBlockHasItsOwn>
__global__ void histogram_partial(const uint4* data, int count, int reads, unsigned* partial) {
  __shared__ unsigned cleared[kBins * kThreads / 4];
  unsigned char* counts = reinterpret_cast<unsigned char*>(cleared);
  // Neighbouring threads count in neighbouring words, so that equal bytes fall into different banks.
  unsigned char* column = counts + ((threadIdx.x & 15) << 2 | threadIdx.x >> 4);
#pragma unroll
  for (int i = 0; i < kBins / 4; i++) cleared[i * kThreads + threadIdx.x] = 0;
  __syncthreads();

  const int first = kBlockHasItsOwn ? blockIdx.x * kThreads * reads : blockIdx.x * kThreads;
  const int end = kBlockHasItsOwn ? min(first + kThreads * reads, count) : count;
  const int step = kBlockHasItsOwn ? kThreads : gridDim.x * kThreads;
  for (int i = first + threadIdx.x; i < end; i += step) {
    const uint4 words = data[i];
    count_word(column, words.x);
    count_word(column, words.y);
    count_word(column, words.z);
    count_word(column, words.w);
  }
  __syncthreads();

  // Thread t sums bin t, a word's four counters at a time; each starts at a word of its own to stay out of
  // the others' banks.
  unsigned sum = 0;
  int at = 4 * (threadIdx.x & 15);
#pragma unroll
  for (int i = 0; i < kThreads / 4; i++) {
    const unsigned char* four = counts + threadIdx.x * kThreads + at;
    sum += four[0] + four[1] + four[2] + four[3];
    at = (at + 4) % kThreads;
  }
  partial[blockIdx.x * kBins + threadIdx.x] = sum;
}

__global__ void histogram_merge(const unsigned* partial, int partials, unsigned* histogram) {
  __shared__ unsigned sums[kMergeThreads];
  unsigned sum = 0;
  for (int i = threadIdx.x; i < partials; i += kMergeThreads) sum += partial[i * kBins + blockIdx.x];
  sums[threadIdx.x] = sum;
  for (int half = kMergeThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) histogram[blockIdx.x] = sums[0];
}

struct Problem {
  explicit Problem(const Options& given)
      : options(given),
        count(options.size / sizeof(uint4)),
        reads(static_cast<int>(options.extra[kReads])),
        blocks(static_cast<unsigned>((count + kThreads * reads - 1) / (kThreads * reads))),
        in(options, options.overlaps_start(), {options.size}),
        out(options, options.overlaps_finish(), {kBins * sizeof(unsigned)}),
        data(options.size, &in),
        histogram(kBins, &out),
        d_data(count, &in),
        d_partial(static_cast<size_t>(blocks) * kBins),
        d_histogram(kBins, &out) {
    if (options.extra[kLaunches] > 1) d_ignored = std::make_unique<Device<unsigned>>(kBins);
  }

  void fill(unsigned long long seed) const {
    workload::Random random(seed);
    for (size_t i = 0; i < data.size(); i++) data[i] = static_cast<unsigned char>(random.below(256));
    histogram.poison();
  }

  void count_bytes(cudaStream_t stream) const {
    const auto kernel = options.extra[kContiguous] != 0 ? histogram_partial<true> : histogram_partial<false>;
    kernel<<<blocks, kThreads, 0, stream>>>(d_data.get(), static_cast<int>(count), reads, d_partial.get());
    CHECK_LAUNCH("histogram_partial");
  }

  void merge(unsigned* histogram_on_device, cudaStream_t stream) const {
    histogram_merge<<<kBins, kMergeThreads, 0, stream>>>(d_partial.get(), static_cast<int>(blocks),
                                                         histogram_on_device);
    CHECK_LAUNCH("histogram_merge");
  }

  void run(const Streams& streams) const {
    const auto rest = [&](cudaStream_t stream) {
      for (unsigned more = options.extra[kLaunches] - 1; more > 0; more--) {
        merge(d_ignored->get(), stream);
        count_bytes(stream);
      }
      merge(d_histogram.get(), stream);
    };
    offload(
        options, streams, in, out, [&](cudaStream_t stream) { count_bytes(stream); }, rest);
  }

  int check() const {
    std::vector<unsigned> expected(kBins);
    for (size_t i = 0; i < data.size(); i++) expected[data[i] >> 2]++;
    for (int bin = 0; bin < kBins; bin++)
      if (histogram[bin] != expected[bin])
        return report_mismatch(kSpec, "bin", bin, histogram[bin], expected[bin]);
    return 0;
  }

  Options options;
  size_t count;
  int reads;
  unsigned blocks;
  Side in, out;
  Pinned<unsigned char> data;
  Pinned<unsigned> histogram;
  Device<uint4> d_data;
  Device<unsigned> d_partial, d_histogram;
  std::unique_ptr<Device<unsigned>> d_ignored;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  Problem problem(options);
  return run(kSpec, options, problem);
}
