// One small CUDA program that misbehaves in the way its first argument says. Every way first does one
// complete copy, so that the run leaves something.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "offload.h"

__global__ void out_of_bounds(int* data) { data[threadIdx.x + (1 << 20)] = 1; }
__global__ void misaligned(char* data) { *reinterpret_cast<int*>(data + 1 + 4 * threadIdx.x) = 1; }

__global__ void raise_flag(volatile int* flag) { *flag = 1; }

struct FreesAtTheEnd {
  ~FreesAtTheEnd() { cudaFree(nullptr); }
} frees_at_the_end;

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "return";
  if (offload() != 0) return 77;
  if (!strcmp(how, "return")) return argc > 2 ? atoi(argv[2]) : 0;
  if (!strcmp(how, "_exit")) _exit(3);
  if (!strcmp(how, "quick_exit")) quick_exit(4);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "segv")) raise(SIGSEGV);
  if (!strcmp(how, "interrupt")) kill(getpid(), SIGINT), pause();
  if (!strcmp(how, "thread_exit")) pthread_exit(nullptr);
  if (!strcmp(how, "fork")) {
    const pid_t child = fork();
    if (child == 0) {
      void* pointer;
      _exit(cudaMalloc(&pointer, 4) == cudaErrorInitializationError ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  if (!strcmp(how, "illegal") || !strcmp(how, "misaligned")) {
    int* device;
    cudaMalloc(&device, 4096);
    if (!strcmp(how, "illegal"))
      out_of_bounds<<<1, 32>>>(device);
    else
      misaligned<<<1, 32>>>(reinterpret_cast<char*>(device));
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%s\n", cudaGetErrorName(cudaMalloc(&device, 4)));  // sticky
    return 0;
  }
  if (!strcmp(how, "spin") || !strcmp(how, "spin_with_query")) {
    // Waits for a flag in mapped memory for some seconds of CPU time.
    volatile int* flag;
    cudaHostAlloc(const_cast<int**>(&flag), sizeof(int), cudaHostAllocMapped);
    *flag = 0;
    raise_flag<<<1, 1>>>(flag);
    const clock_t end = clock() + 2 * CLOCKS_PER_SEC;
    while (*flag == 0 && clock() < end)
      if (!strcmp(how, "spin_with_query")) cudaStreamQuery(nullptr);
    return *flag;
  }
  fprintf(stderr, "hazards: unknown way '%s'\n", how);
  return 2;
}
