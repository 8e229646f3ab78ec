// A kernel that writes outside a surface in trap mode ends with an illegal address, which every later call
// tells.
#include "expect.h"

__global__ void write(cudaSurfaceObject_t surface, int x) { surf2Dwrite(1, surface, x * 4, 0); }

int main() {
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &channels, 8, 8, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  write<<<1, 1>>>(surface, 7);
  CHECK(cudaDeviceSynchronize());
  write<<<1, 1>>>(surface, 8);
  REQUIRE_STATUS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  return expect::pass("errors_surface");
}
