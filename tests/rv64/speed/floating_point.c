/* Loops over doubles: a stencil, an update, a division a round. */
#include "start.h"

static double a[1024], b[1024], c[1024];

long run(long rounds) {
  double sum = 0;
  for (int i = 0; i < 1024; i++) {
    a[i] = i * 0.25 + 1;
    b[i] = 1.0 / (i + 1);
  }
  for (long r = 0; r < rounds; r++) {
    for (int i = 1; i < 1023; i++) c[i] = 0.25 * (a[i - 1] + a[i + 1]) + b[i] * 0.5;
    for (int i = 1; i < 1023; i++) a[i] += c[i] * b[i] - sum * 1e-9;
    sum += a[r & 1023] / (1 + c[5]);
  }
  return (long)sum;
}
