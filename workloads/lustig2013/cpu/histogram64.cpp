// lustig2013 section 7.1: 64 bins over bytes, whose upper six bits choose the bin. Data are read by words, as
// NVIDIA's own reference does (histogram64CPU of the SDK's histogram); each byte of a word has bins of its
// own, so that neighbours that fall into one bin do not wait for each other.
#include <algorithm>
#include <vector>

#include "../../common/random.h"
#include "timed.h"

namespace {

using namespace lustig2013;

const int kBins = 64;
const Program kProgram = {"histogram64", "BYTES", 256 * 1024, 16, 1ul << 28, 16};

[[gnu::noinline]] void count(const unsigned* words, std::size_t first, std::size_t last,
                             unsigned* histogram) {
  unsigned bins[4][kBins] = {};
  for (std::size_t i = first; i < last; i++) {
    const unsigned word = words[i];
    bins[0][word >> 2 & 63u]++;
    bins[1][word >> 10 & 63u]++;
    bins[2][word >> 18 & 63u]++;
    bins[3][word >> 26]++;
  }
#pragma omp critical
  for (int bin = 0; bin < kBins; bin++)
    histogram[bin] += bins[0][bin] + bins[1][bin] + bins[2][bin] + bins[3][bin];
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = kProgram.parse(argc, argv);
  std::vector<unsigned> words(options.size / sizeof(unsigned)), histogram(kBins);
  unsigned char* const bytes = reinterpret_cast<unsigned char*>(words.data());
  const auto fill = [&](unsigned long long seed) {
    workload::Random random(seed);
    for (std::size_t i = 0; i < options.size; i++) bytes[i] = static_cast<unsigned char>(random.below(256));
  };
  measure(options, fill, [&] {
    std::fill(histogram.begin(), histogram.end(), 0u);
    in_parts(options, words.size(), [&](std::size_t first, std::size_t last) {
      count(words.data(), first, last, histogram.data());
    });
  });
  std::vector<unsigned> expected(kBins);
  for (std::size_t i = 0; i < options.size; i++) expected[bytes[i] >> 2]++;
  for (int bin = 0; bin < kBins; bin++)
    if (histogram[bin] != expected[bin]) return kProgram.wrong("bin", bin, histogram[bin], expected[bin]);
}
