// What every workload shares: checked runtime calls, option parsing with the exit statuses that the tests
// rely on (0 right, 1 wrong result or failed call, 2 wrong usage), a small deterministic generator, and
// Duet's marks where the program is compiled against Duet's headers. Leaves out anything about one particular
// workload.
#pragma once

#include <cuda_runtime.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

#ifdef __DUET__
#include <duet.h>
#else
#define duetMark(name) ((void)(name))
#define duetHostWork(ns) ((void)(ns))
inline int duetSharedAlloc(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}
inline int duetFlushCpu(const void*, size_t) { return 0; }
inline int duetFlushGpu(const void*, size_t) { return 0; }
#endif

#define CHECK_CUDA(call) ::workload::check_call((call), #call, __FILE__, __LINE__)

namespace workload {

inline void check_call(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(status),
          cudaGetErrorName(status));
  exit(1);
}

// A launch reports its configuration errors only through the last error.
inline void check_launch(const char* kernel, const char* file, int line) {
  check_call(cudaGetLastError(), kernel, file, line);
}
#define CHECK_LAUNCH(kernel) ::workload::check_launch("launch of " kernel, __FILE__, __LINE__)

// One clear line and the status for wrong usage.
[[noreturn]] inline void usage_error(const char* program, const char* what, const char* detail) {
  fprintf(stderr, "%s: %s '%s' (--help lists what is accepted)\n", program, what, detail);
  exit(2);
}

// Decimal number in [low, high]; anything else is a usage error that names the limits.
inline unsigned long long parse_number(const char* program, const char* name, const char* text,
                                       unsigned long long low, unsigned long long high) {
  char* end = nullptr;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  bool is_number = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
  if (!is_number || value < low || value > high) {
    fprintf(stderr, "%s: %s must be a number from %llu to %llu, not '%s'\n", program, name, low, high, text);
    exit(2);
  }
  return value;
}

}  // namespace workload
