// dashti2017 Figures 5 and 6: more and more threads that share a line. Each increments an entry of its own (`--index own`), or all the
// first one (`first`); an entry has 8 bytes, or is padded to `--entry 32`, a line of that GPU. `lines --threads 4096 --entry 8`. With `--l1 yes`
// (Figure 6) L1 may hold them, where the machine lets global data in (`--set gpu.sm.global_in_l1=true`).
#include "method.h"

using Word = unsigned long long;

extern "C" __global__ void increment(volatile Word* data, unsigned threads, unsigned words, bool own, unsigned repeats) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= threads) return;
  for (unsigned repeat = 0; repeat < repeats; repeat++) data[own ? i * words : 0] = data[own ? i * words : 0] + 1;
}

// The same with loads that L1 may answer, as -Xptxas -dlcm=ca makes them.
extern "C" __global__ void increment_in_l1(Word* data, unsigned threads, unsigned words, bool own, unsigned repeats) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= threads) return;
  Word* const entry = data + (own ? i * words : 0);
  for (unsigned repeat = 0; repeat < repeats; repeat++) {
    Word value;
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(entry) : "memory");
    asm volatile("st.global.u64 [%0], %1;" ::"l"(entry), "l"(value + 1) : "memory");
  }
}

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("lines", "[--index own|first] [--entry 8|16|32|64|128] [--threads N] [--repeats N] [--l1 no|yes]", argc, argv);
  const dashti2017::Method method = arguments.method();
  const bool own = arguments.one_of("index", {"own", "first"}) == 0;
  const unsigned words = 1u << arguments.one_of("entry", {"8", "16", "32", "64", "128"});
  const auto threads = static_cast<unsigned>(arguments.number("threads", 1024, 1, 1u << 22));
  const auto repeats = static_cast<unsigned>(arguments.number("repeats", 1, 1, 1u << 20));
  const bool in_l1 = arguments.one_of("l1", {"no", "yes"}) == 1;
  arguments.end();

  const unsigned block = threads < 256 ? threads : 256;
  dashti2017::Array<Word> data(method, size_t{threads} * words);
  for (size_t i = 0; i < data.size(); i++) data[i] = 0;
  data.to_device();
  CHECK_CUDA(cudaDeviceSynchronize());
  duetMark("start");
  const unsigned blocks = (threads + block - 1) / block;
  if (in_l1)
    increment_in_l1<<<blocks, block>>>(data.device(), threads, words, own, repeats);
  else
    increment<<<blocks, block>>>(data.device(), threads, words, own, repeats);
  CHECK_LAUNCH("increment");
  CHECK_CUDA(cudaDeviceSynchronize());
  duetMark("finish");
  data.to_host();
  // Increments of the first entry race, as the paper's do: some are lost.
  const Word first = data[0];
  bool right = own ? first == repeats : first >= 1 && first <= Word{threads} * repeats;
  for (size_t i = 1; i < size_t{threads} * words && right; i++) right = data[i] == (own && i % words == 0 ? repeats : 0);
  if (!right) {
    fprintf(stderr, "lines: the entries are wrong; the first is %llu\n", first);
    return 1;
  }
  printf("PASS lines method=%s index=%s entry=%u threads=%u repeats=%u\n", dashti2017::name_of(method), own ? "own" : "first",
         words * 8, threads, repeats);
  return 0;
}
