// Calls with wrong arguments are refused, change nothing and do not stick: pointers that are no device
// pointers, copies past the end of an allocation, memory that cannot be had, unknown directions;
// cudaGetLastError clears the error and cudaPeekAtLastError keeps it.
#include "expect.h"

int main() {
  int host[4] = {1, 2, 3, 4}, other[4] = {5, 6, 7, 8};
  int* device = nullptr;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&device), sizeof(host)));
  CHECK(cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice));

  REQUIRE_STATUS(cudaMemcpy(other, host, sizeof(host), cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaPeekAtLastError(), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaPeekAtLastError(), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGetLastError(), cudaSuccess);
  REQUIRE_STATUS(cudaPeekAtLastError(), cudaSuccess);
  REQUIRE(other[0] == 5 && other[3] == 8);

  REQUIRE_STATUS(cudaMemcpy(device, host, 1 << 30, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaMemcpy(device, host, 4, static_cast<cudaMemcpyKind>(77)),
                 cudaErrorInvalidMemcpyDirection);
  REQUIRE_STATUS(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaFree(host), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaFree(nullptr), cudaSuccess);
  void* huge = &huge;
  REQUIRE_STATUS(cudaMalloc(&huge, size_t{1} << 46), cudaErrorMemoryAllocation);
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorMemoryAllocation);
  REQUIRE(strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
  REQUIRE(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
  REQUIRE(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
  void* empty = &empty;
  CHECK(cudaMalloc(&empty, 0));
  REQUIRE(empty == nullptr);

  // A success in between does not clear an earlier error.
  REQUIRE_STATUS(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
  CHECK(cudaMemcpy(other, device, sizeof(other), cudaMemcpyDeviceToHost));
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
  for (int i = 0; i < 4; i++) expect::equal("other", i, other[i], i + 1);
  CHECK(cudaFree(device));
  return expect::pass("errors_arguments");
}
