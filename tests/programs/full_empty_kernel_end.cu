// duetFullEmptyEmptyOnKernelEnd (lustig2013 4.5): a kernel that reads its input more than once, launched three
// times before any input exists, on inputs that arrive one after the other in one buffer. Nobody empties the
// buffer between the launches but their ends. With the argument "off" nobody does at all, so the second copy
// waits for ever.
#include "expect.h"

#include <duet_full_empty.h>

constexpr int n = 8192, threads = 128, rounds = 3;
constexpr size_t bytes = n * sizeof(int);

// Each input word is read by three threads, in up to three blocks.
__global__ void neighbours(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[(i + n - 1) % n] + 10 * in[i] + 100 * in[(i + 1) % n];
}

int main(int argc, char** argv) {
  const bool on = argc < 2 || strcmp(argv[1], "off") != 0;
  int *in = nullptr, *untouched = nullptr, *out = nullptr, *host = nullptr, *result = nullptr;
  cudaStream_t compute, copies;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(duetMallocTracked(&in, bytes));
  CHECK(duetMallocTracked(&untouched, bytes));
  CHECK(cudaMalloc(&out, rounds * bytes));
  CHECK(cudaMallocHost(&host, bytes));
  CHECK(cudaMallocHost(&result, rounds * bytes));
  REQUIRE_STATUS(duetFullEmptyEmptyOnKernelEnd(out, 1), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptyEmptyOnKernelEnd(in + 1, 1), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptyEmptyOnKernelEnd(nullptr, 1), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptyEmptyOnKernelEnd(host, 0), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
  CHECK(duetFullEmptyEmptyOnKernelEnd(untouched, 1));
  CHECK(duetFullEmptyEmptyOnKernelEnd(untouched, 0));
  CHECK(duetFullEmptyEmptyOnKernelEnd(in, 1));
  CHECK(duetFullEmptyEmptyOnKernelEnd(in, on));
  CHECK(duetFullEmptySet(in, bytes, duetEmpty, compute));
  CHECK(cudaStreamSynchronize(compute));

  for (int r = 0; r < rounds; r++) neighbours<<<n / threads, threads, 0, compute>>>(in, out + r * n);
  CHECK_LAUNCH();
  const auto input = [](int r, int i) { return (r + 1) * 7 * i % 1009 + r; };
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < n; i++) host[i] = input(r, i);
    CHECK(cudaMemcpyAsync(in, host, bytes, cudaMemcpyHostToDevice, copies, cudaMemcpyTriggerEmptied,
                          cudaMemcpyActionFill));
    CHECK(cudaStreamSynchronize(copies));
  }
  CHECK(cudaStreamSynchronize(compute));
  CHECK(cudaMemcpy(result, out, rounds * bytes, cudaMemcpyDeviceToHost));
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < n; i++)
      expect::equal("out", r * n + i, result[r * n + i],
                    input(r, (i + n - 1) % n) + 10 * input(r, i) + 100 * input(r, (i + 1) % n));
  // The last kernel has emptied too; switched off, a kernel leaves its input full, and what was on for a
  // while and is off has never been emptied.
  CHECK(duetFullEmptyEmptyOnKernelEnd(in, 0));
  CHECK(cudaMemcpyAsync(in, host, bytes, cudaMemcpyHostToDevice, copies, cudaMemcpyTriggerEmptied,
                        cudaMemcpyActionFill));
  neighbours<<<n / threads, threads, 0, compute>>>(in, out);
  CHECK_LAUNCH();
  CHECK(cudaStreamSynchronize(compute));
  for (const int* full : {in, untouched})
    CHECK(cudaMemcpyAsync(result, full, bytes, cudaMemcpyDeviceToHost, copies, cudaMemcpyTriggerFilled));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(in));  // on or off, it ends here
  CHECK(cudaFree(untouched));
  CHECK(cudaFree(out));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFreeHost(result));
  CHECK(cudaStreamDestroy(compute));
  CHECK(cudaStreamDestroy(copies));
  return expect::pass("full_empty_kernel_end");
}
