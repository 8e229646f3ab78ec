#include <omp.h>

// In an order of its own: the parts are whole multiples of 1/16, so every order gives the same sum.
double sum_of_squares(const double* values, long n, int threads, int* used) {
  double sum = 0;
  int most = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) reduction(max : most)
  for (long i = 0; i < n; ++i) {
    sum += values[i] * values[i];
    most = omp_get_num_threads();
  }
  *used = most;
  return sum;
}
