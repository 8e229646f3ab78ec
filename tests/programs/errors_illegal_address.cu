// A kernel that touches memory nobody allocated: the launch succeeds, the synchronization reports
// cudaErrorIllegalAddress, and so does every later call that needs the device. A callback behind the kernel is
// told, a host function is not called. Argument: read or write.
#include "expect.h"

// What follows is submitted before the fault.
__global__ void spend(long long cycles) {
  for (const long long end = clock64() + cycles; clock64() < end;) {
  }
}
__global__ void write_to(int* address) { *address = 1; }
__global__ void read_from(const int* address, int* out) { *out = *address; }

static void CUDART_CB tell(cudaStream_t, cudaError_t status, void* told) {
  *static_cast<cudaError_t*>(told) = status;
}
static void CUDART_CB count(void* calls) { ++*static_cast<int*>(calls); }

int main(int argc, char** argv) {
  if (argc != 2 || (strcmp(argv[1], "read") != 0 && strcmp(argv[1], "write") != 0)) {
    fprintf(stderr, "usage: errors_illegal_address read|write\n");
    return 2;
  }
  int* valid = nullptr;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&valid), sizeof(int)));
  spend<<<1, 1>>>(1000000);
  if (strcmp(argv[1], "write") == 0)
    write_to<<<1, 1>>>(nullptr);
  else
    read_from<<<1, 1>>>(reinterpret_cast<const int*>(0x6000000000000ull), valid);
  CHECK_LAUNCH();
  cudaError_t told = cudaSuccess;
  int calls = 0;
  CHECK(cudaStreamAddCallback(nullptr, tell, &told, 0));
  CHECK(cudaLaunchHostFunc(nullptr, count, &calls));
  REQUIRE_STATUS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  REQUIRE_STATUS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  REQUIRE(told == cudaErrorIllegalAddress && calls == 0);
  REQUIRE_STATUS(cudaMemset(valid, 0, sizeof(int)), cudaErrorIllegalAddress);
  void* more = nullptr;
  REQUIRE_STATUS(cudaMalloc(&more, 4), cudaErrorIllegalAddress);
  write_to<<<1, 1>>>(valid);
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorIllegalAddress);
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorIllegalAddress);
  return expect::pass("errors_illegal_address");
}
