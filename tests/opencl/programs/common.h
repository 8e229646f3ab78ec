// For OpenCL programs of the tests: the first device, and calls that have to succeed.
#pragma once
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)                                                       \
  do {                                                                 \
    const cl_int result_ = (call);                                     \
    if (result_ != CL_SUCCESS) {                                       \
      printf("line %d: %s gives %d\n", __LINE__, #call, (int)result_); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)
// The error that a call has to give.
#define IS(expected, call)                                                                     \
  do {                                                                                         \
    const cl_int result_ = (call);                                                             \
    if (result_ != (expected)) {                                                               \
      printf("line %d: %s gives %d, expected %s\n", __LINE__, #call, (int)result_, #expected); \
      failures++;                                                                              \
    }                                                                                          \
  } while (0)
#define TRUE_THAT(what)                                 \
  do {                                                  \
    if (!(what)) {                                      \
      printf("line %d: not so: %s\n", __LINE__, #what); \
      failures++;                                       \
    }                                                   \
  } while (0)

static int failures;
static cl_platform_id platform;
static cl_device_id device;
static cl_context context;

static inline void open_device(void) {
  cl_int error;
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  OK(error);
}

static inline cl_command_queue queue_with(cl_command_queue_properties flags) {
  cl_int error;
  cl_command_queue queue = clCreateCommandQueue(context, device, flags, &error);
  OK(error);
  return queue;
}

static inline cl_program built(const char* source, const char* options) {
  cl_int error;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  error = clBuildProgram(program, 1, &device, options, NULL, NULL);
  if (error != CL_SUCCESS) {
    static char log[65536];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    printf("build: %d\n%s\n", (int)error, log);
    exit(1);
  }
  return program;
}

static inline cl_kernel kernel_of(cl_program program, const char* name) {
  cl_int error;
  cl_kernel kernel = clCreateKernel(program, name, &error);
  OK(error);
  return kernel;
}

static inline cl_mem buffer_of(cl_mem_flags flags, size_t bytes, void* from) {
  cl_int error;
  cl_mem buffer = clCreateBuffer(context, flags, bytes, from, &error);
  OK(error);
  return buffer;
}

// Functions of the program may be called on another thread, after what they wait for: a while for them.
static inline void await(cl_command_queue queue, const volatile int* what, int value) {
  for (int i = 0; *what != value && i < 10000; i++) OK(clFlush(queue));
  if (*what == value) return;
  printf("a function of the program has not been called: %d, expected %d\n", *what, value);
  failures++;
}

static inline int finished(const char* name) {
  if (failures == 0) printf("PASS %s\n", name);
  return failures != 0;
}
