// Atomics of every type on global memory, under contention by 256 threads.
#include "atomics.h"

__global__ void run(Cells* cells, int* i_got, unsigned long long* l_got) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  apply(cells, i);
  exchange(cells, i, i_got, l_got);
}

int main() {
  check_atomics(run, 4);
  return expect::pass("atomics_global");
}
