// Order that streams and events promise: copies and kernels of one stream, cudaStreamWaitEvent between two
// streams, the default stream against a blocking stream, and times between events.
#include "expect.h"

__global__ void slow_add(int* data, int amount, int steps) {
  unsigned noise = threadIdx.x;
  for (int i = 0; i < steps; i++) noise = noise * 1664525u + 1013904223u;
  data[threadIdx.x] = data[threadIdx.x] * 2 + amount + (noise == 0x12345678u && steps == -1 ? 1 : 0);
}

int main() {
  const int n = 64, steps = 3000;
  int* host = nullptr;
  CHECK(cudaMallocHost(reinterpret_cast<void**>(&host), n * sizeof(int)));
  expect::Array<int> data(n);
  cudaStream_t first, second;
  cudaEvent_t start, middle, end;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&middle));
  CHECK(cudaEventCreate(&end));

  for (int i = 0; i < n; i++) host[i] = i;
  CHECK(cudaEventRecord(start, first));
  CHECK(cudaMemcpyAsync(data.device(), host, n * sizeof(int), cudaMemcpyHostToDevice, first));
  slow_add<<<1, n, 0, first>>>(data.device(), 1, steps);
  CHECK_LAUNCH();
  CHECK(cudaEventRecord(middle, first));
  CHECK(cudaStreamWaitEvent(second, middle, 0));
  slow_add<<<1, n, 0, second>>>(data.device(), 10, steps);
  CHECK_LAUNCH();
  CHECK(cudaEventRecord(end, second));
  CHECK(cudaMemcpyAsync(host, data.device(), n * sizeof(int), cudaMemcpyDeviceToHost, second));
  CHECK(cudaStreamSynchronize(second));
  for (int i = 0; i < n; i++) expect::equal("across streams", i, host[i], (i * 2 + 1) * 2 + 10);

  REQUIRE_STATUS(cudaEventQuery(start), cudaSuccess);
  REQUIRE_STATUS(cudaEventQuery(end), cudaSuccess);
  float to_middle = 0, to_end = 0, middle_to_end = 0;
  CHECK(cudaEventElapsedTime(&to_middle, start, middle));
  CHECK(cudaEventElapsedTime(&middle_to_end, middle, end));
  CHECK(cudaEventElapsedTime(&to_end, start, end));
  REQUIRE(to_middle > 0);
  REQUIRE(middle_to_end > 0);
  expect::near("sum of the two intervals", 0, to_middle + middle_to_end, to_end, 0.002);

  // Work in the default stream waits for earlier work in a blocking stream, and later work there waits for
  // it.
  slow_add<<<1, n, 0, first>>>(data.device(), 100, steps);
  CHECK_LAUNCH();
  slow_add<<<1, n>>>(data.device(), 1000, steps);
  CHECK_LAUNCH();
  slow_add<<<1, n, 0, first>>>(data.device(), 10000, 1);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  data.fetch();
  for (int i = 0; i < n; i++) {
    int value = (i * 2 + 1) * 2 + 10;
    expect::equal("default stream", i, data.host[i], ((value * 2 + 100) * 2 + 1000) * 2 + 10000);
  }
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(middle));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFreeHost(host));
  return expect::pass("streams_events");
}
