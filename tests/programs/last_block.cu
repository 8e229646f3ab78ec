// A reduction in one launch: every block publishes its sum behind __threadfence and the block that arrives
// last, found by an atomic counter, adds them up and resets the counter for the next launch.
#include "expect.h"

__device__ unsigned arrived = 0;

__device__ long long block_sum(long long value, long long* partial) {
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  long long sum = partial[0];
  __syncthreads();
  return sum;
}

__global__ void sum_all(const int* data, int n, volatile long long* block_sums, long long* result) {
  __shared__ long long partial[128];
  __shared__ bool is_last;
  long long sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += data[i];
  sum = block_sum(sum, partial);
  if (threadIdx.x == 0) {
    block_sums[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += block_sums[i];
  sum = block_sum(sum, partial);
  if (threadIdx.x == 0) *result = sum;
}

int main() {
  const int n = 10000, blocks = 40;
  std::vector<int> data(n);
  long long expected = 0;
  for (int i = 0; i < n; i++) expected += data[i] = i * 7919 % 100003 - 50000;
  expect::Array<int> in(data);
  expect::Array<long long> block_sums(blocks), result(1);
  for (int launch = 0; launch < 3; launch++) {
    CHECK(cudaMemset(result.device(), 0, sizeof(long long)));
    sum_all<<<blocks, 128>>>(in.device(), n, block_sums.device(), result.device());
    CHECK_LAUNCH();
    result.fetch();
    expect::equal("sum of launch", launch, result.host[0], expected);
  }
  return expect::pass("last_block");
}
