// Touches managed memory while a kernel may run, or when it may not, as the argument says.
#include <cuda_runtime.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__global__ void change(int* data) { data[threadIdx.x] += 1; }
static int* host_function_data;
static void in_stream(void*) { host_function_data[0] += 10; }
static sigjmp_buf back;
static void on_segv(int) { siglongjmp(back, 1); }

int main(int, char** arguments) {
  const char* how = arguments[1];
  int *data, *other;
  cudaStream_t stream, second;
  if (!strcmp(how, "own_handler")) signal(SIGSEGV, on_segv);
  cudaMallocManaged(&data, 4096 * sizeof(int));
  cudaMallocManaged(&other, 4096 * sizeof(int));
  cudaStreamCreate(&stream);
  cudaStreamCreate(&second);
  data[0] = other[0] = 1;
  if (!strcmp(how, "attached")) {
    cudaStreamAttachMemAsync(stream, data, 0, cudaMemAttachSingle);
    cudaStreamAttachMemAsync(second, other, 0, cudaMemAttachSingle);
    cudaDeviceSynchronize();
  }
  if (!strcmp(how, "host_attached")) cudaStreamAttachMemAsync(stream, other, 0, cudaMemAttachHost);
  if (!strcmp(how, "own_handler")) {
    if (sigsetjmp(back, 1) == 0) *reinterpret_cast<volatile int*>(16) = 1;
    puts("handled");
    return 0;
  }
  change<<<1, 32, 0, stream>>>(data);
  if (!strcmp(how, "disjoint")) other[5] = 3;  // another allocation, but the kernel may reach it
  if (!strcmp(how, "read")) printf("%d\n", data[1000]);
  if (!strcmp(how, "attached") || !strcmp(how, "host_attached")) other[5] = 3;
  if (!strcmp(how, "other_stream")) {
    cudaStreamSynchronize(second);
    cudaStreamAttachMemAsync(stream, data, 0, cudaMemAttachSingle);
    data[0] = 3;
  }
  if (!strcmp(how, "queried")) {
    while (cudaStreamQuery(stream) != cudaSuccess) {
    }
    data[1] = 3;
  }
  if (!strcmp(how, "copied")) {  // the copy waits for the stream that it follows
    int value = 0;
    cudaMemcpy(&value, data, sizeof value, cudaMemcpyDefault);
    printf("%d ", value);
    data[1] = 3;
  }
  if (!strcmp(how, "host_function")) {
    host_function_data = data;
    cudaLaunchHostFunc(stream, in_stream, nullptr);
    change<<<1, 32, 0, stream>>>(data);
  }
  if (!strcmp(how, "system_call")) printf("%zd ", write(1, data, 1));  // EFAULT, no signal
  cudaDeviceSynchronize();
  printf("%d %d\n", data[0], other[5]);
  return 0;
}
