// Several threads of the program, each with its own stream, buffers and errors.
#include <pthread.h>

#include <vector>

#include "check.h"

namespace {

constexpr int kThreads = 4, kRounds = 5, kCount = 3000;

__global__ void scale(float* values, int n, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = values[i] * by + 1;
}

struct Work {
  int number;
  float sum;
  cudaError_t last, after;
};

void* run(void* data) {
  Work& work = *static_cast<Work*>(data);
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::vector<float> values(kCount, static_cast<float>(work.number));
  float* there = nullptr;
  CHECK(cudaMalloc(&there, kCount * sizeof(float)));
  for (int round = 0; round < kRounds; ++round) {
    CHECK(cudaMemcpyAsync(there, values.data(), kCount * sizeof(float), cudaMemcpyHostToDevice, stream));
    scale<<<(kCount + 127) / 128, 128, 0, stream>>>(there, kCount, 0.5f + static_cast<float>(work.number));
    CHECK(cudaMemcpyAsync(values.data(), there, kCount * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
  for (const float value : values) work.sum += value;
  if (work.number % 2 == 1) cudaMemcpy(nullptr, there, 4, cudaMemcpyDeviceToHost);
  work.last = cudaGetLastError();
  work.after = cudaGetLastError();
  CHECK(cudaFree(there));
  CHECK(cudaStreamDestroy(stream));
  return nullptr;
}

}  // namespace

int main() {
  Work work[kThreads]{};
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    work[i].number = i;
    pthread_create(&threads[i], nullptr, run, &work[i]);
  }
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], nullptr);
    std::printf("thread %d: %g, %s, %s\n", i, work[i].sum, cudaGetErrorName(work[i].last),
                cudaGetErrorName(work[i].after));
  }
  std::printf("main thread: %s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
