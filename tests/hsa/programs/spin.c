// Waiting for a kernel: in loads of the program's own, or asleep.
//
//   spin FOLDER active|blocked|nobody      nobody: actively, for a signal that no kernel completes
#include "hsa_test.h"

enum { kItems = 20000 };

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  struct gpu gpu = start(2, argv, "kernels.hsaco");
  const struct kernel add = find_kernel(&gpu, "add");
  struct {
    int *a, *b, *out;
    int n;
  }* kernarg = allocate(gpu.fine, sizeof *kernarg);
  kernarg->a = allocate(gpu.fine, kItems * sizeof(int));
  kernarg->b = allocate(gpu.fine, kItems * sizeof(int));
  kernarg->out = allocate(gpu.fine, kItems * sizeof(int));
  kernarg->n = kItems;
  for (int i = 0; i < kItems; ++i) {
    kernarg->a[i] = i;
    kernarg->b[i] = 7 * i;
  }
  const hsa_signal_t done = new_signal(1), other = new_signal(1);
  dispatch(gpu.queue, add, kernarg, kItems, 64, 0, done);
  hsa_signal_wait_scacquire(strcmp(argv[2], "nobody") == 0 ? other : done, HSA_SIGNAL_CONDITION_LT, 1,
                            UINT64_MAX,
                            strcmp(argv[2], "blocked") == 0 ? HSA_WAIT_STATE_BLOCKED : HSA_WAIT_STATE_ACTIVE);
  for (int i = 0; i < kItems; ++i) EQUAL(kernarg->out[i], 8 * i);
  CHECK(hsa_shut_down());
  printf("PASS spin\n");
  return 0;
}
