// Mapped pinned memory: a kernel reads and writes host memory through its device pointer, with no copy.
#include "expect.h"

__global__ void change(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i] * 5 - 2;
}

int main() {
  const int n = 777;
  int *in = nullptr, *out = nullptr, *d_in = nullptr, *d_out = nullptr;
  CHECK(cudaHostAlloc(reinterpret_cast<void**>(&in), n * sizeof(int), cudaHostAllocMapped));
  CHECK(cudaHostAlloc(reinterpret_cast<void**>(&out), n * sizeof(int),
                      cudaHostAllocMapped | cudaHostAllocPortable));
  CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&d_in), in, 0));
  CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&d_out), out, 0));
  for (int round = 1; round <= 2; round++) {
    for (int i = 0; i < n; i++) {
      in[i] = i * round;
      out[i] = 0;
    }
    change<<<(n + 63) / 64, 64>>>(d_in, d_out, n);
    CHECK_LAUNCH();
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) expect::equal("out", i, out[n - 1 - i], i * round * 5 - 2);
  }
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  return expect::pass("mapped");
}
