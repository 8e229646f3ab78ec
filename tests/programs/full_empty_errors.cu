// duet_full_empty.h refuses what it says it refuses, changes nothing then, and the error does not stick. With
// the argument "functional" the GPU has no full/empty bits and every call says so.
#include "expect.h"

#include <duet_full_empty.h>

static int functional() {
  void* pointer = &pointer;
  int host[4] = {};
  int* device = nullptr;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&device), sizeof(host)));
  REQUIRE_STATUS(duetMallocTracked(&pointer, 64), cudaErrorNotSupported);
  REQUIRE(pointer == nullptr);
  REQUIRE_STATUS(
      cudaMemcpyAsync(device, host, sizeof(host), cudaMemcpyHostToDevice, 0, cudaMemcpyTriggerFilled),
      cudaErrorNotSupported);
  REQUIRE_STATUS(duetFullEmptySet(device, 4, duetEmpty, 0), cudaErrorNotSupported);
  REQUIRE_STATUS(duetFullEmptyRelease(device, 4, 0), cudaErrorNotSupported);
  REQUIRE_STATUS(duetFullEmptyEmptyOnKernelEnd(device, 1), cudaErrorNotSupported);
  CHECK(cudaMemcpyAsync(device, host, sizeof(host), cudaMemcpyHostToDevice, 0, cudaMemcpyTriggerNone));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(device));
  return expect::pass("full_empty_errors");
}

