// The clock of the probes, in nanoseconds: Duet's simulated time where the program runs on Duet, otherwise
// the machine's monotonic clock, so that the same probe measures a real GPU.
#pragma once

#include <stdio.h>

#ifdef __DUET__
#include <duet.h>
#else
#include <time.h>
#endif

namespace workload {

inline unsigned long long now_ns() {
#ifdef __DUET__
  return duetTimeNs();
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<unsigned long long>(now.tv_sec) * 1000000000ull + now.tv_nsec;
#endif
}

// `"key": [v0, v1, ...]`
inline void print_samples(const char* key, const unsigned long long* samples, int count) {
  printf("\"%s\": [", key);
  for (int i = 0; i < count; i++) printf("%s%llu", i == 0 ? "" : ", ", samples[i]);
  printf("]");
}

}  // namespace workload
