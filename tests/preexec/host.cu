// A program that has the simulated cores in different ways while its kernel runs. `./host MODE`:
//   waits    it waits for the kernel: every core is idle
//   computes its one thread computes all the while
//   naps     it sleeps, computes a little, and sleeps again
//   threads  three threads compute, and sleep at times of their own
// `./host MODE COUNT`: so many threads on the GPU, a multiple of 128.
// Prints what came out, which no mode and no run-ahead may change.
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(call)                                               \
  do {                                                            \
    if (const cudaError_t error = (call); error != cudaSuccess) { \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
      std::exit(1);                                               \
    }                                                             \
  } while (0)

constexpr int kThreads = 128, kLaunches = 2;

extern "C" __global__ void add(const float* a, const float* b, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] += a[i] + b[i];
}

unsigned long long compute(unsigned long long value, int steps) {
  for (int i = 0; i < steps; i++) value = value * 6364136223846793005ull + 1442695040888963407ull;
  return value;
}

void nap(long nanoseconds) {
  const timespec time = {0, nanoseconds};
  nanosleep(&time, nullptr);
}

void spend_time(const char* mode, unsigned long long& sum) {
  if (std::strcmp(mode, "computes") == 0) sum = compute(sum, 100000);
  if (std::strcmp(mode, "naps") == 0)
    for (int i = 0; i < 8; i++) {
      nap(3000 + 500 * i);
      sum = compute(sum, 500);
    }
  if (std::strcmp(mode, "threads") != 0) return;
  unsigned long long parts[3] = {1, 2, 3};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; t++)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 4; i++) {
        nap(2000 + 3000 * t);
        parts[t] = compute(parts[t], 1000);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const unsigned long long part : parts) sum += part;
}

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "waits";
  const int count = argc > 2 ? std::atoi(argv[2]) : 1 << 16;
  std::vector<float> a(count), b(count), c(count);
  for (int i = 0; i < count; i++) {
    a[i] = static_cast<float>(i % 1000);
    b[i] = static_cast<float>(i % 77);
  }
  float *da, *db, *dc;
  const size_t bytes = count * sizeof(float);
  CHECK(cudaMalloc(&da, bytes));
  CHECK(cudaMalloc(&db, bytes));
  CHECK(cudaMalloc(&dc, bytes));
  CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dc, 0, bytes));
  CHECK(cudaDeviceSynchronize());
  unsigned long long sum = 1;
  for (int i = 0; i < kLaunches; i++) {
    add<<<count / kThreads, kThreads>>>(da, db, dc);
    spend_time(mode, sum);
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; i++)
    if (c[i] != kLaunches * (a[i] + b[i])) {
      std::printf("wrong at %d\n", i);
      return 1;
    }
  std::printf("right %s %llu\n", mode, sum);
}
