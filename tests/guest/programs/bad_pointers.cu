// What CUDA is given does not exist: calls that answer an error, and, by the argument, those that end the
// program as they do on silicon.
#include <sys/mman.h>

#include <cstring>

#include "check.h"

namespace {

template <typename T = void>
T* nowhere() {
  return reinterpret_cast<T*>(0x12345678);
}

// Two pages, of which the second may not be read.
char* half_a_buffer() {
  char* const pages =
      static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memset(pages, 1, 4096);
  mprotect(pages + 4096, 4096, PROT_NONE);
  return pages;
}

void tell(const char* what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  std::fflush(stdout);
}

}  // namespace

int main(int, char** words) {
  const char* way = words[1];
  char* there = nullptr;
  CHECK(cudaMalloc(&there, 16384));
  tell("copy to null", cudaMemcpy(nullptr, there, 16, cudaMemcpyDeviceToHost));
  tell("copy of null", cudaMemcpy(there, nullptr, 16, cudaMemcpyHostToDevice));
  tell("copy beyond", cudaMemcpy(there, words, 100000, cudaMemcpyHostToDevice));
  tell("free of nothing", cudaFree(nowhere()));
  tell("free of the host's", cudaFreeHost(words));
  tell("a null place", cudaMalloc(static_cast<void**>(nullptr), 16));
  tell("an unknown stream", cudaStreamSynchronize(nowhere<CUstream_st>()));
  tell("an unknown event", cudaEventSynchronize(nowhere<CUevent_st>()));
  tell("an unknown symbol", cudaMemcpyToSymbol(nowhere(), words, 4));
  tell("an unknown graph", cudaGraphLaunch(nowhere<CUgraphExec_st>(), nullptr));
  tell("last", cudaGetLastError());
  if (std::strcmp(way, "none") == 0) return 0;
  cudaError_t error = cudaSuccess;
  if (std::strcmp(way, "from") == 0) error = cudaMemcpy(there, nowhere(), 64, cudaMemcpyHostToDevice);
  if (std::strcmp(way, "to") == 0) error = cudaMemcpy(nowhere(), there, 64, cudaMemcpyDeviceToHost);
  if (std::strcmp(way, "half-from") == 0) error = cudaMemcpy(there, half_a_buffer(), 8192, cudaMemcpyDefault);
  if (std::strcmp(way, "half-to") == 0) error = cudaMemcpy(half_a_buffer(), there, 8192, cudaMemcpyDefault);
  if (std::strcmp(way, "async") == 0)
    error = cudaMemcpyAsync(there, nowhere(), 64, cudaMemcpyHostToDevice, nullptr);
  if (std::strcmp(way, "out") == 0) error = cudaGetDevice(nowhere<int>());
  if (std::strcmp(way, "structure") == 0) error = cudaGetDeviceProperties(nowhere<cudaDeviceProp>(), 0);
  if (std::strcmp(way, "device-out") == 0) error = cudaGetDevice(reinterpret_cast<int*>(there));
  if (std::strcmp(way, "parameters") == 0) error = cudaMemcpy3D(nowhere<cudaMemcpy3DParms>());
  tell("and yet", error);
  return 1;
}
