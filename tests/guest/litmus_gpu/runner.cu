// Runs litmus tests (gpu_tests.py writes their threads) on CPU threads with cores of their own and on warps of the GPU, over mapped pinned
// memory, many rounds, and prints how often each outcome came: lines "NAME: OUTCOME COUNT", the values of the loads in their order, then
// of the locations.
// Usage: runner PASSES SEED DISTANCE TYPE LEAST [EVERY]: bytes from x to y; whether they lie in write-back ("w") or write-combined memory ("u");
// how many divisions the CPU's threads wait at least, so that accesses of both meet; only one test of so many. Each round has locations of its own. The threads of a round tell each other that
// they have come, and begin after random delays. Before, CPU threads take lines of some rounds into their caches, to read or to write.
#include <cuda_runtime.h>
#include <pthread.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

constexpr int kThreads = 4, kRounds = 32, kOutcomes = 256, kLoads = 2, kVariants = 4;
constexpr long kStride = 4096;

typedef volatile long Word;
typedef void Kernel(Word* x, Word* y, long* results);
struct Test {
  const char* name;
  Kernel* kernels[kThreads];  // of the CPU
  int loads[kThreads];
  unsigned gpu_threads;  // a bit each
  int threads;
};

#include "kernels.inc"

struct Shared {  // mapped
  struct alignas(128) {
    Word rounds;
  } begun[kThreads];
  alignas(128) long results[kThreads][kRounds][kLoads];
};

__host__ __device__ unsigned delay_of(unsigned long seed, int thread, long round, unsigned reach) {
  unsigned long state = (seed * 8191 + round) * 0x9e3779b97f4a7c15u + 77 * thread + 1;
  state ^= state >> 30;
  state *= 0xbf58476d1ce4e5b9u;
  state ^= state >> 27;
  return (unsigned)(state >> 13) % reach;
}

// A warp a thread of the test; of each the first lane.
__global__ void run_gpu(Shared* shared, char* locations, int kernel, unsigned gpu_threads, int threads, long met, unsigned long seed, long distance,
                        unsigned reach) {
  const int me = threadIdx.x / 32;
  if (threadIdx.x % 32 != 0 || !(gpu_threads >> me & 1)) return;
  for (long round = 0; round < kRounds; ++round) {
    shared->begun[me].rounds = met + round + 1;
    for (int other = 0; other < threads; ++other)
      while (shared->begun[other].rounds < met + round + 1) {
      }
    const long long until = clock64() + delay_of(seed, me, round, reach);
    while (clock64() < until) {
    }
    long results[kLoads] = {0, 0};
    Word* const x = (Word*)(locations + round * kStride);
    gpu_kernel(kernel + me, x, (Word*)((char*)x + distance), results);
    for (int i = 0; i < kLoads; ++i) shared->results[me][round][i] = results[i];
  }
}

#ifndef __CUDA_ARCH__
static Shared* shared;
static char* locations;
static bool cached;
static long passes, distance;
static unsigned long seed;
static unsigned outcomes, least;
static struct {
  unsigned key;
  long count;
} seen[kOutcomes];

static void pause_for(unsigned divisions, unsigned branches) {
  unsigned long one = 1;
  for (; divisions != 0; --divisions) __asm__ volatile("div %0, %0, %0" : "+r"(one));
  for (; branches != 0; --branches) __asm__ volatile("");
}

static Word* x_of(long round) { return (Word*)(locations + round * kStride); }
static Word* y_of(long round) { return (Word*)(locations + round * kStride + distance); }

struct Part {
  const Test* test;
  int me;
  long met;
  unsigned divisions;
  unsigned long seed;
};

static void take_lines(const Part& part) {
  for (long round = 0; round < kRounds; ++round) {
    const unsigned how = delay_of(part.seed + 1, part.me, round, 16);
    if (how & 1) (void)*x_of(round);
    if (how & 2) (void)*y_of(round);
    if (!cached) continue;  // no atomics there
    if (how == 4) __atomic_fetch_add((long*)x_of(round), 0, __ATOMIC_RELAXED);
    if (how == 8) __atomic_fetch_add((long*)y_of(round), 0, __ATOMIC_RELAXED);
  }
}