int main(int argc, char**) {
  if (argc > 1) return functional();
  const cudaMemcpyTrigger full = cudaMemcpyTriggerFilled, none = cudaMemcpyTriggerNone;
  const cudaMemcpyAction fill = cudaMemcpyActionFill, leave = cudaMemcpyActionNone;
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  const cudaStream_t wrong = reinterpret_cast<cudaStream_t>(0x1234);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  REQUIRE_STATUS(duetMallocTracked(static_cast<void**>(nullptr), 64), cudaErrorInvalidValue);
  char* tracked = nullptr;
  char* untracked = nullptr;
  char* host = nullptr;
  void* huge = &huge;
  REQUIRE_STATUS(duetMallocTracked(&huge, size_t{1} << 46), cudaErrorMemoryAllocation);
  REQUIRE(huge == nullptr);
  huge = &huge;
  CHECK(duetMallocTracked(&huge, 0));
  REQUIRE(huge == nullptr);
  CHECK(duetMallocTracked(&tracked, 1000));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&untracked), 1000));
  CHECK(cudaMallocHost(reinterpret_cast<void**>(&host), 4096));
  for (int i = 0; i < 4096; i++) host[i] = static_cast<char>(i);
  char back[1000] = {};
  CHECK(cudaMemcpy(tracked, host, 1000, in));
  CHECK(cudaMemcpy(untracked, host, 1000, in));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, tracked));
  REQUIRE(attributes.type == cudaMemoryTypeDevice);

  // Values that have no name.
  REQUIRE_STATUS(duetMemcpyAsync(tracked, host, 4, in, stream, static_cast<cudaMemcpyTrigger>(3), fill),
                 cudaErrorInvalidValue);
  REQUIRE_STATUS(duetMemcpyAsync(tracked, host, 4, in, stream, static_cast<cudaMemcpyTrigger>(-1), fill),
                 cudaErrorInvalidValue);
  REQUIRE_STATUS(duetMemcpyAsync(tracked, host, 4, in, stream, none, static_cast<cudaMemcpyAction>(3)),
                 cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptySet(tracked, 4, static_cast<duetFullEmptyState>(2), stream),
                 cudaErrorInvalidValue);
  // No whole granules: address, size, both directions.
  REQUIRE_STATUS(duetMemcpyAsync(tracked + 2, host, 8, in, stream, none, fill), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetMemcpyAsync(tracked, host, 6, in, stream, none, fill), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetMemcpyAsync(host, tracked + 1, 8, out, stream, full, leave), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetMemcpyAsync(host, tracked, 7, out, stream, full, leave), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptySet(tracked + 2, 8, duetEmpty, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptySet(tracked, 10, duetEmpty, stream), cudaErrorInvalidValue);
  // Memory that is not tracked.
  REQUIRE_STATUS(duetMemcpyAsync(untracked, host, 8, in, stream, none, fill), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetMemcpyAsync(host, untracked, 8, out, stream, full, leave), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptySet(untracked, 8, duetFull, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptySet(host, 8, duetFull, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptySet(back, 8, duetFull, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptySet(nullptr, 8, duetFull, stream), cudaErrorInvalidValue);
  // Both sides on the device, both on the host, and a direction that is not theirs.
  REQUIRE_STATUS(duetMemcpyAsync(tracked, untracked, 8, cudaMemcpyDeviceToDevice, stream, none, fill),
                 cudaErrorInvalidValue);
  REQUIRE_STATUS(duetMemcpyAsync(tracked, tracked + 64, 8, cudaMemcpyDefault, stream, full, leave),
                 cudaErrorInvalidValue);
  REQUIRE_STATUS(duetMemcpyAsync(back, host, 8, cudaMemcpyHostToHost, stream, none, fill),
                 cudaErrorInvalidValue);
  REQUIRE_STATUS(duetMemcpyAsync(host, tracked, 8, in, stream, none, fill), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetMemcpyAsync(tracked, host, 8, static_cast<cudaMemcpyKind>(9), stream, none, fill),
                 cudaErrorInvalidMemcpyDirection);
  // Out of range, from the start and from inside.
  REQUIRE_STATUS(duetMemcpyAsync(tracked, host, 1004, in, stream, none, fill), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetMemcpyAsync(tracked + 996, host, 8, in, stream, none, fill), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptySet(tracked + 996, 8, duetEmpty, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptySet(tracked, ~size_t{3}, duetEmpty, stream), cudaErrorInvalidValue);
  // A release has the errors of a set.
  REQUIRE_STATUS(duetFullEmptyRelease(tracked + 2, 8, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptyRelease(tracked, 10, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptyRelease(tracked + 996, 8, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptyRelease(untracked, 8, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptyRelease(nullptr, 8, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptyRelease(tracked, 8, wrong), cudaErrorInvalidResourceHandle);
  CHECK(duetFullEmptyRelease(tracked, 0, stream));
  CHECK(duetFullEmptyRelease(tracked, 1000, stream));  // nothing waits
  // Streams and null pointers.
  REQUIRE_STATUS(duetMemcpyAsync(tracked, host, 8, in, wrong, none, fill), cudaErrorInvalidResourceHandle);
  REQUIRE_STATUS(duetFullEmptySet(tracked, 8, duetEmpty, wrong), cudaErrorInvalidResourceHandle);
  REQUIRE_STATUS(duetMemcpyAsync(tracked, nullptr, 8, in, stream, none, fill), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGetLastError(), cudaSuccess);

  // Nothing to do is no error. Without trigger and action it is CUDA's own copy, of any memory and any bytes.
  CHECK(duetMemcpyAsync(tracked, host, 0, in, stream, full, fill));
  CHECK(duetFullEmptySet(tracked, 0, duetEmpty, stream));
  CHECK(duetMemcpyAsync(untracked + 1, host + 5, 3, in, stream, none, leave));
  CHECK(cudaMemcpyAsync(untracked + 6, untracked + 1, 3, cudaMemcpyDeviceToDevice, stream, none, leave));
  CHECK(cudaStreamSynchronize(stream));
  // An allocation consists of whole granules.
  char* odd = nullptr;
  CHECK(duetMallocTracked(&odd, 10));
  REQUIRE_STATUS(duetFullEmptySet(odd, 6, duetFull, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptySet(odd, 10, duetFull, stream), cudaErrorInvalidValue);
  REQUIRE_STATUS(duetFullEmptySet(odd + 8, 8, duetFull, stream), cudaErrorInvalidValue);
  CHECK(duetFullEmptySet(odd, 12, duetFull, stream));
  CHECK(duetMemcpyAsync(odd, host, 12, in, stream, none, fill));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE_STATUS(duetMemcpyAsync(odd, host, 9, in, stream, none, fill), cudaErrorInvalidValue);
  CHECK(cudaFree(odd));
  // What was refused has not been done: everything is full and as it was written.
  CHECK(cudaMemcpy(back, tracked, 1000, out));
  for (int i = 0; i < 1000; i++) expect::equal("tracked", i, back[i], static_cast<char>(i));
  CHECK(cudaMemcpy(back, untracked, 12, out));
  for (int i = 0; i < 3; i++) expect::equal("untracked", i, back[6 + i], static_cast<char>(5 + i));
  CHECK(cudaFree(tracked));
  REQUIRE_STATUS(duetFullEmptySet(tracked, 4, duetFull, stream), cudaErrorInvalidValue);
  CHECK(cudaFree(untracked));
  CHECK(cudaFreeHost(host));
  CHECK(cudaStreamDestroy(stream));
  return expect::pass("full_empty_errors");
}
