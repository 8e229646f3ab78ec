// Made by GCC, with the headers of CUDA before those of C++. Every thread of a team calls CUDA.
#include <cuda_runtime.h>

#include <memory>
#include <vector>

#include <omp.h>

// The parts are whole multiples of 1/16, so every order gives the same sum.
double sum_of_squares(const double* values, long n, int threads, int* used) {
  double sum = 0;
  const auto devices = std::make_unique<std::vector<int>>(threads, 0);
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    cudaGetDeviceCount(&devices->at(static_cast<std::size_t>(omp_get_thread_num())));
#pragma omp for
    for (long i = 0; i < n; ++i) sum += values[i] * values[i];
  }
  for (const int found : *devices) *used += found;
  return sum;
}
