// Threads that wait for values of one signal, while the GPU has nothing to do and main waits for each in
// turn: nobody stands still, since the value that one waits for is there before Linux has woken it.
#include <pthread.h>

#include "hsa_test.h"

enum { kThreads = 24, kRounds = 4 };

static hsa_signal_t signal;
static int passed[kThreads];

static void* wait_for_own(void* number) {
  const int own = (int)(intptr_t)number;
  EQUAL(
      hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, own + 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
      own + 1);
  passed[own] = 1;
  return NULL;
}

int main(void) {
  CHECK(hsa_init());
  for (int round = 0; round < kRounds; ++round) {
    signal = new_signal(0);
    pthread_t threads[kThreads];
    memset(passed, 0, sizeof passed);
    for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, wait_for_own, (void*)(intptr_t)i);
    for (int i = 0; i < kThreads; ++i) {
      EQUAL(passed[i], 0);
      hsa_signal_store_screlease(signal, i + 1);
      pthread_join(threads[i], NULL);
      EQUAL(passed[i], 1);
    }
    CHECK(hsa_signal_destroy(signal));
  }
  CHECK(hsa_shut_down());
  printf("PASS waits\n");
  return 0;
}
