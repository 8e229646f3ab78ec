// Accesses beyond the memory that a block or a thread has for itself. Arguments: which, static or dynamic or
// both, and the element.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__global__ void beyond_static(int* out, int at) {
  __shared__ int own[250];
  own[threadIdx.x] = at;
  __syncthreads();
  out[threadIdx.x] = own[at];
}
__global__ void beyond_both(int* out, int at) {
  __shared__ int own[64];
  extern __shared__ int more[];
  own[threadIdx.x] = more[threadIdx.x] = at;
  __syncthreads();
  more[at] = own[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = more[threadIdx.x];
}

int main(int argc, char** argv) {
  int* out;
  if (argc < 3 || cudaMalloc(&out, 4096) != cudaSuccess) return 77;
  const int at = atoi(argv[2]);
  if (!strcmp(argv[1], "static")) beyond_static<<<1, 32>>>(out, at);
  if (!strcmp(argv[1], "both")) beyond_both<<<1, 32, 512>>>(out, at);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 1 : 0;
}