static void* run_cpu(void* argument) {
  const Part& part = *(const Part*)argument;
  take_lines(part);
  for (long round = 0; round < kRounds; ++round) {
    shared->begun[part.me].rounds = part.met + round + 1;
    for (int other = 0; other < part.test->threads; ++other)
      while (shared->begun[other].rounds < part.met + round + 1) pause_for(1, 0);
    // The GPU's threads see that all have come, and their accesses arrive, a microsecond or more later.
    const unsigned delay = delay_of(part.seed, part.me, round, 1 << 16);
    pause_for(least + delay % part.divisions, delay >> 12);
    long results[kLoads] = {0, 0};
    part.test->kernels[part.me](x_of(round), y_of(round), results);
    for (int i = 0; i < kLoads; ++i) shared->results[part.me][round][i] = results[i];
  }
  return nullptr;
}

static void count_outcomes(const Test& test) {
  for (long round = 0; round < kRounds; ++round) {
    unsigned key = 0;
    for (int thread = 0; thread < kThreads; ++thread)
      for (int i = 0; i < test.loads[thread]; ++i) key = key << 2 | (shared->results[thread][round][i] & 3);
    key = key << 4 | (*x_of(round) & 3) << 2 | (*y_of(round) & 3);
    unsigned at = 0;
    while (at < outcomes && seen[at].key != key) ++at;
    if (at == outcomes) {
      if (++outcomes > kOutcomes) abort();
      seen[at].key = key;
      seen[at].count = 0;
    }
    ++seen[at].count;
  }
}

static void print_outcomes(const Test& test) {
  int values = 2;
  for (int thread = 0; thread < kThreads; ++thread) values += test.loads[thread];
  for (unsigned at = 0; at < outcomes; ++at) {
    printf("%s:", test.name);
    for (int i = values; i-- > 0;) printf(" %u", seen[at].key >> 2 * i & 3);
    printf(" %ld\n", seen[at].count);
  }
  outcomes = 0;
}

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(3);
}

int main(int count, char** words) {
  if (count != 6 && count != 7) return 2;
  passes = atol(words[1]);
  seed = strtoul(words[2], nullptr, 0);
  distance = atol(words[3]);
  cached = words[4][0] == 'w';
  least = (unsigned)atoi(words[5]);
  const int every = count == 7 ? atoi(words[6]) : 1;
  Shared* device;
  char* device_locations;
  check(cudaHostAlloc((void**)&shared, sizeof(Shared), cudaHostAllocMapped));
  check(cudaHostGetDevicePointer((void**)&device, shared, 0));
  check(cudaHostAlloc((void**)&locations, kRounds * kStride, cudaHostAllocMapped | (cached ? 0 : cudaHostAllocWriteCombined)));
  check(cudaHostGetDevicePointer((void**)&device_locations, locations, 0));
  for (int i = 0; i < kThreads; ++i) shared->begun[i].rounds = 0;
  long met = 0;
  int kernel = 0;
  for (const Test& test : litmus_tests) {
    if (kernel / kThreads % every != 0) {
      kernel += kThreads;
      continue;
    }
    for (long pass = 0; pass < passes; ++pass) {
      for (long round = 0; round < kRounds; ++round) *x_of(round) = *y_of(round) = 0;
      const unsigned reach = pass % 2 == 0 ? 100 : 800;      // of the GPU's threads, in cycles
      const unsigned divisions = pass % 2 == 0 ? 180 : 100;  // of the CPU's, of about 12 ns
      const unsigned long pass_seed = seed * 1000 + pass;
      run_gpu<<<1, 32 * kThreads>>>(device, device_locations, kernel, test.gpu_threads, test.threads, met, pass_seed, distance, reach);
      check(cudaGetLastError());
      pthread_t threads[kThreads];
      Part parts[kThreads];
      int last = -1;  // that one this thread executes itself
      for (int i = 0; i < test.threads; ++i)
        if (test.kernels[i] != nullptr) last = i;
      for (int i = 0; i <= last; ++i) {
        if (test.kernels[i] == nullptr) continue;
        parts[i] = {&test, i, met, divisions, pass_seed};
        if (i == last)
          run_cpu(&parts[i]);
        else
          pthread_create(&threads[i], nullptr, run_cpu, &parts[i]);
      }
      for (int i = 0; i < last; ++i)
        if (test.kernels[i] != nullptr) pthread_join(threads[i], nullptr);
      check(cudaDeviceSynchronize());
      met += kRounds;
      count_outcomes(test);
    }
    print_outcomes(test);
    kernel += kThreads;
  }
  return 0;
}
#endif
