// As a program with NVIDIA's runtime linked into it: it brings functions of the CUDA API of its own, which all
// fail. `duet run` makes them Duet's (runtime/guard/static_runtime.h).
#include <stdio.h>
#include <string.h>

// As long as a jump at least, and as in a library: the compiler knows nothing of it where it is called.
#define OF_LIBRARY __attribute__((noipa))
#define FAILS                                  \
  {                                            \
    volatile int status = 999;                 \
    for (int i = 0; i < 3; i++) status = 999;  \
    return status;                             \
  }

OF_LIBRARY int __cudaRegisterFatBinary(void* binary) FAILS
OF_LIBRARY int cudaMalloc(void** at, size_t bytes) FAILS
OF_LIBRARY int cudaMemset(void* at, int value, size_t bytes) FAILS
OF_LIBRARY int cudaMemcpy(void* to, const void* from, size_t bytes, int kind) FAILS
OF_LIBRARY int cudaFree(void* at) FAILS
#ifdef OLDER
OF_LIBRARY int cudaGetDeviceProperties_v2(void* to, int device) FAILS
#endif
int cudaOfTheProgram(void) { return 7; }

int main(void) {
  void* memory = NULL;
  char bytes[64];
  const int made = cudaMalloc(&memory, sizeof bytes);
  const int set = cudaMemset(memory, 5, sizeof bytes);
  const int copied = cudaMemcpy(bytes, memory, sizeof bytes, 2);
  printf("%d %d %d %d, %d, %d\n", made, set, copied, cudaFree(memory), bytes[63], cudaOfTheProgram());
  return 0;
}
