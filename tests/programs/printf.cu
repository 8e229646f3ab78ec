// printf in a kernel: every common conversion, from one thread so that the order is defined; what two kernels
// print appears in their order when the host synchronizes.
#include "expect.h"

__global__ void print_all(int number, float real, const char* unused) {
  printf("plain text, 100%%\n");
  printf("signed %d %i, unsigned %u, hex %x %X %#x, octal %o\n", number, -number, 4000000000u, 48879, 48879,
         255, 8);
  printf("wide [%8d] [%-8d] [%08d] [%+d]\n", number, number, number, number);
  printf("64 bits %lld %llu %llx\n", -9000000000000000000ll, 18000000000000000000ull, 0x123456789abcdefull);
  printf("real %f %.3f %10.2f %e %g\n", real, real, -real, real, 0.0001);
  printf("char %c%c, string %s, null %d\n", 'o', 'k', "inside", unused == nullptr);
  printf("no arguments then many: %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9);
}

__global__ void print_loop(int n) {
  for (int i = 0; i < n; i++)
    if (i % 2 == 0) printf("loop %d\n", i);
}

int main() {
  print_all<<<1, 1>>>(42, 1.5f, nullptr);
  CHECK_LAUNCH();
  print_loop<<<1, 1>>>(5);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  return expect::pass("printf");
}
