// Four threads write packets into one queue with the write index as HSA's manual has it; each waits for its
// own.
#include <pthread.h>

#include "hsa_test.h"

enum { kThreads = 4, kRounds = 20, kItems = 64 };

static struct gpu gpu;
static struct kernel add;

static void* produce(void* number) {
  const int own = (int)(intptr_t)number;
  int* a = allocate(gpu.fine, kItems * sizeof(int));
  int* b = allocate(gpu.fine, kItems * sizeof(int));
  int* out = allocate(gpu.fine, kItems * sizeof(int));
  struct {
    int *a, *b, *out;
    int n;
  }* kernarg = allocate(gpu.fine, 64);
  kernarg->a = a;
  kernarg->b = b;
  kernarg->out = out;
  kernarg->n = kItems;
  const hsa_signal_t done = new_signal(0);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kItems; ++i) {
      a[i] = own * 1000 + i;
      b[i] = round;
    }
    hsa_signal_store_relaxed(done, 1);
    dispatch(gpu.queue, add, kernarg, kItems, 32, 0, done);
    wait_for_zero(done);
    for (int i = 0; i < kItems; ++i) EQUAL(out[i], own * 1000 + i + round);
  }
  CHECK(hsa_signal_destroy(done));
  return NULL;
}

int main(int argc, char** argv) {
  gpu = start(argc, argv, "kernels.hsaco");
  add = find_kernel(&gpu, "add");
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, produce, (void*)(intptr_t)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  EQUAL(hsa_queue_load_write_index_relaxed(gpu.queue), kThreads * kRounds);
  CHECK(hsa_shut_down());
  printf("PASS producers\n");
  return 0;
}
