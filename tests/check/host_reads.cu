// The host beside asynchronous copies into pinned memory: `host_reads NAME` touches what a copy may still be
// writing, on the lines with "// !NAME"; `host_reads clean` waits in each of CUDA's ways
// (tests/check/host_test.py).
#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

constexpr int kCount = 1 << 16;
constexpr size_t kBytes = kCount * sizeof(int);

static cudaStream_t s, t;
static int *d, *h, *one;
static int sum;

__global__ void write_all(int* to) { to[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

static void submit(cudaStream_t stream) {
  write_all<<<kCount / 256, 256, 0, stream>>>(d);
  cudaMemcpyAsync(h, d, kBytes, cudaMemcpyDeviceToHost, stream);  // !read !other_stream !other_event !printed
}
static void add(void*) { sum += h[1]; }

static void with_fault(const std::string& name) {
  if (name == "read") {
    submit(s);
    for (int i = 0; i < kCount; ++i) sum += h[i];  // !read
  }
  if (name == "small") {
    write_all<<<kCount / 256, 256, 0, s>>>(d);
    cudaMemcpyAsync(one, d, 4, cudaMemcpyDeviceToHost, s);  // !small
    sum = *one;                                             // !small
  }
  if (name == "overwritten") {
    cudaMemcpyAsync(h, d, kBytes, cudaMemcpyDeviceToHost, s);  // !overwritten
    std::memset(h, 0, kBytes);                                 // !overwritten
  }
  if (name == "other_stream") {
    submit(s);
    cudaStreamSynchronize(t);
    sum = h[kCount - 1];  // !other_stream
  }
  if (name == "other_event") {
    cudaEvent_t before;
    cudaEventCreate(&before);
    cudaEventRecord(before, s);
    submit(s);
    cudaEventSynchronize(before);
    sum = h[0];  // !other_event
    cudaEventDestroy(before);
  }
  if (name == "printed") {
    submit(s);
    std::fwrite(h, 1, 4096 * 8, stderr);  // !printed
  }
}

static void clean() {
  submit(s);
  cudaStreamSynchronize(s);
  sum += h[0];

  submit(s);
  cudaDeviceSynchronize();
  sum += h[0];

  cudaEvent_t event;
  cudaEventCreate(&event);
  submit(s);
  cudaEventRecord(event, s);
  cudaEventSynchronize(event);
  sum += h[0];

  submit(s);
  cudaEventRecord(event, s);
  cudaStreamWaitEvent(t, event, 0);
  cudaStreamSynchronize(t);  // knows of s by the event
  sum += h[0];

  submit(s);
  while (cudaStreamQuery(s) == cudaErrorNotReady) {
  }
  sum += h[0];

  submit(s);
  cudaMemcpyAsync(d, h, kBytes, cudaMemcpyHostToDevice, s);  // behind it
  cudaLaunchHostFunc(s, add, nullptr);
  cudaStreamSynchronize(s);

  cudaStream_t blocking;
  cudaStreamCreate(&blocking);
  submit(blocking);
  cudaMemcpy(one, d, 4, cudaMemcpyDeviceToHost);  // the default stream waits for it
  sum += h[0] + *one;
  cudaStreamDestroy(blocking);

  submit(s);
  std::thread([] { cudaStreamSynchronize(s); }).join();
  sum += h[0];

  // The child of a fork is not this program.
  submit(s);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(write(open("/dev/null", O_WRONLY), h, 4) == 4 && h[0] >= 0 ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  sum += status;
  cudaStreamSynchronize(s);

  // Two halves by turns.
  cudaMemcpyAsync(h, d, kBytes / 2, cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
  cudaMemcpyAsync(h + kCount / 2, d, kBytes / 2, cudaMemcpyDeviceToHost, s);
  for (int i = 0; i < kCount / 2; ++i) sum += h[i]++;
  cudaStreamSynchronize(s);

  // Bytes of one page.
  cudaMemcpyAsync(h, d, 2048, cudaMemcpyDeviceToHost, s);
  sum += h[512];
  cudaStreamSynchronize(s);

  // Freed and allocated again while others are on their way.
  submit(s);
  cudaFreeHost(one);
  cudaMallocHost(&one, 4);
  *one = 1;
  cudaEventDestroy(event);
}

int main(int, char** words) {
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaMalloc(&d, kBytes);
  cudaMallocHost(&h, kBytes);
  cudaMallocHost(&one, 4);
  cudaMemset(d, 0, kBytes);
  cudaDeviceSynchronize();
  if (std::strcmp(words[1], "clean") == 0)
    clean();
  else
    with_fault(words[1]);
  cudaDeviceSynchronize();
  std::printf("%d\n", sum);
  cudaFreeHost(one);
  cudaFreeHost(h);
  cudaFree(d);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
