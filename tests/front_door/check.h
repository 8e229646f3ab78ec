// Ends the program with a line about the first call that fails.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                         \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(status)); \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)
