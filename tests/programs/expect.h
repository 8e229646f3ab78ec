// What the one-feature test programs share: checked runtime calls, element-wise comparison that stops at the
// first difference with one line and status 1, and a device array with its host image.
#pragma once

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#define CHECK(call) ::expect::check((call), #call, __FILE__, __LINE__)
#define CHECK_LAUNCH() ::expect::check(cudaGetLastError(), "kernel launch", __FILE__, __LINE__)
#define REQUIRE(condition) ::expect::require((condition), #condition, __FILE__, __LINE__)
#define REQUIRE_STATUS(call, status) ::expect::require_status((call), (status), #call, __FILE__, __LINE__)

namespace expect {

inline void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(status),
          cudaGetErrorName(status));
  exit(1);
}

inline void require(bool holds, const char* condition, const char* file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
  exit(1);
}

inline void require_status(cudaError_t got, cudaError_t expected, const char* call, const char* file,
                           int line) {
  if (got == expected) return;
  fprintf(stderr, "%s:%d: %s returned %s, expected %s\n", file, line, call, cudaGetErrorName(got),
          cudaGetErrorName(expected));
  exit(1);
}

// Bit-exact comparison of two values of one type.
template <typename T>
void equal(const char* what, size_t index, T got, T expected) {
  if (memcmp(&got, &expected, sizeof(T)) == 0) return;
  fprintf(stderr, "%s[%zu] is %.17g, expected %.17g\n", what, index, static_cast<double>(got),
          static_cast<double>(expected));
  exit(1);
}

inline void near(const char* what, size_t index, double got, double expected, double tolerance) {
  double difference = got > expected ? got - expected : expected - got;
  if (difference <= tolerance || got == expected) return;
  fprintf(stderr, "%s[%zu] is %.17g, expected %.17g within %.3g\n", what, index, got, expected, tolerance);
  exit(1);
}

template <typename T>
class Array {
 public:
  explicit Array(size_t count, T value = T()) : host(count, value) { allocate(); }
  explicit Array(const std::vector<T>& values) : host(values) { allocate(); }
  ~Array() { CHECK(cudaFree(device_)); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* device() { return device_; }
  const std::vector<T>& fetch() {
    CHECK(cudaMemcpy(host.data(), device_, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  std::vector<T> host;

 private:
  void allocate() {
    CHECK(cudaMalloc(reinterpret_cast<void**>(&device_), host.size() * sizeof(T)));
    CHECK(cudaMemcpy(device_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  T* device_ = nullptr;
};

inline int pass(const char* name) {
  printf("PASS %s\n", name);
  return 0;
}

}  // namespace expect
