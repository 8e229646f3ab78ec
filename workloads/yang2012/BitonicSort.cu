// yang2012 Table 1, BitonicSort (BS): 2M unsigned words into increasing order with 1M threads, 256 a block,
// each of which compares one pair. As BitonicSort of the AMD APP SDK: a sorting network with one launch a
// pass, stage s of it in s + 1 passes: 231 launches for 2M. The SDK's kernel finds its pair by unsigned
// division and remainder. Form `divide` keeps them (59 instructions a thread): the distances are arguments,
// where the SDK computes them as 1 << d, of which compilers make shifts. Form `shift` has the shifts (27
// instructions). The paper's IPC, close to 90 (section 5.3), asks for at least 36 instructions a thread: a
// thread moves 16 bytes, and the memory 40 a cycle. `--first 210` runs the last stage alone, `--first 210
// --launches 1` one launch of it, on what the launches before leave (the host computes that).
#include <algorithm>

#include "benchmark.h"

namespace {

using namespace yang2012;

enum { kFirst, kLaunches };
enum { kDivide, kShift };
const Spec kSpec = {"BitonicSort",
                    "words, a power of two",
                    1u << 21,
                    512,
                    1u << 26,
                    512,
                    {{"--first", "launch to run, of those of the whole sort", 0, 0, 350},
                     {"--launches", "to run from there; 0: all that are left", 0, 0, 351}},
                    {"divide", "shift"}};
const unsigned kThreads = 256;

struct Pass {
  unsigned stage, pass;
  unsigned log_distance() const { return stage - pass; }
};

std::vector<Pass> network(unsigned n) {
  std::vector<Pass> passes;
  for (unsigned stage = 0; (2u << stage) <= n; stage++)
    for (unsigned pass = 0; pass <= stage; pass++) passes.push_back({stage, pass});
  return passes;
}

// The same pass on the host, pair by pair of the blocks that sort one way.
void apply(const Pass& pass, std::vector<unsigned>& words) {
  const size_t distance = static_cast<size_t>(1) << pass.log_distance();
  const size_t run = static_cast<size_t>(2) << pass.stage;
  for (size_t block = 0; block < words.size(); block += 2 * distance)
    for (size_t left = block; left < block + distance; left++) {
      const bool increasing = left / run % 2 == 0;
      if ((words[left] > words[left + distance]) == increasing)
        std::swap(words[left], words[left + distance]);
    }
}

// Keeps the lesser word at `left` where the pair lies in an increasing run.
__device__ void order(unsigned* words, unsigned left, unsigned distance, bool increasing) {
  const unsigned a = words[left], b = words[left + distance];
  const unsigned least = min(a, b), most = max(a, b);
  words[left] = increasing ? least : most;
  words[left + distance] = increasing ? most : least;
}

}  // namespace

extern "C" __global__ void bitonic_divide(unsigned* words, unsigned distance, unsigned run) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned left = thread / distance * (2 * distance) + thread % distance;
  order(words, left, distance, thread / run % 2 == 0);
}

extern "C" __global__ void bitonic_shift(unsigned* words, unsigned log_distance, unsigned stage) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned distance = 1u << log_distance;
  const unsigned left = (thread >> log_distance << (log_distance + 1)) + (thread & (distance - 1));
  order(words, left, distance, (thread >> stage) % 2 == 0);
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv, kSpec);
  const unsigned n = options.size;
  require_power_of_two(kSpec, "--size", n);
  std::vector<Pass> passes = network(n);
  const size_t first = options.extra[kFirst], all = passes.size();
  if (first >= all || options.extra[kLaunches] > all - first) {
    fprintf(stderr, "%s: a sort of %u words has %zu launches: --first and --launches ask for more\n",
            kSpec.program, n, all);
    return 2;
  }
  const size_t last = options.extra[kLaunches] == 0 ? all : first + options.extra[kLaunches];

  std::vector<unsigned> input(n);
  workload::Random random(options.seed);
  for (unsigned& word : input) word = random.next();
  std::vector<unsigned> sorted = input;
  for (size_t i = 0; i < first; i++) apply(passes[i], input);

  Array<unsigned> words(options.memory, n);
  const Geometry geometry = {n / 2 / kThreads, kThreads};
  duetMark("data ready");
  for (unsigned i = 0; i < options.repeat; i++) {
    CHECK_CUDA(cudaDeviceSynchronize());
    for (unsigned k = 0; k < n; k++) words[k] = input[k];
    words.to_device();
    begin(options);
    for (size_t k = first; k < last; k++) {
      if (options.form == kShift)
        bitonic_shift<<<geometry.grid, geometry.block>>>(words.device(), passes[k].log_distance(),
                                                         passes[k].stage);
      else
        bitonic_divide<<<geometry.grid, geometry.block>>>(words.device(), 1u << passes[k].log_distance(),
                                                          1u << passes[k].stage);
      CHECK_LAUNCH("bitonic");
    }
  }
  words.to_host();
  duetMark("finish");

  Check check(kSpec);
  if (last == all) {
    std::sort(sorted.begin(), sorted.end());
  } else {
    sorted = input;
    for (size_t k = first; k < last; k++) apply(passes[k], sorted);
  }
  for (unsigned i = 0; i < n; i++) check.element("word", i, words[i], sorted[i], 0);
  return check.finish(options, geometry, "0");
}
