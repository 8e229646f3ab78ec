// A kernel that writes pages which nobody has touched yet: they are asked of the operating system. The second
// launch finds them.
#include "hsa_test.h"

enum { kItems = 16 * 1024 };  // 16 pages of ints

int main(int argc, char** argv) {
  struct gpu gpu = start(argc, argv, "vector_copy.hsaco");
  const struct kernel kernel = find_kernel(&gpu, "vector_copy");
  int* in = allocate(gpu.fine, kItems * sizeof(int));
  int* out = allocate(gpu.fine, kItems * sizeof(int));
  char* kernarg = allocate(gpu.fine, kernel.kernarg);
  memcpy(kernarg, &in, sizeof in);
  memcpy(kernarg + sizeof in, &out, sizeof out);
  const hsa_signal_t done = new_signal(1);
  for (int i = 0; i < kItems; ++i) in[i] = i;
  for (int launch = 0; launch < 2; ++launch) {
    hsa_signal_store_relaxed(done, 1);
    dispatch(gpu.queue, kernel, kernarg, kItems, 256, 0, done);
    wait_for_zero(done);
  }
  int wrong = 0;
  for (int i = 0; i < kItems; ++i) wrong += out[i] != i;
  if (wrong == 0) printf("PASS untouched\n");
  return wrong != 0;
}
