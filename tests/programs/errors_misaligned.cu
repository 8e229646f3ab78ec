// A load of four bytes from an address that is no multiple of four: cudaErrorMisalignedAddress, which sticks.
#include "expect.h"

__global__ void load(const int* in, int* out) { *out = *in; }

int main() {
  char* memory = nullptr;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&memory), 256));
  load<<<1, 1>>>(reinterpret_cast<const int*>(memory + 4), reinterpret_cast<int*>(memory + 128));
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  load<<<1, 1>>>(reinterpret_cast<const int*>(memory + 2), reinterpret_cast<int*>(memory + 128));
  CHECK_LAUNCH();
  REQUIRE_STATUS(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
  REQUIRE_STATUS(cudaMemset(memory, 0, 4), cudaErrorMisalignedAddress);
  return expect::pass("errors_misaligned");
}
