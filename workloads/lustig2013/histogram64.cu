// lustig2013 Table 3, histogram64: 64 bins over 256 KB of bytes (the upper six bits choose the bin). A block
// of 64 threads keeps one byte counter a thread and bin in shared memory, so no atomics are needed; a thread
// counts at most 63 words of four bytes, which a byte can hold. Every block writes a partial histogram, a
// second kernel merges them.
#include "common.h"

namespace {

using namespace lustig2013;

const Spec kSpec = {"histogram64", "bytes of data", 256 * 1024, 4, 1u << 28, 4};
const int kBins = 64;
const int kThreads = 64;
const int kWordsPerThread = 63;
const int kWordsPerBlock = kThreads * kWordsPerThread;
const int kMergeThreads = 64;

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
  explicit Problem(const Options& options)
      : words(options.size / 4),
        blocks((words + kWordsPerBlock - 1) / kWordsPerBlock),
        data(words),
        histogram(kBins),
        d_data(words),
        d_partial(static_cast<size_t>(blocks) * kBins),
        d_histogram(kBins) {
    workload::Random random(options.seed);
    // Sums of two random bytes: bins that differ visibly in height.
    for (int i = 0; i < words; i++) {
      unsigned word = 0;
      for (int byte = 0; byte < 4; byte++) word = word << 8 | (random.below(128) + random.below(129));
      data[i] = word;
    }
  }
  int words;
  int blocks;
  Pinned<unsigned> data, histogram;
  Device<unsigned> d_data, d_partial, d_histogram;
};

void launch(const Problem& p, const Stream& stream) {
  histogram_partial<<<p.blocks, kThreads, 0, stream.get()>>>(p.d_data.get(), p.words, p.d_partial.get());
  CHECK_LAUNCH("histogram_partial");
  histogram_merge<<<kBins, kMergeThreads, 0, stream.get()>>>(p.d_partial.get(), p.blocks,
                                                             p.d_histogram.get());
  CHECK_LAUNCH("histogram_merge");
}

void offload_baseline(const Problem& p, const Stream& stream) {
  duetMark("data ready");
  copy_in(p.d_data, p.data, stream);
  launch(p, stream);
  copy_out(p.histogram, p.d_histogram, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream.get()));
  duetMark("finish");
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  Problem problem(options);
  Stream stream;
  switch (options.variant) {
    case Variant::kBaseline:
      offload_baseline(problem, stream);
      break;
  }
  std::vector<unsigned> expected(kBins);
  for (int i = 0; i < problem.words; i++)
    for (int byte = 0; byte < 4; byte++) expected[(problem.data[i] >> (8 * byte) & 255u) >> 2]++;
  for (int bin = 0; bin < kBins; bin++)
    if (problem.histogram[bin] != expected[bin])
      return report_mismatch(kSpec, "bin", bin, problem.histogram[bin], expected[bin]);
  printf("PASS histogram64 %u\n", options.size);
  return 0;
}
