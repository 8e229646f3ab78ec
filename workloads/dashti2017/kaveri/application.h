// What the applications of dashti2017 Figure 15 share: they are Rodinia's by algorithm, arrays and access
// pattern of the kernels, written anew.
//
//   begin();                                    // whole_ns counts from here: with the start-up
//   open_framework(&argc, argv, "bfs");
//   ...
//   run("walk", threads, 256, 7, arguments);    // waits, as Rodinia's do; kernels_ns is their sum
//   ...
//   end();                                      // the host has read the last result; checks come behind it
//   return report();
//
// Each of their arrays is one of the method, also those that the GPU alone uses.
#pragma once

#include <math.h>

#include "frameworks.h"

enum { kGroup = 256 };  // AMD's OpenCL has no larger ones

static double begin_ns, whole_ns, kernels_ns;

static inline void begin(void) { begin_ns = host_ns(); }
static inline void end(void) { whole_ns = host_ns() - begin_ns; }
static inline int report(void) {
  if (prints_times) printf("whole_ns %.0f\nkernels_ns %.0f\n", whole_ns, kernels_ns);
  return 0;
}

static inline void run_2d(const char* name, const size_t threads[2], const size_t group[2], unsigned count,
                          const struct argument* arguments) {
  launch_2d(name, threads, group, count, arguments);
  wait_for_gpu();
  kernels_ns += kernel_ns();
}
// As many groups as hold `threads`.
static inline void run(const char* name, size_t threads, size_t group, unsigned count,
                       const struct argument* arguments) {
  run_2d(name, (const size_t[2]){(threads + group - 1) / group * group, 1}, (const size_t[2]){group, 1},
         count, arguments);
}

// An argument that is a number.
#define VALUE(variable) \
  { .value = &(variable), .bytes = sizeof(variable) }
#define MEMORY(shared) \
  { .memory = &(shared) }

// The numbers of workloads/common/random.h.
struct random {
  uint64_t state;
};
static inline struct random random_of(uint64_t seed) {
  return (struct random){seed * 2862933555777941757u + 3037000493u};
}
static inline uint32_t next_of(struct random* random) {
  random->state = random->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(((random->state ^ (random->state >> 29)) * 0xbf58476d1ce4e5b9u) >> 32);
}
static inline int below(struct random* random, int bound) {
  return (int)(((uint64_t)next_of(random) * (uint64_t)bound) >> 32);
}
// In [0, 1), from 24 random bits.
static inline float uniform(struct random* random) {
  return (float)(next_of(random) >> 8) * (1.0f / 16777216.0f);
}

// An option that is an int from `least` on.
static inline int size_option(int* argc, char** argv, const char* name, int otherwise, int least, int most) {
  const unsigned long value = number(argc, argv, name, (unsigned long)otherwise);
  if (value >= (unsigned long)least && value <= (unsigned long)most) return (int)value;
  fprintf(stderr, "%s: --%s %lu: from %d to %d\n", argv[0], name, value, least, most);
  exit(2);
}

// The GPU contracts products and sums, the host need not.
static inline int close_to(double value, double expected, double tolerance) {
  return fabs(value - expected) <= tolerance * (1 + fabs(expected));
}
static inline int wrong(const char* program, const char* what, int i, double value, double expected) {
  fprintf(stderr, "%s: %s %d is %g, expected %g\n", program, what, i, value, expected);
  return 1;
}
