// A global object that frees device memory in its destructor, after main has returned: the call must neither
// crash nor fail with anything but success or the runtime's own farewell.
#include "expect.h"

__global__ void set(int* out) { *out = 9; }

struct Holder {
  int* memory = nullptr;
  ~Holder() {
    if (memory == nullptr) return;
    cudaError_t status = cudaFree(memory);
    bool fine = status == cudaSuccess || status == cudaErrorCudartUnloading;
    fprintf(stdout, "freed after main: %s\n", fine ? "yes" : cudaGetErrorName(status));
  }
};
Holder holder;

int main() {
  int value = 0;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&holder.memory), sizeof(int)));
  set<<<1, 1>>>(holder.memory);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(&value, holder.memory, sizeof(int), cudaMemcpyDeviceToHost));
  expect::equal("value", 0, value, 9);
  return expect::pass("global_destructor");
}
