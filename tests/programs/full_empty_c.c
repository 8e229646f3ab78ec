/* duet_full_empty.h in C: cudaMemcpyAsync with five, six and seven arguments, and as a function whose address is
 * taken. */
#include <duet_full_empty.h>
#include <stdio.h>
#include <string.h>

#define REQUIRE(condition)                                                \
  do {                                                                    \
    if (!(condition)) {                                                   \
      fprintf(stderr, "line %d: does not hold: %s\n", __LINE__, #condition); \
      return 1;                                                           \
    }                                                                     \
  } while (0)

int main(void) {
  int host[4] = {1, 2, 3, 4}, back[4] = {0, 0, 0, 0};
  void *tracked = NULL, *untracked = NULL;
  cudaError_t (*five)(void*, const void*, size_t, enum cudaMemcpyKind, cudaStream_t) = &cudaMemcpyAsync;
  REQUIRE(duetMallocTracked(&tracked, sizeof host) == cudaSuccess);
  REQUIRE(cudaMalloc(&untracked, sizeof host) == cudaSuccess);

  REQUIRE(cudaMemcpyAsync(untracked, host, sizeof host, cudaMemcpyHostToDevice, 0) == cudaSuccess);
  REQUIRE(five(back, untracked, sizeof back, cudaMemcpyDeviceToHost, 0) == cudaSuccess);
  REQUIRE(memcmp(host, back, sizeof host) == 0);

  /* That trigger and action arrive shows in that they are refused. */
  REQUIRE(cudaMemcpyAsync(untracked, host, 4, cudaMemcpyHostToDevice, 0, cudaMemcpyTriggerNone) == cudaSuccess);
  REQUIRE(cudaMemcpyAsync(untracked, host, 4, cudaMemcpyHostToDevice, 0, cudaMemcpyTriggerEmptied) ==
          cudaErrorInvalidValue);
  REQUIRE(cudaMemcpyAsync(untracked, host, 4, cudaMemcpyHostToDevice, 0, cudaMemcpyTriggerNone,
                          cudaMemcpyActionNone) == cudaSuccess);
  REQUIRE(cudaMemcpyAsync(untracked, host, 4, cudaMemcpyHostToDevice, 0, cudaMemcpyTriggerNone,
                          cudaMemcpyActionFill) == cudaErrorInvalidValue);
  REQUIRE(duetFullEmptySet(untracked, 4, duetEmpty, 0) == cudaErrorInvalidValue);

  REQUIRE(cudaMemcpyAsync(tracked, host, sizeof host, cudaMemcpyHostToDevice, 0, cudaMemcpyTriggerNone) ==
          cudaSuccess);
  memset(back, 0, sizeof back);
  REQUIRE(cudaMemcpyAsync(back, tracked, sizeof back, cudaMemcpyDeviceToHost, 0, cudaMemcpyTriggerNone,
                          cudaMemcpyActionNone) == cudaSuccess);
  REQUIRE(memcmp(host, back, sizeof host) == 0);
  REQUIRE(cudaFree(tracked) == cudaSuccess);
  REQUIRE(cudaFree(untracked) == cudaSuccess);
  printf("PASS full_empty_c\n");
  return 0;
}
