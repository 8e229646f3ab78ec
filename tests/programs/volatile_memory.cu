// volatile accesses: one block raises a flag in global memory for another that polls it; values pass through
// volatile shared memory between the lanes of a warp.
#include "expect.h"

__global__ void hand_over(volatile int* flag, volatile int* payload, int* out) {
  // The producer is the lower block, which is resident no later than the other.
  if (blockIdx.x == 0) {
    payload[threadIdx.x] = threadIdx.x * 11 + 3;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    if (threadIdx.x == 0)
      while (*flag == 0) {
      }
    __syncthreads();
    out[threadIdx.x] = payload[threadIdx.x] + 1;
  }
}

__global__ void rotate(int* out) {
  __shared__ volatile int cells[32];
  cells[threadIdx.x] = threadIdx.x * 5;
  __syncwarp();
  int next = cells[(threadIdx.x + 1) % 32];
  __syncwarp();
  cells[threadIdx.x] = next;
  __syncwarp();
  out[threadIdx.x] = cells[(threadIdx.x + 1) % 32];
}

int main() {
  expect::Array<int> flag(1), payload(64), out(64);
  hand_over<<<2, 64>>>(flag.device(), payload.device(), out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < 64; i++) expect::equal("handed over", i, out.host[i], i * 11 + 4);
  rotate<<<1, 32>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < 32; i++) expect::equal("rotated", i, out.host[i], (i + 2) % 32 * 5);
  return expect::pass("volatile_memory");
}
