// A program of dashti2017 section 6, in the frameworks that the paper compares: one source, which --method
// and a definition decide of.
//
//   open_framework(&argc, argv, "lines");        // --method hsa-fine --code FOLDER
//   struct shared data = new_shared(bytes);      // data.host: what the program reads and writes
//   to_gpu(&data);
//   launch("increment", threads, 256, 2, (struct argument[]){{.memory = &data}, {&every, sizeof every}});
//   wait_for_gpu();                              // kernel_ns(): of the launch before
//   to_host(&data);
//
//   cl-1.2       clCreateBuffer, and copies
//   svm-fine     clSVMAlloc, fine-grained
//   svm-atomics  the same, with atomics
// With -DFRAMEWORK_HSA and -lhsa-runtime64 in place of -lOpenCL:
//   hsa-fine     memory of malloc
//   hsa-coarse   hsa_memory_allocate, of the coarse-grained region
//
// FOLDER has lines.cl (OpenCL) or lines.hsaco (`duet hsacc lines.cl -o lines.hsaco`).
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call)                                                                \
  do {                                                                             \
    const long status_ = (long)(call);                                             \
    if (status_ != 0) {                                                            \
      fprintf(stderr, "%s:%d: %s gave %ld\n", __FILE__, __LINE__, #call, status_); \
      exit(1);                                                                     \
    }                                                                              \
  } while (0)

// Memory that both sides use.
struct shared {
  void* host;
  size_t bytes;
  void* buffer;  // of OpenCL 1.2
};
// A value, or memory.
struct argument {
  const void* value;
  size_t bytes;
  const struct shared* memory;
};

enum { kMostKernels = 4 };  // of a program

static int prints_times;  // --times no: nothing is printed, and runs with other times can be compared

static char code_file[4096];  // without its ending
// wait_for_gpu() looks again and again. --wait active or blocked; HSA's wait is active, OpenCL's blocked.
static int waits_actively;

// Takes `--name VALUE` out of the arguments, the last one counts; `otherwise` where it is not there.
static inline const char* option(int* argc, char** argv, const char* name, const char* otherwise) {
  const char* value = otherwise;
  for (int i = 1; i + 1 < *argc;) {
    if (strncmp(argv[i], "--", 2) != 0 || strcmp(argv[i] + 2, name) != 0) {
      i++;
      continue;
    }
    value = argv[i + 1];
    memmove(argv + i, argv + i + 2, (size_t)(*argc - i - 1) * sizeof *argv);
    *argc -= 2;
  }
  return value;
}
static inline unsigned long number(int* argc, char** argv, const char* name, unsigned long otherwise) {
  const char* const text = option(argc, argv, name, NULL);
  char* end = NULL;
  const unsigned long value = text == NULL ? otherwise : strtoul(text, &end, 10);
  if (text != NULL && (*end != 0 || *text == 0)) {
    fprintf(stderr, "%s: --%s %s is no number\n", argv[0], name, text);
    exit(2);
  }
  return value;
}
// After the last option.
static inline void no_more(int argc, char** argv) {
  if (argc == 1) return;
  fprintf(stderr, "%s: what is '%s'?\n", argv[0], argv[1]);
  exit(2);
}

static inline char* whole_file(const char* name, size_t* bytes) {
  FILE* const file = fopen(name, "rb");
  if (file == NULL) {
    perror(name);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  char* const text = malloc(*bytes + 1);
  if (fread(text, 1, *bytes, file) != *bytes) exit(2);
  text[*bytes] = 0;
  fclose(file);
  return text;
}

#ifdef FRAMEWORK_HSA
#include "framework_hsa.h"
#else
#include "framework_opencl.h"
#endif

static inline void open_framework(int* argc, char** argv, const char* code) {
  const char* const name = option(argc, argv, "method", method_names[0]);
  const char* const folder = option(argc, argv, "code", ".");
  prints_times = strcmp(option(argc, argv, "times", "yes"), "no") != 0;
  const char* const wait = option(argc, argv, "wait", strncmp(name, "hsa", 3) == 0 ? "active" : "blocked");
  waits_actively = strcmp(wait, "active") == 0;
  if (!waits_actively && strcmp(wait, "blocked") != 0) {
    fprintf(stderr, "%s: --wait %s: known are active blocked\n", argv[0], wait);
    exit(2);
  }
  unsigned method = 0;
  while (method < kMethods && strcmp(name, method_names[method]) != 0) method++;
  if (method == kMethods) {
    fprintf(stderr, "%s: --method %s: known are", argv[0], name);
    for (unsigned i = 0; i < kMethods; i++) fprintf(stderr, " %s", method_names[i]);
    fprintf(stderr, "\n");
    exit(2);
  }
  snprintf(code_file, sizeof code_file, "%s/%s", folder, code);
  open_method((enum method)method);
}

static inline struct shared new_shared(size_t bytes) {
  struct shared memory = {NULL, bytes, NULL};
  allocate_shared(&memory);
  if (memory.host == NULL) {
    fprintf(stderr, "no room for %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

// One dimension of `threads`, a multiple of `group`.
static inline void launch(const char* name, size_t threads, size_t group, unsigned count,
                          const struct argument* arguments) {
  launch_2d(name, (const size_t[2]){threads, 1}, (const size_t[2]){group, 1}, count, arguments);
}

static inline double host_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}
