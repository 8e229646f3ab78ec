/* Loads that depend on one another, over 4 MiB in an order without a pattern. */
#include "start.h"

static unsigned next[1 << 20];

long run(long rounds) {
  const unsigned n = 1 << 20;
  unsigned at = 0, sum = 0;
  /* A full cycle: multiplier 1 modulo 4, odd increment. */
  for (unsigned i = 0; i < n; i++) next[i] = (i * 1664525u + 1013904223u) & (n - 1);
  for (long r = 0; r < rounds; r++) {
    at = next[at];
    sum += at;
  }
  return sum;
}
