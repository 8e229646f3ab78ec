// OpenCL's side of frameworks.h.
#pragma once

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

enum method { kCl12, kSvmFine, kSvmAtomics, kMethods };
static const char* const method_names[kMethods] = {"cl-1.2", "svm-fine", "svm-atomics"};

static struct {
  enum method method;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  struct {
    char name[64];
    cl_kernel kernel;
  } kernels[kMostKernels];  // by the first launch of each
  cl_event event;
} framework;

static inline void open_method(enum method method) {
  framework.method = method;
  char name[4096 + 8];
  snprintf(name, sizeof name, "%s.cl", code_file);
  size_t bytes;
  char* text = whole_file(name, &bytes);
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  CHECK(clGetPlatformIDs(1, &platform, NULL));
  CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
  framework.context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  CHECK(status);
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  framework.queue = clCreateCommandQueueWithProperties(framework.context, device, properties, &status);
  CHECK(status);
  framework.program = clCreateProgramWithSource(framework.context, 1, (const char**)&text, &bytes, &status);
  CHECK(status);
  CHECK(clBuildProgram(framework.program, 1, &device, "", NULL, NULL));
  free(text);
}

static inline cl_kernel kernel_named(const char* name) {
  unsigned i = 0;
  while (i < kMostKernels - 1 && framework.kernels[i].kernel != NULL &&
         strcmp(name, framework.kernels[i].name) != 0)
    i++;
  if (framework.kernels[i].kernel == NULL) {
    cl_int status;
    framework.kernels[i].kernel = clCreateKernel(framework.program, name, &status);
    CHECK(status);
    snprintf(framework.kernels[i].name, sizeof framework.kernels[i].name, "%s", name);
  }
  return framework.kernels[i].kernel;
}

// Two dimensions of `threads`, multiples of `group`.
static inline void launch_2d(const char* name, const size_t threads[2], const size_t group[2], unsigned count,
                             const struct argument* arguments) {
  const cl_kernel kernel = kernel_named(name);
  for (unsigned i = 0; i < count; i++) {
    const struct shared* const memory = arguments[i].memory;
    if (memory == NULL)
      CHECK(clSetKernelArg(kernel, i, arguments[i].bytes, arguments[i].value));
    else if (framework.method == kCl12)
      CHECK(clSetKernelArg(kernel, i, sizeof(cl_mem), &memory->buffer));
    else
      CHECK(clSetKernelArgSVMPointer(kernel, i, memory->host));
  }
  if (framework.event != NULL) CHECK(clReleaseEvent(framework.event));
  CHECK(clEnqueueNDRangeKernel(framework.queue, kernel, threads[1] > 1 ? 2 : 1, NULL, threads, group, 0, NULL,
                               &framework.event));
}

static inline void wait_for_gpu(void) {
  cl_int status = waits_actively ? CL_QUEUED : CL_COMPLETE;
  while (status > CL_COMPLETE)
    CHECK(clGetEventInfo(framework.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  CHECK(clFinish(framework.queue));
}

// Of the last launch, which has ended.
static inline double kernel_ns(void) {
  cl_ulong start, end;
  CHECK(clGetEventProfilingInfo(framework.event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
  CHECK(clGetEventProfilingInfo(framework.event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
  return (double)(end - start);
}

static inline void allocate_shared(struct shared* memory) {
  cl_int status;
  if (framework.method == kCl12) {
    memory->buffer = clCreateBuffer(framework.context, CL_MEM_READ_WRITE, memory->bytes, NULL, &status);
    CHECK(status);
    memory->host = malloc(memory->bytes);
  } else {
    memory->host = clSVMAlloc(framework.context,
                              CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER |
                                  (framework.method == kSvmAtomics ? CL_MEM_SVM_ATOMICS : 0),
                              memory->bytes, 0);
  }
}

// The program has written it, and the GPU reads it next; and the other way.
static inline void to_gpu(const struct shared* memory) {
  if (framework.method == kCl12)
    CHECK(clEnqueueWriteBuffer(framework.queue, memory->buffer, CL_TRUE, 0, memory->bytes, memory->host, 0,
                               NULL, NULL));
}
static inline void to_host(const struct shared* memory) {
  if (framework.method == kCl12)
    CHECK(clEnqueueReadBuffer(framework.queue, memory->buffer, CL_TRUE, 0, memory->bytes, memory->host, 0,
                              NULL, NULL));
}
