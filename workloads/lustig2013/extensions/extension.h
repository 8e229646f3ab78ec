// What the programs of this folder share: their command line, and tracked memory. Each program does one job
// in several ways, with what lustig2013 leaves open (sections 4.5, 9) and without, and checks every word of
// every result. They need Duet's full/empty bits, so nvcc does not compile them. Runtime is from the mark
// "data ready" to the mark "finish".
#pragma once

#include <duet_full_empty.h>

#include "../buffers.h"

namespace lustig2013 {

struct Way {
  const char* name;
  const char* help;
};

struct Number {
  const char* name;
  const char* help;
  unsigned value, low, high;
  unsigned step;  // only multiples of it
};

// Sets the numbers that the command line names and returns the index of the way that it asks for.
template <size_t kWays, size_t kNumbers>
size_t parse_ways(int argc, char** argv, const char* program, const Way (&ways)[kWays],
                  Number (&numbers)[kNumbers]) {
  size_t way = 0;
  for (int i = 1; i < argc; i += 2) {
    const char *name = argv[i], *text = i + 1 < argc ? argv[i + 1] : nullptr;
    if (strcmp(name, "--help") == 0) {
      printf("usage: %s [OPTION VALUE]...\n  --way W, one of:\n", program);
      for (const Way& one : ways)
        printf("    %-12s %s%s\n", one.name, one.help, &one == ways ? " (default)" : "");
      for (const Number& one : numbers)
        printf("  %-12s %s, %u to %u in steps of %u (default %u)\n", one.name, one.help, one.low, one.high,
               one.step, one.value);
      exit(0);
    }
    if (text == nullptr) workload::usage_error(program, "no value after", name);
    bool known = strcmp(name, "--way") == 0;
    if (known) {
      for (way = 0; way < kWays && strcmp(ways[way].name, text) != 0; way++) {
      }
      if (way == kWays) workload::usage_error(program, "unknown way", text);
    }
    for (Number& one : numbers) {
      if (strcmp(name, one.name) != 0) continue;
      known = true;
      one.value = static_cast<unsigned>(workload::parse_number(program, name, text, one.low, one.high));
      if (one.value % one.step != 0) {
        fprintf(stderr, "%s: %s must be a multiple of %u, not '%s'\n", program, name, one.step, text);
        exit(2);
      }
    }
    if (!known) workload::usage_error(program, "unknown option", name);
  }
  return way;
}

template <typename T>
class Tracked {
 public:
  explicit Tracked(size_t count) : bytes_(count * sizeof(T)) {
    CHECK_CUDA(duetMallocTracked(&data_, bytes_));
  }
  ~Tracked() { CHECK_CUDA(cudaFree(data_)); }
  Tracked(const Tracked&) = delete;
  Tracked& operator=(const Tracked&) = delete;
  T* get() const { return data_; }
  size_t bytes() const { return bytes_; }
  void set(duetFullEmptyState state, cudaStream_t stream) const {
    CHECK_CUDA(duetFullEmptySet(data_, bytes_, state, stream));
  }

 private:
  T* data_ = nullptr;
  size_t bytes_;
};

// Ends the program when a word is not what it should be.
inline void require_word(const char* program, size_t index, unsigned got, unsigned expected) {
  if (got == expected) return;
  fprintf(stderr, "%s: word %zu is %u, expected %u\n", program, index, got, expected);
  exit(1);
}

}  // namespace lustig2013
