// A kernel that uses a texture after its destruction, or a number that never was one, is refused.
#include "expect.h"

__global__ void read(cudaTextureObject_t texture, float* out) { *out = tex2D<float>(texture, 0.5f, 0.5f); }

int main() {
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &channels, 8, 8));
  // Larger than the device's textures may be.
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  const auto wide = size_t(device.maxTexture1D), high = size_t(device.maxTexture2D[1]),
             deep = size_t(device.maxTexture3D[2]);
  cudaArray_t large = nullptr;
  REQUIRE_STATUS(cudaMallocArray(&large, &channels, wide + 1, 0), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaMallocArray(&large, &channels, 8, high + 1), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaMalloc3DArray(&large, &channels, make_cudaExtent(8, 8, deep + 1)),
                 cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
  CHECK(cudaMallocArray(&large, &channels, wide, 0));
  CHECK(cudaFreeArray(large));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  expect::Array<float> out(1);
  read<<<1, 1>>>(texture, out.device());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaDestroyTextureObject(texture));
  REQUIRE_STATUS(cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
  read<<<1, 1>>>(texture, out.device());
  REQUIRE_STATUS(cudaDeviceSynchronize(), cudaErrorIllegalInstruction);
  printf("PASS errors_texture\n");
  fflush(stdout);
  _Exit(0);  // the array's destructor would free memory of a context that is lost
}
