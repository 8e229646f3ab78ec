// One thread follows pointers through BYTES of memory, a line of 128 bytes after the other in random order,
// and prints what a load takes:
//   duet cc chase.cu -o chase && duet run --machine mi300a ./chase 262144          262144 bytes, 213.3 cycles
//   a load
// Before the measured loads it goes round once where everything fits in a cache of 4 MB; larger rings start
// cold.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

using Word = unsigned long long;

__global__ void chase(Word* start, int lap, int loads, unsigned* out) {
  Word* at = start;
  for (int i = 0; i < lap; i++) at = reinterpret_cast<Word*>(*at);
  const unsigned begin = clock();
  for (int i = 0; i < loads; i++) at = reinterpret_cast<Word*>(*at);
  out[0] = static_cast<unsigned>(clock()) - begin;
  out[1] = static_cast<unsigned>(reinterpret_cast<Word>(at));  // so that the loads stay
}

int main(int count, char** words) {
  constexpr size_t line = 128, last_cache = 4u << 20;
  constexpr int loads = 2000;
  const size_t bytes = count > 1 ? strtoul(words[1], nullptr, 10) : 8192, lines = bytes / line;
  std::vector<size_t> order(lines);
  for (size_t i = 0; i < lines; i++) order[i] = i;
  unsigned random = 1;
  for (size_t i = lines - 1; i > 0; i--) {
    random = random * 1664525u + 1013904223u;
    std::swap(order[i], order[(random >> 4) % (i + 1)]);
  }
  char* memory = nullptr;
  unsigned* out = nullptr;
  if (cudaMalloc(&memory, bytes) != cudaSuccess || cudaMalloc(&out, 8) != cudaSuccess) return 1;
  std::vector<Word> ring(bytes / sizeof(Word));
  for (size_t i = 0; i < lines; i++)
    ring[order[i] * line / sizeof(Word)] = reinterpret_cast<Word>(memory + order[(i + 1) % lines] * line);
  cudaMemcpy(memory, ring.data(), bytes, cudaMemcpyHostToDevice);
  chase<<<1, 1>>>(reinterpret_cast<Word*>(memory + order[0] * line),
                  bytes > last_cache ? 0 : static_cast<int>(lines), loads, out);
  unsigned measured[2];
  if (cudaMemcpy(measured, out, sizeof measured, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  printf("%zu bytes, %.1f cycles a load\n", bytes, measured[0] / static_cast<double>(loads));
  return 0;
}
