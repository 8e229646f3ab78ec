// What a CPU thread and a GPU thread share in mapped pinned memory, each with a way to tell that it has failed.
// Usage: locks NAME ROUNDS. Prints how often something was wrong, and ends with 1 if it was.
// Sources: Peterson, "Myths About the Mutual Exclusion Problem", Information Processing Letters 1981; Lamport, "Concurrent Reading and
// Writing", CACM 1977 (what rings build on); CUDA C++ Programming Guide, "Memory Fence Functions".
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int kWords = 24, kRing = 8;

struct Shared {  // mapped
  struct alignas(128) {
    volatile long word;
  } flag[2], turn, counter, wrong, head, tail;
  // Some of one line, some of others.
  alignas(128) volatile long data[kWords * 5];
  alignas(128) volatile long slots[kRing];
};

#ifdef __CUDA_ARCH__
#define FENCE() __threadfence_system()
#else
#define FENCE() __asm__ volatile("fence rw, rw" ::: "memory")
#endif

__host__ __device__ volatile long& word_of(Shared* shared, int i) { return shared->data[i < kWords / 2 ? i : 5 * i]; }

// What the CPU's thread does outside of its critical section: stores to lines that no cache has, so that what it stores next waits.
#ifndef __CUDA_ARCH__
static volatile long cold[1 << 22];
static void store_to_cold_lines(long round) {
  for (long line = 0; line < 16; ++line) cold[(round * 16 + line) * 128 % (1 << 22)] = round;
}
#endif

// ---- Peterson's lock: the CPU's thread is 0, the GPU's 1 ----
__host__ __device__ void peterson(Shared* shared, int me, long rounds, bool with_fence) {
  for (long i = 0; i < rounds; ++i) {
#ifndef __CUDA_ARCH__
    store_to_cold_lines(i);
#endif
    shared->flag[me].word = 1;
#ifndef __CUDA_ARCH__
    __asm__ volatile("fence w, w" ::: "memory");
#endif
    shared->turn.word = !me;
    if (with_fence) FENCE();
    while (shared->flag[!me].word && shared->turn.word != me) {
    }
    if (with_fence) FENCE();
    shared->counter.word = shared->counter.word + 1;
    if (with_fence) FENCE();
    shared->flag[me].word = 0;
  }
}

// ---- data, then a flag; the reader answers with a flag of its own ----
__host__ __device__ void give(Shared* shared, int me, long rounds) {
  for (long i = 1; i <= rounds; ++i) {
    for (int word = 0; word < kWords; ++word) word_of(shared, word) = i;
    FENCE();
    shared->flag[me].word = i;
    while (shared->flag[!me].word != i) {
    }
    FENCE();
  }
}

__host__ __device__ void take(Shared* shared, int me, long rounds) {
  for (long i = 1; i <= rounds; ++i) {
    while (shared->flag[!me].word != i) {
    }
    FENCE();
    long wrong = 0;
    for (int word = kWords; word-- > 0;) wrong += word_of(shared, word) != i;
    if (wrong != 0) shared->wrong.word = shared->wrong.word + wrong;
    FENCE();
    shared->flag[me].word = i;
  }
}

// ---- a ring: nobody waits for the other but where it is full or empty ----
__host__ __device__ void put_into_ring(Shared* shared, long rounds) {
  for (long i = 0; i < rounds; ++i) {
    while (i - shared->head.word == kRing) {
    }
    FENCE();
    shared->slots[i % kRing] = i + 1;
    FENCE();
    shared->tail.word = i + 1;
  }
}

__host__ __device__ void take_from_ring(Shared* shared, long rounds) {
  for (long i = 0; i < rounds; ++i) {
    while (shared->tail.word == i) {
    }
    FENCE();
    if (shared->slots[i % kRing] != i + 1) shared->wrong.word = shared->wrong.word + 1;
    FENCE();
    shared->head.word = i + 1;
  }
}

enum Name { kPeterson, kPetersonWithoutFence, kFlagToCpu, kFlagToGpu, kRingToCpu, kRingToGpu, kNames };

__host__ __device__ void execute(Shared* shared, int me, int name, long rounds) {
  switch (name) {
    case kPeterson:
      return peterson(shared, me, rounds, true);
    case kPetersonWithoutFence:
      return peterson(shared, me, rounds, false);
    case kFlagToCpu:
    case kFlagToGpu:
      return (me == 0) == (name == kFlagToCpu) ? take(shared, me, rounds) : give(shared, me, rounds);
    default:
      return (me == 0) == (name == kRingToCpu) ? take_from_ring(shared, rounds) : put_into_ring(shared, rounds);
  }
}

__global__ void run_gpu(Shared* shared, int name, long rounds) { execute(shared, 1, name, rounds); }

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(3);
}

int main(int count, char** words) {
  const char* const names[kNames] = {"peterson",    "peterson-without-fence", "flag-to-cpu",
                                     "flag-to-gpu", "ring-to-cpu",            "ring-to-gpu"};
  if (count != 3) return 2;
  int name = 0;
  while (name < kNames && strcmp(names[name], words[1]) != 0) ++name;
  if (name == kNames) return 2;
  const long rounds = atol(words[2]);
  Shared *shared, *device;
  check(cudaHostAlloc((void**)&shared, sizeof(Shared), cudaHostAllocMapped));
  check(cudaHostGetDevicePointer((void**)&device, shared, 0));
  memset((void*)shared, 0, sizeof(Shared));
  run_gpu<<<1, 1>>>(device, name, rounds);
  check(cudaGetLastError());
  execute(shared, 0, name, rounds);
  check(cudaDeviceSynchronize());
  const bool counts = name == kPeterson || name == kPetersonWithoutFence;
  const long lost = counts ? 2 * rounds - shared->counter.word : 0;
  printf("%ld lost, %ld wrong\n", lost, (long)shared->wrong.word);
  return lost != 0 || shared->wrong.word != 0;
}
