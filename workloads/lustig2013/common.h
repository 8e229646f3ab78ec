// Shared by the seven benchmarks of lustig2013 Table 3: options, pinned and device buffers, and the choice of
// variant. A benchmark prepares its input, marks "data ready", offloads (copies in, kernels, copies out in
// the order that its variant prescribes), marks "finish", and compares every output element with the CPU.
// Source of the variants: lustig2013 section 5 and Figure 7; only `baseline` (Figure 7a: asynchronous copies
// from pinned memory, all in one stream) is expressible with the plain runtime API.
#pragma once

#include <math.h>

#include <vector>

#include "../common/check.h"

namespace lustig2013 {

enum class Variant { kBaseline };

struct Spec {
  const char* program;
  const char* size_help;
  unsigned default_size;
  unsigned min_size;
  unsigned max_size;
  unsigned multiple_of;
};

struct Options {
  unsigned size;
  unsigned long long seed;
  Variant variant;
};

inline void print_help(const Spec& spec) {
  printf(
      "usage: %s [--size N] [--seed S] [--variant V]\n"
      "  N  %s, %u to %u (default %u)\n"
      "  S  seed of the generated input (default 1)\n"
      "  V  baseline (default)\n",
      spec.program, spec.size_help, spec.min_size, spec.max_size, spec.default_size);
}

inline Options parse_options(int argc, char** argv, const Spec& spec) {
  Options options{spec.default_size, 1, Variant::kBaseline};
  for (int i = 1; i < argc; i++) {
    const char* name = argv[i];
    if (strcmp(name, "--help") == 0) {
      print_help(spec);
      exit(0);
    }
    bool known = strcmp(name, "--size") == 0 || strcmp(name, "--seed") == 0 || strcmp(name, "--variant") == 0;
    if (!known) workload::usage_error(spec.program, "unknown option", name);
    if (++i == argc) workload::usage_error(spec.program, "no value after", name);
    if (strcmp(name, "--size") == 0) {
      options.size = static_cast<unsigned>(
          workload::parse_number(spec.program, name, argv[i], spec.min_size, spec.max_size));
      if (options.size % spec.multiple_of != 0) {
        fprintf(stderr, "%s: --size must be a multiple of %u, not '%s'\n", spec.program, spec.multiple_of,
                argv[i]);
        exit(2);
      }
    } else if (strcmp(name, "--seed") == 0) {
      options.seed = workload::parse_number(spec.program, name, argv[i], 0, ~0ull);
    } else if (strcmp(argv[i], "baseline") != 0) {
      workload::usage_error(spec.program, "unknown variant", argv[i]);
    }
  }
  return options;
}

// Page-locked host memory, which asynchronous copies need to be asynchronous.
template <typename T>
class Pinned {
 public:
  explicit Pinned(size_t count) : count_(count) {
    CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&data_), bytes()));
  }
  ~Pinned() { CHECK_CUDA(cudaFreeHost(data_)); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  T* get() const { return data_; }
  T& operator[](size_t i) const { return data_[i]; }
  size_t size() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  size_t count_;
};

template <typename T>
class Device {
 public:
  explicit Device(size_t count) : count_(count) {
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()));
  }
  ~Device() { CHECK_CUDA(cudaFree(data_)); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  T* get() const { return data_; }
  size_t bytes() const { return count_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  size_t count_;
};

class Stream {
 public:
  Stream() { CHECK_CUDA(cudaStreamCreate(&stream_)); }
  ~Stream() { CHECK_CUDA(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

template <typename T>
void copy_in(const Device<T>& to, const Pinned<T>& from, const Stream& stream) {
  CHECK_CUDA(cudaMemcpyAsync(to.get(), from.get(), from.bytes(), cudaMemcpyHostToDevice, stream.get()));
}

template <typename T>
void copy_out(const Pinned<T>& to, const Device<T>& from, const Stream& stream) {
  CHECK_CUDA(cudaMemcpyAsync(to.get(), from.get(), to.bytes(), cudaMemcpyDeviceToHost, stream.get()));
}

inline int report_mismatch(const Spec& spec, const char* what, size_t index, double got, double expected) {
  fprintf(stderr, "%s: %s %zu is %.9g, expected %.9g\n", spec.program, what, index, got, expected);
  return 1;
}

}  // namespace lustig2013
