// Atomics of every type on shared memory, under contention by 256 threads.
#include "atomics.h"

__global__ void run(Cells* cells, int* i_got, unsigned long long* l_got) {
  __shared__ Cells local;
  if (threadIdx.x == 0) local = *cells;
  __syncthreads();
  apply(&local, threadIdx.x);
  exchange(&local, threadIdx.x, i_got, l_got);
  __syncthreads();
  if (threadIdx.x == 0) *cells = local;
}

int main() {
  check_atomics(run, 1);
  return expect::pass("atomics_shared");
}
