// A kernel reads an array and a copy, a fill or a kernel writes it, or the other way round, ordered by CUDA
// in different ways or by nothing: what `duet run --check-races` has to tell apart. Usage: races CASE
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <duet_full_empty.h>

constexpr int n = 4096;
constexpr size_t bytes = n * sizeof(int);

#define CHECK(call)                                               \
  do {                                                            \
    if (const cudaError_t error = (call); error != cudaSuccess) { \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
      std::exit(1);                                               \
    }                                                             \
  } while (0)

__global__ void reader(const int* in, int* out, int elements) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements) out[i] = in[i];
}
__global__ void watcher(const volatile int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void writer(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void producer(int* out, int* flag) {
  out[threadIdx.x] = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(flag, 1);
}
__global__ void consumer(const int* in, const volatile int* flag, int* out) {
  if (threadIdx.x == 0)
    while (*flag == 0) {
    }
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void counter(int* counts) { atomicAdd(&counts[threadIdx.x], 1); }
__global__ void late_writer(int* out) {
  unsigned noise = threadIdx.x;
  for (int k = 0; k < 20000; k++) noise = noise * 1664525u + 1013904223u;
  out[blockIdx.x * blockDim.x + threadIdx.x] = noise == 1 ? 2 : 1;
}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  int *a, *b, *unrelated, *host;
  cudaStream_t one, two, blocking;
  cudaEvent_t event;
  CHECK(is("emptied") ? duetMallocTracked(&a, bytes) : cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMalloc(&unrelated, bytes));
  CHECK(cudaMallocHost(&host, bytes));
  CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  CHECK(cudaStreamCreate(&blocking));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaMemset(a, 0, bytes));
  CHECK(cudaMemset(b, 0, bytes));
  CHECK(cudaDeviceSynchronize());
  std::printf("%p\n", static_cast<void*>(a));
  const auto read_in = [&](cudaStream_t stream, int elements = n) {
    reader<<<n / 256, 256, 0, stream>>>(a, b, elements);
  };
  const auto copy_in = [&](cudaStream_t stream) {
    CHECK(cudaMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice, stream));
  };

  if (is("nothing")) {  // the kernel may or may not have ended when the copy begins
    read_in(one);
    copy_in(two);
  } else if (is("part")) {
    read_in(one, 1000);
    copy_in(two);
  } else if (is("ended")) {  // in time, but nobody knew
    read_in(one);
    CHECK(cudaMemset(unrelated, 0, bytes));
    CHECK(cudaStreamSynchronize(blocking));
    copy_in(two);
  } else if (is("fill")) {
    read_in(one);
    CHECK(cudaMemsetAsync(a, 1, bytes, two));
  } else if (is("copy_out")) {
    late_writer<<<n / 256, 256, 0, one>>>(a);
    CHECK(cudaMemcpyAsync(host, a, bytes, cudaMemcpyDeviceToHost, two));
  } else if (is("two_copies")) {
    CHECK(cudaMemcpyAsync(host, a, bytes, cudaMemcpyDeviceToHost, one));
    CHECK(cudaMemcpyAsync(a, b, bytes, cudaMemcpyDeviceToDevice, two));
    CHECK(cudaMemsetAsync(a, 0, bytes, two));
  } else if (is("same_stream")) {
    read_in(one);
    copy_in(one);
    writer<<<n / 256, 256, 0, one>>>(a);
    CHECK(cudaMemcpyAsync(host, a, bytes, cudaMemcpyDeviceToHost, one));
  } else if (is("event")) {
    read_in(one);
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaStreamWaitEvent(two, event, 0));
    copy_in(two);
  } else if (is("event_too_early")) {
    CHECK(cudaEventRecord(event, one));
    read_in(one);
    CHECK(cudaStreamWaitEvent(two, event, 0));
    copy_in(two);
  } else if (is("host_waits_for_stream")) {
    read_in(one);
    CHECK(cudaStreamSynchronize(one));
    copy_in(two);
  } else if (is("host_waits_for_event")) {
    read_in(one);
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaEventSynchronize(event));
    copy_in(two);
  } else if (is("host_asks")) {
    read_in(one);
    while (cudaStreamQuery(one) == cudaErrorNotReady) {
    }
    copy_in(two);
  } else if (is("default_stream")) {
    read_in(blocking);
    copy_in(nullptr);
    read_in(blocking);
    CHECK(cudaMemset(a, 1, bytes));
  } else if (is("default_stream_does_not_wait")) {
    read_in(one);
    copy_in(nullptr);
  } else if (is("volatile")) {  // who spins on memory means it
    watcher<<<1, 256, 0, one>>>(a, b);
    copy_in(two);
  } else if (is("two_kernels")) {
    writer<<<n / 256, 256, 0, one>>>(a);
    read_in(two);
  } else if (is("kernel_before_kernel")) {
    read_in(one);
    writer<<<n / 256, 256, 0, two>>>(a);
  } else if (is("two_writers")) {
    writer<<<n / 256, 256, 0, one>>>(a);
    writer<<<n / 512, 256, 0, two>>>(a + n / 2);
  } else if (is("in_time_by_chance")) {  // the first is long complete, and nobody knew
    writer<<<n / 256, 256, 0, one>>>(a);
    for (int i = 0; i < 20; i++) CHECK(cudaMemset(unrelated, 0, bytes));
    CHECK(cudaStreamSynchronize(blocking));
    read_in(two);
  } else if (is("copy_in_time_by_chance")) {
    copy_in(one);
    for (int i = 0; i < 20; i++) CHECK(cudaMemset(unrelated, 0, bytes));
    CHECK(cudaStreamSynchronize(blocking));
    read_in(two);
  } else if (is("kernels_in_order")) {
    writer<<<n / 256, 256, 0, one>>>(a);
    read_in(one);
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaStreamWaitEvent(two, event, 0));
    writer<<<n / 256, 256, 0, two>>>(a);
    CHECK(cudaStreamSynchronize(two));
    writer<<<n / 256, 256, 0, blocking>>>(a);
    read_in(nullptr);
    writer<<<n / 256, 256, 0, blocking>>>(a);
  } else if (is("other_bytes")) {
    writer<<<n / 512, 256, 0, one>>>(a);
    writer<<<n / 512, 256, 0, two>>>(a + n / 2);
  } else if (is("both_read")) {
    reader<<<n / 256, 256, 0, one>>>(a, b, n / 2);
    reader<<<n / 256, 256, 0, two>>>(a, b + n / 2, n / 2);
  } else if (is("hand_over")) {
    consumer<<<1, 256, 0, two>>>(a, a + n / 2, b);
    producer<<<1, 256, 0, one>>>(a, a + n / 2);
  } else if (is("atomics")) {
    counter<<<1, 256, 0, one>>>(a);
    counter<<<1, 256, 0, two>>>(a);
  } else if (is("emptied")) {  // whoever reads from now on waits
    read_in(one);
    CHECK(cudaStreamSynchronize(one));
    CHECK(duetFullEmptySet(a, bytes, duetEmpty, one));
    CHECK(cudaStreamSynchronize(one));
    read_in(one);
    CHECK(duetMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice, two, cudaMemcpyTriggerNone,
                          cudaMemcpyActionFill));
  } else {
    std::printf("races: unknown case '%s'\n", name);
    return 2;
  }
  CHECK(cudaDeviceSynchronize());
  return 0;
}
