// Ways to end, by the argument; each with work outstanding that nobody waits for.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>

#include "check.h"

namespace {

__global__ void fill(int* values, int n) {
  for (int round = 0; round < 20; ++round)
    for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] += i * round;
}

void at_exit() { std::puts("at exit"); }

void* exit_here(void*) { std::exit(5); }

void* wait_and_exit(void*) {
  usleep(1000);
  std::puts("the last thread");
  return nullptr;
}

void handler(int) {
  static const char text[] = "in the handler\n";
  if (write(1, text, sizeof text - 1) < 0) _exit(1);
  _exit(44);
}

}  // namespace

int main(int, char** words) {
  const char* way = words[1];
  int* values = nullptr;
  CHECK(cudaMalloc(&values, 40000));
  CHECK(cudaMemset(values, 0, 40000));
  std::atexit(at_exit);
  std::puts("starting");
  std::fflush(stdout);
  fill<<<1, 64>>>(values, 10000);
  pthread_t thread;
  if (std::strcmp(way, "return") == 0) return 200;
  if (std::strcmp(way, "exit") == 0) std::exit(7);
  if (std::strcmp(way, "_exit") == 0) _exit(9);
  if (std::strcmp(way, "abort") == 0) std::abort();
  if (std::strcmp(way, "term") == 0) raise(SIGTERM);
  if (std::strcmp(way, "kill") == 0) kill(getpid(), SIGKILL);
  if (std::strcmp(way, "null") == 0) *static_cast<volatile int*>(nullptr) = 1;
  if (std::strcmp(way, "device") == 0) *static_cast<volatile int*>(values) = 1;
  if (std::strcmp(way, "handler") == 0) {
    signal(SIGSEGV, handler);
    *static_cast<volatile int*>(nullptr) = 1;
  }
  if (std::strcmp(way, "thread") == 0) {
    pthread_create(&thread, nullptr, exit_here, nullptr);
    pthread_join(thread, nullptr);
  }
  if (std::strcmp(way, "main-ends") == 0) {
    pthread_create(&thread, nullptr, wait_and_exit, nullptr);
    pthread_exit(nullptr);
  }
  return 1;
}
