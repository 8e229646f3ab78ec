// Threads of a program share the machine. One waits for a kernel that spins until another thread's kernel has
// run: that one's calls are served meanwhile. A thread that waits for a short kernel goes on when that has
// ended, not when the long kernel has for which another thread waits.
#include <atomic>
#include <chrono>
#include <thread>

#include "expect.h"

__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void set(volatile int* flag) { *flag = 1; }
__global__ void spend(volatile int* out, int rounds) {
  for (int i = 0; i < rounds; ++i) *out = i;
}

static cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

// By the threads' own clocks.
static bool short_wait_ends_first(int* words) {
  using Clock = std::chrono::steady_clock;
  const cudaStream_t long_one = new_stream(), short_one = new_stream();
  CHECK(cudaDeviceSynchronize());
  const Clock::time_point begin = Clock::now();
  spend<<<1, 1, 0, long_one>>>(words, 100000);
  spend<<<1, 1, 0, short_one>>>(words + 1, 10000);
  std::atomic<bool> waits{false};
  Clock::duration all{};
  std::thread other([&] {
    waits = true;
    CHECK(cudaStreamSynchronize(long_one));
    all = Clock::now() - begin;
  });
  while (!waits) std::this_thread::yield();
  CHECK(cudaStreamSynchronize(short_one));
  const Clock::duration part = Clock::now() - begin;
  other.join();
  CHECK(cudaStreamDestroy(long_one));
  CHECK(cudaStreamDestroy(short_one));
  return part < all / 2;
}

int main() {
  int* flag = nullptr;
  CHECK(cudaMalloc(&flag, 2 * sizeof *flag));
  CHECK(cudaMemset(flag, 0, 2 * sizeof *flag));
  CHECK(cudaDeviceSynchronize());
  std::atomic<bool> waits{false};
  std::thread first([&] {
    const cudaStream_t stream = new_stream();
    wait_for<<<1, 1, 0, stream>>>(flag);
    waits = true;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
  });
  std::thread second([&] {
    while (!waits) std::this_thread::yield();
    for (volatile int i = 0; i < 100000000; i = i + 1) {
    }
    const cudaStream_t stream = new_stream();
    set<<<1, 1, 0, stream>>>(flag);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
  });
  first.join();
  second.join();

  // One that the host holds up for long waits too late: then the next try counts.
  bool goes_on = false;
  for (int i = 0; i < 50 && !goes_on; ++i) goes_on = short_wait_ends_first(flag);
  REQUIRE(goes_on);
  CHECK(cudaFree(flag));
  return expect::pass("threads_wait");
}
