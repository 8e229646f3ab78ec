// Calls of one kind, N times. Arguments: the kind, N.
#include <stdlib.h>
#include <string.h>

__global__ void empty() {}

int main(int, char** argv) {
  const int n = atoi(argv[2]);
  int value = 0;
  cudaError_t status = cudaFree(nullptr);
  for (int i = 0; i < n && status == cudaSuccess; ++i) {
    if (!strcmp(argv[1], "attribute"))
      status = cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0);
    else
      empty<<<1, 32>>>();
    if (!strcmp(argv[1], "launch_and_wait")) status = cudaDeviceSynchronize();
  }
  if (status == cudaSuccess) status = cudaDeviceSynchronize();
  return status == cudaSuccess && cudaGetLastError() == cudaSuccess ? 0 : 1;
}
