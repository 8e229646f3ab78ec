// OpenMP: reductions, schedules, tasks, a lock, ordered output. Prints the same for any number of threads.
#include <omp.h>
#include <stdio.h>

enum { kCount = 4000 };
static int values[kCount];
static long histogram[16];

static long fibonacci(int n) {
  if (n < 2) return n;
  long a, b;
  if (n < 8) return fibonacci(n - 1) + fibonacci(n - 2);
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  long sum = 0, most = 0, locked = 0, critical = 0, atomic = 0, tree = 0;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < kCount; ++i) values[i] = (int)((i * 7919L) % 10007);
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : sum) reduction(max : most)
  for (int i = 0; i < kCount; ++i) {
    sum += values[i] * (long)i;
    most = values[i] > most ? values[i] : most;
  }
#pragma omp parallel for schedule(guided) reduction(+ : histogram)
  for (int i = 0; i < kCount; ++i) ++histogram[values[i] % 16];
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel for
  for (int i = 0; i < 200; ++i) {
    omp_set_lock(&lock);
    locked += i;
    omp_unset_lock(&lock);
#pragma omp atomic
    atomic += i;
#pragma omp critical
    critical += i;
  }
  omp_destroy_lock(&lock);
#pragma omp parallel
#pragma omp single
  tree = fibonacci(14);
#pragma omp parallel for ordered
  for (int i = 0; i < 8; ++i) {
    const long square = (long)i * i;
#pragma omp ordered
    printf("%d: %ld\n", i, square);
  }
  printf("sum %ld, most %ld, locked %ld, critical %ld, atomic %ld, tree %ld\n", sum, most, locked, critical, atomic, tree);
  for (int i = 0; i < 16; ++i) printf("%ld ", histogram[i]);
  puts("");
  return 17;
}
