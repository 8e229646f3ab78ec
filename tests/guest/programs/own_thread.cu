// What only a host that takes time of its own can do: to poll memory that a kernel writes, without a call,
// and to keep a function in a stream waiting for a lock while the program goes on.
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

#include "check.h"

namespace {

__global__ void set(volatile int* flag, int to) { *flag = to; }

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_t main_thread;
volatile int released = 0;

void take_lock(void* data) {
  pthread_mutex_lock(&lock);
  std::snprintf(static_cast<char*>(data), 100, "%s thread, %s the release",
                pthread_equal(pthread_self(), main_thread) != 0 ? "the main" : "another",
                released != 0 ? "after" : "before");
  pthread_mutex_unlock(&lock);
}

void forever(void*) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
}

long nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000l + now.tv_nsec;
}

}  // namespace

int main(int arguments, char** words) {
  if (arguments > 1 && std::strcmp(words[1], "deadlock") == 0) {
    CHECK(cudaLaunchHostFunc(nullptr, forever, nullptr));
    CHECK(cudaDeviceSynchronize());
    return 1;
  }
  main_thread = pthread_self();
  int* flag = nullptr;
  CHECK(cudaHostAlloc(reinterpret_cast<void**>(&flag), 64, cudaHostAllocMapped));
  set<<<1, 1>>>(flag, 17);
  while (*static_cast<volatile int*>(flag) == 0) {
  }
  std::printf("polled: %d\n", *flag);
  char told[100] = "nothing";
  pthread_mutex_lock(&lock);
  CHECK(cudaLaunchHostFunc(nullptr, take_lock, told));
  const long start = nanoseconds();
  usleep(500);
  released = 1;
  pthread_mutex_unlock(&lock);
  CHECK(cudaDeviceSynchronize());
  std::printf("%s; %s\n", told, nanoseconds() - start >= 500000 ? "time has passed" : "no time has passed");
  return 0;
}
