// What device code may get wrong about calls and the heap: each ends the kernel with one line that says what
// it was. Argument: wild, mismatch, overflow, double_free or foreign_free.
#include "expect.h"

typedef int (*Operation)(int);
typedef float (*Curve)(float, float);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ float mean(float a, float b) { return (a + b) / 2; }
__device__ Operation operation = twice;
__device__ Curve curve = mean;
__device__ int ones;
__device__ void* volatile block;

__device__ int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1) * depth(n / 2); }

__global__ void call(int* out, unsigned long long where) {
  out[threadIdx.x] = threadIdx.x < 2 ? operation(3) : reinterpret_cast<Operation>(where)(4);
}
__global__ void call_curve(int* out) { out[0] = reinterpret_cast<Operation>(curve)(5); }
__global__ void recurse(int* out, int n) { out[threadIdx.x] = depth(n + threadIdx.x); }
__global__ void free_twice() {
  block = malloc(24);
  free(block);
  free(block);
}
__global__ void free_foreign() { free(&ones); }

int main(int argc, char** argv) {
  const char* what = argc == 2 ? argv[1] : "";
  expect::Array<int>& out = *new expect::Array<int>(32);
  cudaError_t expected = cudaErrorIllegalAddress;
  if (strcmp(what, "wild") == 0) {
    call<<<1, 4>>>(out.device(), 0x1234);
    expected = cudaErrorIllegalInstruction;
  } else if (strcmp(what, "mismatch") == 0) {
    call_curve<<<1, 1>>>(out.device());
    expected = cudaErrorIllegalInstruction;
  } else if (strcmp(what, "overflow") == 0) {
    recurse<<<1, 32>>>(out.device(), 1000);
    expected = cudaErrorHardwareStackError;
  } else if (strcmp(what, "double_free") == 0) {
    free_twice<<<1, 1>>>();
  } else if (strcmp(what, "foreign_free") == 0) {
    free_foreign<<<1, 1>>>();
  } else {
    fprintf(stderr, "usage: errors_calls wild|mismatch|overflow|double_free|foreign_free\n");
    return 2;
  }
  CHECK_LAUNCH();
  REQUIRE_STATUS(cudaDeviceSynchronize(), expected);
  return expect::pass("errors_calls");
}
