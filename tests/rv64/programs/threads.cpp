// Threads: a lock, a condition, sleeping, thread-local storage, a pipe between threads, spinning, and OpenMP.
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

static thread_local int own = 5;

static long counted() {
  std::mutex lock;
  std::atomic<long> atomic{0};
  long plain = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      own += t;
      for (int i = 0; i < 20000; ++i) {
        const std::lock_guard<std::mutex> held(lock);
        ++plain;
        atomic += own;
      }
    });
  for (std::thread& thread : threads) thread.join();
  return plain * 1000000 + atomic + own;
}

static long handed_over() {
  std::mutex lock;
  std::condition_variable changed;
  std::queue<int> queue;
  long sum = 0;
  std::thread taker([&] {
    for (int taken = 0; taken < 1000; ++taken) {
      std::unique_lock<std::mutex> held(lock);
      changed.wait(held, [&] { return !queue.empty(); });
      sum += queue.front();
      queue.pop();
    }
  });
  for (int i = 0; i < 1000; ++i) {
    const std::lock_guard<std::mutex> held(lock);
    queue.push(i);
    changed.notify_one();
  }
  taker.join();
  std::unique_lock<std::mutex> held(lock);
  const bool in_time = changed.wait_for(held, std::chrono::milliseconds(30), [] { return false; });
  return in_time ? -1 : sum;
}

static void slept() {
  std::mutex lock;
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (const int delay : {300, 100, 200})
    threads.emplace_back([&, delay] {
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
      const std::lock_guard<std::mutex> held(lock);
      order.push_back(delay);
    });
  for (std::thread& thread : threads) thread.join();
  for (const int delay : order) std::printf("%d ", delay);
}

static long piped() {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  long sum = 0;
  std::thread reader([&] {
    for (unsigned char byte; read(ends[0], &byte, 1) == 1;) sum += byte;
  });
  for (int i = 0; i < 100; ++i) {
    const unsigned char byte = static_cast<unsigned char>(i);
    if (write(ends[1], &byte, 1) != 1) return -1;
    sched_yield();
    if (i % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  close(ends[1]);
  reader.join();
  return sum;
}

static long spun() {
  std::atomic<int> turn{0};
  std::thread other([&] {
    for (int i = 1; i < 20; i += 2) {
      while (turn != i) {
      }
      turn = i + 1;
    }
  });
  for (int i = 0; i < 20; i += 2) {
    while (turn != i) {
    }
    turn = i + 1;
  }
  other.join();
  return turn;
}

int main() {
  std::printf("%ld %ld ", counted(), handed_over());
  slept();
  std::printf("%ld %ld\n", piped(), spun());
  double sum = 0;
  int most = 0;
#pragma omp parallel for reduction(+ : sum) reduction(max : most) schedule(dynamic, 16)
  for (int i = 0; i < 10000; ++i) {
    sum += i;
    most = i > most ? i : most;
  }
#pragma omp parallel num_threads(3)
  {
#pragma omp barrier
#pragma omp critical
    ++most;
  }
  std::printf("%.0f %d\n", sum, most);
  std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
  return 3;
}
