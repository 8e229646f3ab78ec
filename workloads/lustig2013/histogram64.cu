// lustig2013 Table 3, histogram64: 64 bins over 256 KB of bytes (the upper six bits choose the bin). A block
// of 64 threads keeps one byte counter a thread and bin in shared memory, so no atomics are needed; a thread
// counts at most 63 words of four bytes, which a byte can hold. Every block writes a partial histogram, a
// second kernel merges them. Full/empty bits: the data, emptied before an early launch of the first kernel;
// the histogram, emptied before an early copy back (offload.h). The partial histograms have none: the
// kernels' order serves.
#include "offload.h"

namespace {

using namespace lustig2013;

const int kBins = 64;
const int kThreads = 64;
#ifndef HISTOGRAM_WORDS  // that a thread counts; fewer than a byte counter can hold make more and smaller
                         // blocks
#define HISTOGRAM_WORDS 63
#endif
const int kWordsPerThread = HISTOGRAM_WORDS;
static_assert(kWordsPerThread > 0 && kWordsPerThread <= 63, "a byte counts to 255");
const int kWordsPerBlock = kThreads * kWordsPerThread;
const int kMergeThreads = 64;
const Spec kSpec = {"histogram64", "bytes of data", 256 * 1024, 4, 1u << 28, 4, {}};

__global__ void histogram_partial(const unsigned* data, int words, unsigned* partial) {
  __shared__ unsigned char counts[kBins * kThreads];
  // Neighbouring threads count in neighbouring words, so that equal bytes fall into different banks.
  const int column = (threadIdx.x % 16) * 4 + threadIdx.x / 16;
  for (int bin = 0; bin < kBins; bin++) counts[bin * kThreads + threadIdx.x] = 0;
  __syncthreads();

  const int first = blockIdx.x * kWordsPerBlock;
  const int last = min(first + kWordsPerBlock, words);
  for (int i = first + threadIdx.x; i < last; i += kThreads) {
    unsigned word = data[i];
    counts[(word >> 2 & 63u) * kThreads + column]++;
    counts[(word >> 10 & 63u) * kThreads + column]++;
    counts[(word >> 18 & 63u) * kThreads + column]++;
    counts[(word >> 26) * kThreads + column]++;
  }
  __syncthreads();

  // Thread t sums bin t; each starts at a column of its own to stay out of the others' banks.
  unsigned sum = 0;
  for (int k = 0; k < kThreads; k++) sum += counts[threadIdx.x * kThreads + (threadIdx.x * 4 + k) % kThreads];
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
        words(options.size / 4),
        blocks(static_cast<unsigned>((words + kWordsPerBlock - 1) / kWordsPerBlock)),
        in(options, options.overlaps_start(), {words * sizeof(unsigned)}),
        out(options, options.overlaps_finish(), {kBins * sizeof(unsigned)}),
        data(words, &in),
        histogram(kBins, &out),
        d_data(words, &in),
        d_partial(static_cast<size_t>(blocks) * kBins),
        d_histogram(kBins, &out) {}

  void fill(unsigned long long seed) const {
    workload::Random random(seed);
    // Sums of two random bytes: bins that differ visibly in height.
    for (size_t i = 0; i < words; i++) {
      unsigned word = 0;
      for (int byte = 0; byte < 4; byte++) word = word << 8 | (random.below(128) + random.below(129));
      data[i] = word;
    }
    histogram.poison();
  }

  void run(const Streams& streams) const {
    const auto count = [&](cudaStream_t stream) {
      histogram_partial<<<blocks, kThreads, 0, stream>>>(d_data.get(), static_cast<int>(words),
                                                         d_partial.get());
      CHECK_LAUNCH("histogram_partial");
    };
    const auto merge = [&](cudaStream_t stream) {
      histogram_merge<<<kBins, kMergeThreads, 0, stream>>>(d_partial.get(), static_cast<int>(blocks),
                                                           d_histogram.get());
      CHECK_LAUNCH("histogram_merge");
    };
    offload(options, streams, in, out, count, merge);
  }

  int check() const {
    std::vector<unsigned> expected(kBins);
    for (size_t i = 0; i < words; i++)
      for (int byte = 0; byte < 4; byte++) expected[(data[i] >> (8 * byte) & 255u) >> 2]++;
    for (int bin = 0; bin < kBins; bin++)
      if (histogram[bin] != expected[bin])
        return report_mismatch(kSpec, "bin", bin, histogram[bin], expected[bin]);
    return 0;
  }

  Options options;
  size_t words;
  unsigned blocks;
  Side in, out;
  Pinned<unsigned> data, histogram;
  Device<unsigned> d_data, d_partial, d_histogram;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  Problem problem(options);
  return run(kSpec, options, problem);
}
