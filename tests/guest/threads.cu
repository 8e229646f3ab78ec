// Threads of a program on simulated cores, each with work of its own and calls: threads.rv THREADS ROUNDS
// [exit STATUS | abort | spin | more COUNT]. Prints "right" when every element is.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

constexpr int kElements = 4096;

__global__ void add(const int* from, int* to, int more) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = from[i] + more;
}

static unsigned worked;

static bool work(int number, int rounds) {
  std::vector<int> values(kElements), results(kElements);
  unsigned state = 1 + static_cast<unsigned>(number);
  int *from = nullptr, *to = nullptr;
  cudaMalloc(&from, kElements * sizeof(int));
  cudaMalloc(&to, kElements * sizeof(int));
  bool right = true;
  for (int round = 0; round < rounds; ++round) {
    for (int& value : values) {
      state = state * 1664525 + 1013904223;
      value = static_cast<int>(state >> 8);
    }
    cudaMemcpy(from, values.data(), kElements * sizeof(int), cudaMemcpyHostToDevice);
    add<<<kElements / 256, 256>>>(from, to, number);
    cudaMemcpy(results.data(), to, kElements * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < kElements; ++i) right = right && results[i] == values[i] + number;
  }
  __atomic_fetch_add(&worked, state, __ATOMIC_RELAXED);
  return right;
}

int main(int count, char** arguments) {
  const int threads = std::atoi(arguments[1]), rounds = std::atoi(arguments[2]);
  const char* const end = count > 3 ? arguments[3] : "";
  std::vector<char> right(static_cast<std::size_t>(threads));
  if (rounds > 0) {
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i)
      others.emplace_back([&right, i, rounds] { right[static_cast<std::size_t>(i)] = work(i, rounds); });
    right[0] = work(0, rounds);
    for (std::thread& other : others) other.join();
    bool all = true;
    for (const char one : right) all = all && one != 0;
    std::puts(all ? "right" : "wrong");
    std::fflush(stdout);
  }
  // After the last call: nobody but the cores has anything to do.
  volatile unsigned sum = worked;
  const unsigned more = std::strcmp(end, "more") == 0 ? static_cast<unsigned>(std::atoi(arguments[4])) : 50000;
  for (unsigned i = 0; i < more; ++i) sum = sum * 5 + i;
  if (std::strcmp(end, "abort") == 0) std::abort();
  while (std::strcmp(end, "spin") == 0) sum = sum * 5 + 1;
  return std::strcmp(end, "exit") == 0 ? std::atoi(arguments[4]) : 0;
}
