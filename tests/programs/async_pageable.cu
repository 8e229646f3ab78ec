// An asynchronous copy out of pageable memory takes the bytes at the call: the program may overwrite them at
// once.
#include "expect.h"

int main() {
  const int n = 4096;
  std::vector<int> from(n), back(n);
  for (int i = 0; i < n; i++) from[i] = i * 9;
  expect::Array<int> data(n);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpyAsync(data.device(), from.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
  for (int i = 0; i < n; i++) from[i] = -1;
  CHECK(cudaMemcpyAsync(back.data(), data.device(), n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; i++) expect::equal("back", i, back[i], i * 9);
  CHECK(cudaStreamDestroy(stream));
  return expect::pass("async_pageable");
}
