// A program of several rounds in which host and GPU take turns with one array, by each method of dashti2017 section 3.
//   methods METHOD [forget-cpu | forget-gpu | whole]     // default, hostalloc, managed, sharedalloc
// Prints how many words are wrong at the end: with sharedalloc the program flushes, and may forget to. Other words:
// copied (managed memory, copied to and from), in-stream (managed memory, and host functions), registered, outside (ranges that may not be flushed).
#include <cuda_runtime.h>
#include <duet.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                          \
  do {                                                                                       \
    if (const int error = (int)(call)) {                                                     \
      std::printf("line %d: %s\n", __LINE__, cudaGetErrorName(static_cast<cudaError_t>(error))); \
      std::exit(1);                                                                          \
    }                                                                                        \
  } while (0)

constexpr int kRounds = 3, kWords = 5000;

__global__ void add(int* data, int words, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) data[i] += value;
}

namespace {

int copied() {
  int *host = nullptr, *device = nullptr, wrong = 0;
  CHECK(cudaMallocManaged(&host, kWords * sizeof(int)));
  CHECK(cudaMalloc(&device, kWords * sizeof(int)));
  for (int round = 1; round <= kRounds; ++round) {
    for (int i = 0; i < kWords; ++i) host[i] = i * round;
    CHECK(cudaMemcpy(device, host, kWords * sizeof(int), cudaMemcpyDefault));
    add<<<(kWords + 127) / 128, 128>>>(device, kWords, round);
    CHECK(cudaMemcpy(host, device, kWords * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < kWords; ++i) wrong += host[i] != i * round + round;
  }
  std::printf("%d wrong\n", wrong);
  return 0;
}

// A function of the program between kernels in a stream, each of which reads what the one before has written.
int* of_function = nullptr;
void double_all(void*) {
  for (int i = 0; i < kWords; ++i) of_function[i] *= 2;
}
int in_stream() {
  int wrong = 0;
  CHECK(cudaMallocManaged(&of_function, kWords * sizeof(int)));
  for (int i = 0; i < kWords; ++i) of_function[i] = i;
  for (int round = 0; round < kRounds; ++round) {
    add<<<(kWords + 127) / 128, 128>>>(of_function, kWords, 1);
    CHECK(cudaLaunchHostFunc(nullptr, double_all, nullptr));
  }
  add<<<(kWords + 127) / 128, 128>>>(of_function, kWords, 1);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < kWords; ++i) wrong += of_function[i] != 8 * i + 15;
  std::printf("%d wrong\n", wrong);
  return 0;
}

int registered() {
  static int memory[kWords];
  std::printf("%s\n", cudaGetErrorName(cudaHostRegister(memory, sizeof memory, cudaHostRegisterDefault)));
  return 0;
}

int outside() {
  int own = 0, *device = nullptr;
  CHECK(cudaMalloc(&device, 64));
  std::printf("%d %d %d %d\n", duetFlushCpu(&own, sizeof own), duetFlushGpu(device, 65), duetFlushGpu(device, 64),
              duetFlushCpu(nullptr, 0));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const method = argc > 1 ? argv[1] : "default";
  if (std::strcmp(method, "copied") == 0) return copied();
  if (std::strcmp(method, "in-stream") == 0) return in_stream();
  if (std::strcmp(method, "registered") == 0) return registered();
  if (std::strcmp(method, "outside") == 0) return outside();
  const char* const forgets = argc > 2 ? argv[2] : "";
  const bool copies = std::strcmp(method, "default") == 0, shared = std::strcmp(method, "sharedalloc") == 0;
  constexpr size_t kBytes = kWords * sizeof(int);
  int *host = nullptr, *device = nullptr;
  if (copies) {
    host = static_cast<int*>(std::malloc(kBytes));
    CHECK(cudaMalloc(&device, kBytes));
  } else if (shared) {
    CHECK(duetSharedAlloc(reinterpret_cast<void**>(&host), kBytes));
  } else if (std::strcmp(method, "managed") == 0) {
    CHECK(cudaMallocManaged(&host, kBytes));
  } else {
    CHECK(cudaHostAlloc(&host, kBytes, cudaHostAllocDefault));
  }
  if (device == nullptr) device = host;
  for (int i = 0; i < kWords; ++i) host[i] = i;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kWords; ++i) host[i] *= 2;
    if (copies) CHECK(cudaMemcpy(device, host, kBytes, cudaMemcpyHostToDevice));
    const bool whole = std::strcmp(forgets, "whole") == 0;
    if (shared && std::strcmp(forgets, "forget-cpu") != 0)
      CHECK(whole ? duetFlushCpu(nullptr, 0) : duetFlushCpu(host, kBytes));
    add<<<(kWords + 127) / 128, 128>>>(device, kWords, round + 1);
    CHECK(cudaDeviceSynchronize());
    if (copies) CHECK(cudaMemcpy(host, device, kBytes, cudaMemcpyDeviceToHost));
    if (shared && std::strcmp(forgets, "forget-gpu") != 0)
      CHECK(whole ? duetFlushGpu(nullptr, 0) : duetFlushGpu(host, kBytes));
  }
  int wrong = 0;
  for (int i = 0; i < kWords; ++i) {
    int right = i;
    for (int round = 0; round < kRounds; ++round) right = 2 * right + round + 1;
    wrong += host[i] != right;
  }
  std::printf("%d wrong\n", wrong);
  if (copies) {
    CHECK(cudaFree(device));
    std::free(host);
  } else if (std::strcmp(method, "managed") == 0) {
    CHECK(cudaFree(host));
  } else {
    CHECK(cudaFreeHost(host));
  }
}
