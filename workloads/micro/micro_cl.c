// micro.cu for OpenCL: runs one of the five kernels of kernels.cl and checks every output element against the
// CPU. All inputs are small integers, so that no order of additions rounds.
//
//   cc micro_cl.c -o micro_cl -lOpenCL
//   micro_cl kernels.cl matmul 64 [LAUNCHES]
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kThreads = 256, kPersistentGroups = 60, kTile = 16, kBins = 256 };

static void fail(const char* what, long number) {
  fprintf(stderr, "micro_cl: %s: %ld\n", what, number);
  exit(1);
}

static void check(cl_int error, const char* call) {
  if (error != CL_SUCCESS) fail(call, error);
}

static char* text_of(const char* path) {
  FILE* const file = fopen(path, "rb");
  if (file == NULL) {
    fprintf(stderr, "micro_cl: cannot open %s\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file);
  rewind(file);
  char* const text = calloc(1, (size_t)bytes + 1);
  if (fread(text, 1, (size_t)bytes, file) != (size_t)bytes) fail("cannot read", bytes);
  fclose(file);
  return text;
}

static cl_context context;

// Words that repeat, below `most`: as floats, or as they are.
static cl_mem input(size_t count, unsigned most, int floats, double* values) {
  uint32_t* const words = malloc(4 * count);
  uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    const uint32_t value = (state >> 16) % most;
    const float as_float = (float)value;
    values[i] = value;
    memcpy(&words[i], floats ? (const void*)&as_float : (const void*)&value, 4);
  }
  cl_int error;
  const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 4 * count, words, &error);
  check(error, "clCreateBuffer");
  free(words);
  return buffer;
}

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    fprintf(stderr, "usage: micro_cl kernels.cl KERNEL N [LAUNCHES]\n");
    return 2;
  }
  const char* const name = argv[2];
  const int n = atoi(argv[3]), launches = argc == 5 ? atoi(argv[4]) : 1;
  const int is_vecadd = !strcmp(name, "vecadd"), is_matmul = !strcmp(name, "matmul"), is_hist = !strcmp(name, "hist"),
            is_copy = !strcmp(name, "copyk"), is_reduce = !strcmp(name, "reduce");
  if (is_vecadd + is_matmul + is_hist + is_copy + is_reduce != 1 || n < 1 || n > 1 << 24 || launches < 1 ||
      (is_matmul && (n % kTile != 0 || n > 1024))) {
    fprintf(stderr, "micro_cl: KERNEL is vecadd, matmul (N a multiple of 16, at most 1024), hist, copyk or reduce\n");
    return 2;
  }
  const size_t count = is_matmul ? (size_t)n * n : (size_t)n, outputs = is_hist ? kBins : is_reduce ? kPersistentGroups : count;

  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error, "clCreateContext");
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "clCreateCommandQueue");
  const char* const text = text_of(argv[1]);
  const cl_program program = clCreateProgramWithSource(context, 1, (const char**)&text, NULL, &error);
  check(error, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  const cl_kernel kernel = clCreateKernel(program, name, &error);
  check(error, "clCreateKernel");

  double* const a = calloc(count, sizeof(double));
  double* const b = calloc(count, sizeof(double));
  const cl_mem first = input(count, is_hist ? 65536 : 16, !is_hist, a);
  const cl_mem second = is_vecadd || is_matmul ? input(count, 16, 1, b) : NULL;
  const cl_mem result = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * outputs, NULL, &error);
  check(error, "clCreateBuffer");
  cl_uint argument = 0;
  check(clSetKernelArg(kernel, argument++, sizeof first, &first), "clSetKernelArg");
  if (second != NULL) check(clSetKernelArg(kernel, argument++, sizeof second, &second), "clSetKernelArg");
  check(clSetKernelArg(kernel, argument++, sizeof result, &result), "clSetKernelArg");
  check(clSetKernelArg(kernel, argument++, sizeof n, &n), "clSetKernelArg");

  const size_t groups = is_vecadd ? (count + kThreads - 1) / kThreads : kPersistentGroups;
  const size_t all[2] = {is_matmul ? (size_t)n : groups * kThreads, (size_t)n}, group[2] = {is_matmul ? kTile : kThreads, kTile};
  for (int i = 0; i < launches; ++i) {
    const cl_uint zero = 0;
    if (is_hist) check(clEnqueueFillBuffer(queue, result, &zero, 4, 0, 4 * kBins, 0, NULL, NULL), "clEnqueueFillBuffer");
    check(clEnqueueNDRangeKernel(queue, kernel, is_matmul ? 2 : 1, NULL, all, group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  }
  uint32_t* const got = malloc(4 * outputs);
  check(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, 4 * outputs, got, 0, NULL, NULL), "clEnqueueReadBuffer");

  double* const expected = calloc(outputs, sizeof(double));
  for (size_t i = 0; i < count; ++i) {
    if (is_vecadd) expected[i] = a[i] + b[i];
    if (is_copy) expected[i] = a[i];
    if (is_hist) expected[(size_t)a[i] % kBins] += 1;
    if (is_reduce) expected[i / kThreads % kPersistentGroups] += a[i];
    for (int k = 0; is_matmul && k < n; ++k) expected[i] += a[i / n * n + k] * b[(size_t)k * n + i % n];
  }
  for (size_t i = 0; i < outputs; ++i) {
    float value;
    memcpy(&value, &got[i], 4);
    if ((is_hist ? (double)got[i] : (double)value) != expected[i]) fail("wrong element", (long)i);
  }
  printf("PASS %s %d\n", name, n);
  clReleaseMemObject(first);
  if (second != NULL) clReleaseMemObject(second);
  clReleaseMemObject(result);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
