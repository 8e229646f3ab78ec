// Functions that take their time in different ways, for the profile: `work` calls the two, main calls `work` and `divide`.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kNodes = 1 << 20 };

// A chain of loads from DRAM.
__attribute__((noinline, noclone)) static uint64_t chase(const uint32_t* next, int steps) {
  uint64_t sum = 0;
  for (uint32_t at = 0; steps-- > 0; sum += at) at = next[at];
  return sum;
}

// Long operations that wait for each other.
__attribute__((noinline, noclone)) static double divide(int steps) {
  double x = 3;
  for (int i = 0; i < steps; i++) x = 1.0001 / x + 1;
  return x;
}

__attribute__((noinline, noclone)) static double work(const uint32_t* next) {
  const double x = divide(20000);
  return x + (double)chase(next, 20000);
}

int main(void) {
  uint32_t* next = calloc(kNodes, sizeof *next);  // pages of zeros: the lines of a stride of them are linked
  for (uint32_t at = 0, i = 0; i < 20001; i++) {
    const uint32_t to = (at + 104729) % kNodes;
    next[at] = to;
    at = to;
  }
  const double first = work(next);
  const double x = first + divide(20000);
  printf("%d\n", x > 0);
  return 0;
}
