// Copies of a program that has made no queue, or whose queue is gone.
#include "hsa_test.h"

enum { kWords = 1000 };

static void check_copy(uint32_t* to, uint32_t* from, uint32_t first) {
  for (uint32_t i = 0; i < kWords; ++i) from[i] = first + i;
  memset(to, 0, kWords * sizeof *to);
  CHECK(hsa_memory_copy(to, from, kWords * sizeof *to));
  for (uint32_t i = 0; i < kWords; ++i) EQUAL(to[i], first + i);
}

int main(void) {
  CHECK(hsa_init());
  uint32_t* from = malloc(kWords * sizeof *from);
  uint32_t* to = malloc(kWords * sizeof *to);
  check_copy(to, from, 1);
  CHECK(hsa_memory_register(from, kWords * sizeof *from));
  check_copy(to, from, 2);
  CHECK(hsa_memory_register(to, kWords * sizeof *to));
  check_copy(to, from, 3);
  struct gpu gpu = find_gpu();
  CHECK(hsa_queue_destroy(gpu.queue));
  check_copy(allocate(gpu.fine, kWords * sizeof *from), to, 4);
  check_copy(allocate(gpu.coarse, kWords * sizeof *from), from, 5);
  check_copy(to, allocate(gpu.coarse, kWords * sizeof *from), 6);
  CHECK(hsa_memory_deregister(from, kWords * sizeof *from));
  CHECK(hsa_memory_deregister(to, kWords * sizeof *to));
  free(from);
  free(to);
  CHECK(hsa_shut_down());
  printf("PASS copies\n");
  return 0;
}
