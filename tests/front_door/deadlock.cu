// Programs in which nobody can go on, each for a reason that the report must name: deadlock.cu CASE [poll].
#include <cuda_runtime.h>
#include <duet_full_empty.h>
#include <stdio.h>
#include <stdlib.h>

#include <string>

#include "check.h"

#ifndef N
#define N 4096
#endif
constexpr int n = N;
constexpr size_t bytes = n * sizeof(int);

namespace {
__global__ void produce(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
}
__global__ void consume(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}
}  // namespace

int main(int argc, char** argv) {
  const std::string which = argc > 1 ? argv[1] : "";
  const bool poll = argc > 2;
  int *unused, *other, *input, *middle, *output, *host;
  CHECK(cudaMalloc(&unused, 100));
  CHECK(duetMallocTracked(&other, 512));
  CHECK(duetMallocTracked(&input, bytes));
  CHECK(duetMallocTracked(&middle, bytes));
  CHECK(cudaMalloc(&output, bytes));
  CHECK(cudaMallocHost(&host, bytes));
  cudaStream_t one, two;
  const bool blocking = which == "default_stream";
  for (cudaStream_t* stream : {&one, &two})
    CHECK(cudaStreamCreateWithFlags(stream, blocking ? cudaStreamDefault : cudaStreamNonBlocking));
  for (int i = 0; i < n; i++) host[i] = i;
  CHECK(duetFullEmptySet(middle, bytes, duetEmpty, 0));
  CHECK(cudaDeviceSynchronize());
  const auto consumer = [&](cudaStream_t stream) {
    consume<<<n / 128, 128, 0, stream>>>(middle, output);
    CHECK(cudaGetLastError());
  };
  const auto fill = [&](cudaStream_t stream) {
    CHECK(cudaMemcpyAsync(middle, host, bytes, cudaMemcpyHostToDevice, stream, cudaMemcpyTriggerNone,
                          cudaMemcpyActionFill));
  };

  if (which == "consumer_first" || which == "producer_first") {
    const bool wrong = which == "consumer_first";
    if (wrong) consumer(one);
    produce<<<n / 128, 128, 0, two>>>(input, middle);
    if (!wrong) consumer(one);
  } else if (which == "one_stream") {  // the producer behind its consumer
    consumer(one);
    produce<<<n / 128, 128, 0, one>>>(input, middle);
  } else if (which == "forgotten_fill") {
    consumer(one);
    CHECK(cudaMemcpyAsync(middle + n / 2, host, bytes / 2, cudaMemcpyHostToDevice, two));
    CHECK(cudaMemcpyAsync(middle, host, bytes / 2, cudaMemcpyHostToDevice, two, cudaMemcpyTriggerNone,
                          cudaMemcpyActionFill));
  } else if (which == "written_before_it_was_emptied") {  // the copy is not to blame
    CHECK(cudaMemcpyAsync(middle, host, bytes, cudaMemcpyHostToDevice, two));
    CHECK(duetFullEmptySet(middle, bytes, duetEmpty, two));
    CHECK(cudaStreamSynchronize(two));
    consumer(one);
  } else if (which == "forgotten_fill_of_memset") {
    consumer(one);
    CHECK(cudaMemsetAsync(middle, 0, bytes, two));
  } else if (which == "own_stream") {
    consumer(one);
    fill(one);
  } else if (which == "own_channel") {  // the copy back keeps the only channel until the kernel is complete
    consumer(one);
    CHECK(cudaMemcpyAsync(host, output, bytes, cudaMemcpyDeviceToHost, one));
    fill(two);
  } else if (which == "default_stream") {
    consumer(0);
    fill(two);
  } else {
    fprintf(stderr, "unknown case '%s'\n", which.c_str());
    return 2;
  }
  while (poll && cudaStreamQuery(one) == cudaErrorNotReady) {
  }
  CHECK(cudaDeviceSynchronize());
  printf("went on\n");
  return 0;
}
