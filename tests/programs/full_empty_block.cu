// What a block's threads tell each other through tracked memory that is full: stores before a barrier, or before a
// fence in the block and a flag, are what loads behind it see, and loads before a barrier do not see the stores
// behind it. Lines lie far apart, so that the warps' stores queue on their way.
#include "expect.h"

#include <duet_full_empty.h>

constexpr int blocks = 48, threads = 256, stride = 32, rounds = 20;
constexpr int words = blocks * threads * stride;

// Each thread writes its word, then reads another warp's; and the next round overwrites what was read.
__global__ void through_barriers(int* data, int* wrong) {
  int* const own = data + blockIdx.x * threads * stride;
  for (int round = 1; round <= rounds; round++) {
    own[threadIdx.x * stride] = round;
    __syncthreads();
    const int other = (threadIdx.x + 32 * (round % 7 + 1)) % threads;
    if (own[other * stride] != round) atomicAdd(wrong, 1);
    __syncthreads();
  }
}

// The second warp reads what the first has written, in the order of the first one's fence.
__global__ void through_flags(int* data, int* wrong) {
  __shared__ volatile int flag;
  volatile int* const own = data + blockIdx.x * threads * stride;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int round = 1; round <= rounds; round++) {
    if (threadIdx.x < 32) {
      for (int i = 0; i < 7; i++) own[(lane + 32 * i) * stride] = 100 + round;
      __threadfence_block();
      if (lane == 0) flag = round;
    } else {
      while (flag < round) {
      }
      for (int i = 6; i >= 0; i--)
        if (own[(lane + 32 * i) * stride] < 100 + round) atomicAdd(wrong, 1);
    }
  }
}

int main() {
  int *data = nullptr, *wrong = nullptr, found[2] = {};
  CHECK(duetMallocTracked(&data, words * sizeof(int)));
  CHECK(cudaMalloc(&wrong, sizeof found));
  CHECK(cudaMemset(data, 0, words * sizeof(int)));
  CHECK(cudaMemset(wrong, 0, sizeof found));
  through_barriers<<<blocks, threads>>>(data, wrong);
  CHECK_LAUNCH();
  through_flags<<<blocks, 64>>>(data, wrong + 1);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(found, wrong, sizeof found, cudaMemcpyDeviceToHost));
  expect::equal("stale behind barriers", 0, found[0], 0);
  expect::equal("stale behind fences", 0, found[1], 0);
  return expect::pass("full_empty_block");
}
