// Four threads pass a turn around without fences or atomics of their cores: each waits for its turn in a loop
// of loads, beside counters of all of them in one line, and memory of its own that it touches for the first
// time.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
  constexpr int kThreads = 4, kRounds = 400;
  alignas(64) static std::atomic<long> turn{0};
  alignas(64) static volatile long waited[kThreads];
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([i] {
      std::vector<char> own(kRounds * 64);
      for (int round = 0; round < kRounds; ++round) {
        while (turn.load(std::memory_order_relaxed) % kThreads != i) waited[i] = waited[i] + 1;
        own[round * 64] = static_cast<char>(waited[(i + 1) % kThreads]);
        turn.store(turn.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("%ld\n", turn.load());
  return turn.load() != kThreads * kRounds;
}
