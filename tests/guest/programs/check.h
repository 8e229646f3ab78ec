// What the programs of this folder share. What they print is what is compared.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                            \
  do {                                                                                         \
    const cudaError_t check_error = (call);                                                    \
    if (check_error != cudaSuccess) {                                                          \
      std::printf("%s:%d: %s: %s\n", "check", __LINE__, #call, cudaGetErrorName(check_error)); \
      std::exit(1);                                                                            \
    }                                                                                          \
  } while (0)

inline unsigned long long hash_of(const void* data, std::size_t bytes) {
  unsigned long long hash = 1469598103934665603ull;
  for (std::size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211ull;
  return hash;
}
