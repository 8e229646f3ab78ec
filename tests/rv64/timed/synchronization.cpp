// Threads that wait for each other: a queue with a mutex and conditions, a barrier, atomics of all widths,
// threads that make threads. Prints the same however they are interleaved.
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

namespace {

class Queue {
 public:
  void put(int value) {
    std::unique_lock<std::mutex> held(lock_);
    not_full_.wait(held, [this] { return values_.size() < 4; });
    values_.push_back(value);
    not_empty_.notify_one();
  }
  int take() {
    std::unique_lock<std::mutex> held(lock_);
    not_empty_.wait(held, [this] { return !values_.empty(); });
    const int value = values_.front();
    values_.pop_front();
    not_full_.notify_one();
    return value;
  }

 private:
  std::mutex lock_;
  std::condition_variable not_full_, not_empty_;
  std::deque<int> values_;
};

long through_a_queue() {
  Queue queue;
  std::atomic<long> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) queue.put(i * 2 + t);
    });
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 60; ++i) sum += queue.take();
    });
  for (std::thread& thread : threads) thread.join();
  return sum;
}

template <typename T>
long counted() {
  std::atomic<T> value{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&value] {
      for (int i = 0; i < 100; ++i) {
        value.fetch_add(3);
        T seen = value.load();
        while (!value.compare_exchange_weak(seen, static_cast<T>(seen + 5))) {
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  return static_cast<long>(value.load());
}

long in_steps() {
  constexpr int kThreads = 4, kCells = 64;
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, kThreads);
  std::vector<long> cells(kCells, 1), next(kCells);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int step = 0; step < 20; ++step) {
        for (int i = t; i < kCells; i += kThreads)
          next[i] = (cells[i] + 3 * cells[(i + 1) % kCells] + i) % 1000003;
        pthread_barrier_wait(&barrier);
        if (t == 0) cells.swap(next);
        pthread_barrier_wait(&barrier);
      }
    });
  for (std::thread& thread : threads) thread.join();
  pthread_barrier_destroy(&barrier);
  return std::accumulate(cells.begin(), cells.end(), 0L);
}

long forked(const std::vector<int>& values, std::size_t first, std::size_t end, int depth) {
  if (depth == 0)
    return std::accumulate(values.begin() + static_cast<long>(first), values.begin() + static_cast<long>(end),
                           0L);
  const std::size_t middle = (first + end) / 2;
  auto left = std::async(std::launch::async, forked, std::cref(values), first, middle, depth - 1);
  const long right = forked(values, middle, end, depth - 1);
  return left.get() + right;
}

}  // namespace

int main() {
  std::printf("queue %ld\n", through_a_queue());
  std::printf("counted %ld %ld %ld %ld\n", counted<std::uint8_t>(), counted<std::uint16_t>(),
              counted<std::uint32_t>(), counted<std::uint64_t>());
  std::printf("steps %ld\n", in_steps());
  std::vector<int> values(3000);
  std::iota(values.begin(), values.end(), 1);
  std::printf("forked %ld\n", forked(values, 0, values.size(), 3));
  return 19;
}
