// The host touches device memory, or names host memory in a copy that is not there. Usage: host_access CASE
#include <cuda_runtime.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

sigjmp_buf back;

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* other) { return !strcmp(how, other); };
  constexpr size_t kPage = 4096;
  if (is("own_handler")) signal(SIGSEGV, [](int) { siglongjmp(back, 1); });
  int *first, *device;
  cudaMalloc(&first, 100);
  cudaMalloc(&device, 4 * kPage);
  // Two pages of host memory, and behind them one that may be read and one that is not there.
  char* const host = static_cast<char*>(
      mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(host + 2 * kPage, kPage, PROT_READ);
  munmap(host + 3 * kPage, kPage);
  printf("%p\n", static_cast<void*>(host));
  fflush(stdout);
  if (is("read")) return reinterpret_cast<volatile int*>(device)[25];
  if (is("write")) reinterpret_cast<volatile int*>(device)[25] = 1;
  if (is("before")) return reinterpret_cast<volatile int*>(first)[-2];
  if (is("past")) return reinterpret_cast<volatile char*>(first)[110];
  if (is("memset")) memset(device, 0, 4 * kPage);
  if (is("elsewhere")) return *reinterpret_cast<volatile int*>(16);
  if (is("raise")) raise(SIGSEGV);
  if (is("own_handler")) {
    if (sigsetjmp(back, 1) == 0) *reinterpret_cast<volatile int*>(device) = 1;
    puts("handled");
    return 0;
  }
  cudaError_t error = cudaSuccess;
  if (is("copy_in")) error = cudaMemcpy(device, host, 4 * kPage, cudaMemcpyHostToDevice);
  if (is("copy_out")) error = cudaMemcpy(host, device, 4 * kPage, cudaMemcpyDeviceToHost);
  if (is("copy_async"))
    error = cudaMemcpyAsync(device, host + 3 * kPage, 64, cudaMemcpyHostToDevice, nullptr);
  if (is("fits")) error = cudaMemcpy(device, host, 3 * kPage, cudaMemcpyHostToDevice);
  if (is("released")) {
    cudaFree(device);
    error = cudaMemcpy(host, device, 64, cudaMemcpyDefault);
  }
  puts(cudaGetErrorName(error));
  return 0;
}
