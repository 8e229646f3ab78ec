// 200 launches whose work goes up and down, two of another kernel every tenth, and a check of what they leave.
// With "beside" the launches are in two streams, on the GPU at once. With "long": two launches of many blocks.
#include <cstdio>
#include <cstring>

__global__ void turn(unsigned* data, unsigned rounds) {
  unsigned value = data[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned i = 0; i < rounds; ++i) value = value * 1664525 + 1013904223;
  data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void add_one(unsigned* data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

// Blocks differ, and are slower at first: each eighth block's words are from memory that nobody has read.
__global__ void uneven(unsigned* data, const unsigned* zeros) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = data[at] + zeros[at / 8];
  const unsigned rounds = 60 + blockIdx.x % 7 * 10 + threadIdx.x % 5;
  for (unsigned i = 0; i < rounds; ++i) value = value * 1664525 + 1013904223;
  data[at] = value;
}

static int run_long() {
  constexpr unsigned kBlocks = 6000, kThreads = 128, kAll = kBlocks * kThreads;
  static unsigned found[kAll];
  unsigned *data, *zeros;
  cudaMalloc(&data, sizeof found);
  cudaMalloc(&zeros, sizeof found);
  cudaMemset(data, 0, sizeof found);
  cudaMemset(zeros, 0, sizeof found);
  for (int i = 0; i < 2; ++i) uneven<<<kBlocks, kThreads>>>(data, zeros);
  if (cudaMemcpy(found, data, sizeof found, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (unsigned at = 0; at < kAll; ++at) {
    unsigned value = 0;
    for (int launch = 0; launch < 2; ++launch)
      for (unsigned i = 0; i < 60 + at / kThreads % 7 * 10 + at % kThreads % 5; ++i) value = value * 1664525 + 1013904223;
    if (found[at] != value) {
      std::printf("FAIL at %u: %u\n", at, found[at]);
      return 1;
    }
  }
  std::printf("PASS\n");
  return 0;
}

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "long") == 0) return run_long();
  constexpr unsigned kBlocks = 32, kThreads = 128, kAll = kBlocks * kThreads;
  const bool beside = count > 1 && std::strcmp(words[1], "beside") == 0;
  static unsigned found[2][kAll];
  unsigned* data[2];
  cudaStream_t streams[2];
  for (unsigned s = 0; s < 2; ++s) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&data[s], sizeof found[s]);
    cudaMemset(data[s], 0, sizeof found[s]);
  }
  const auto rounds = [](unsigned launch) { return 40 + launch * 37 % 400; };
  for (unsigned launch = 0; launch < 200; ++launch) {
    const unsigned s = beside ? launch % 2 : 0;
    turn<<<kBlocks, kThreads, 0, streams[s]>>>(data[s], rounds(launch));
    if (launch % 10 == 9)
      for (unsigned i = 0; i < 2; ++i) add_one<<<kBlocks, kThreads, 0, streams[s]>>>(data[s]);
  }
  for (unsigned s = 0; s < 2; ++s) cudaMemcpyAsync(found[s], data[s], sizeof found[s], cudaMemcpyDeviceToHost, streams[s]);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  unsigned expected[2] = {};
  for (unsigned launch = 0; launch < 200; ++launch) {
    unsigned& value = expected[beside ? launch % 2 : 0];
    for (unsigned i = 0; i < rounds(launch); ++i) value = value * 1664525 + 1013904223;
    if (launch % 10 == 9) value += 2;
  }
  for (unsigned s = 0; s < 2; ++s)
    for (unsigned i = 0; i < kAll; ++i)
      if (found[s][i] != expected[s]) {
        std::printf("FAIL stream %u at %u: %u\n", s, i, found[s][i]);
        return 1;
      }
  std::printf("PASS %08x %08x\n", found[0][0], found[1][0]);
  return 0;
}
