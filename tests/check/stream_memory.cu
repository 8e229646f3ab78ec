// Memory in stream order, releases and failed calls of the host: `stream_memory NAME` has one fault, on the
// lines with "// !NAME"; `stream_memory clean` has none; `stream_memory at N` writes word N of 25
// (tests/check/host_test.py).
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static cudaStream_t s, t;
static int* p;
static int* q;

__global__ void write_all(int* to) { to[threadIdx.x] = 1; }
__global__ void write_at(int* to, int at) { to[at] = 1; }

static void wait_in_t_for_s() {
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, s);
  cudaStreamWaitEvent(t, event, 0);
  cudaEventDestroy(event);
}

static void with_fault(const std::string& name) {
  if (name == "used_before_allocation") {
    cudaMallocAsync(&p, 256, s);    // !used_before_allocation
    write_all<<<1, 32, 0, t>>>(p);  // !used_before_allocation
    cudaStreamSynchronize(t);
    cudaStreamSynchronize(s);
    cudaFreeAsync(p, s);
  }
  if (name == "freed_before_allocation") {
    cudaMallocAsync(&p, 256, s);  // !freed_before_allocation
    cudaFreeAsync(p, t);          // !freed_before_allocation
  }
  if (name == "freed_beside_its_use") {
    cudaMallocAsync(&p, 256, s);
    cudaStreamSynchronize(s);
    write_all<<<1, 32, 0, s>>>(p);  // !freed_beside_its_use
    cudaFreeAsync(p, t);            // !freed_beside_its_use
  }
  if (name == "used_after_reuse") {
    cudaMallocAsync(&p, 256, s);
    write_all<<<1, 32, 0, s>>>(p);
    cudaFreeAsync(p, s);  // !used_after_reuse
    cudaMallocAsync(&q, 256, s);
    write_all<<<1, 32, 0, s>>>(p);  // !used_after_reuse
    cudaFreeAsync(q, s);
  }
  if (name == "filled_after_free") {
    cudaMallocAsync(&p, 256, s);
    cudaFreeAsync(p, s);            // !filled_after_free
    cudaMemsetAsync(p, 0, 256, s);  // !filled_after_free
  }
  if (name == "never_freed") {
    cudaMallocAsync(&p, 1000, s);  // !never_freed
    write_all<<<1, 32, 0, s>>>(p);
  }
  if (name == "past_the_end_of_a_pool") {
    cudaMallocAsync(&p, 100, s);
    write_at<<<1, 1, 0, s>>>(p, 25);  // !past_the_end_of_a_pool
    cudaFreeAsync(p, s);
  }
  if (name == "leaked") {
    cudaMalloc(&p, 1000);  // !leaked
  }
  if (name == "freed_twice") {
    cudaMalloc(&p, 1000);
    cudaFree(p);
    cudaFree(p);  // !freed_twice
  }
  if (name == "copy_beside_kernel") {
    cudaMalloc(&p, 1 << 16);
    cudaMemset(p, 0, 1 << 16);
    cudaDeviceSynchronize();
    write_all<<<1, 32, 0, s>>>(p);                                    // !copy_beside_kernel
    cudaMemcpyAsync(p, p + 8192, 4096, cudaMemcpyDeviceToDevice, t);  // !copy_beside_kernel
    cudaDeviceSynchronize();
    cudaFree(p);
  }
}

static void clean() {
  cudaMallocAsync(&p, 256, s);
  write_all<<<1, 32, 0, s>>>(p);
  cudaFreeAsync(p, s);
  cudaMallocAsync(&q, 256, s);  // the same stream
  wait_in_t_for_s();
  write_all<<<1, 32, 0, t>>>(q);
  cudaFreeAsync(q, t);

  cudaMallocAsync(&p, 100, s);
  cudaStreamSynchronize(s);
  write_at<<<1, 1, 0, t>>>(p, 24);
  cudaStreamSynchronize(t);
  cudaFree(p);

  cudaMallocAsync(&p, 256, nullptr);  // the default stream waits for nobody else here
  write_all<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  write_all<<<1, 32, 0, t>>>(p);
  cudaDeviceSynchronize();
  cudaFreeAsync(p, s);

  cudaMalloc(&p, 256);
  write_all<<<1, 32, 0, s>>>(p);
  cudaFreeAsync(p, s);
}

int main(int, char** words) {
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  if (std::strcmp(words[1], "clean") == 0) {
    clean();
  } else if (std::strcmp(words[1], "at") == 0) {
    cudaMalloc(&p, 100);
    write_at<<<1, 1>>>(p, std::atoi(words[2]));
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  } else {
    with_fault(words[1]);
  }
  cudaDeviceSynchronize();
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
