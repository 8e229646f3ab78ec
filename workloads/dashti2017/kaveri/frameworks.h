// A program of dashti2017 section 6, in the frameworks that the paper compares: one source, and --method decides.
//
//   open_framework(&argc, argv, "lines");        // --method hsa-fine --code FOLDER
//   struct shared data = new_shared(bytes);      // data.host: what the program reads and writes
//   to_gpu(&data);
//   launch("increment", threads, 256, 2, (struct argument[]){{.memory = &data}, {&every, sizeof every}});
//   wait_for_gpu();                              // kernel_ns(): of the launch before
//   to_host(&data);
//
//   cl-1.2       clCreateBuffer, and copies
//   svm-fine     clSVMAlloc, fine-grained                    svm-atomics  the same, with atomics
//   hsa-fine     memory of malloc                            hsa-coarse   hsa_memory_allocate, of the coarse-grained region
//
// FOLDER has lines.cl (OpenCL) or lines.hsaco (`duet hsacc lines.cl -o lines.hsaco`).
#pragma once

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <fcntl.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(call)                                                                    \
  do {                                                                                 \
    const long status_ = (long)(call);                                                 \
    if (status_ != 0) {                                                                \
      fprintf(stderr, "%s:%d: %s gave %ld\n", __FILE__, __LINE__, #call, status_);     \
      exit(1);                                                                         \
    }                                                                                  \
  } while (0)

enum method { kCl12, kSvmFine, kSvmAtomics, kHsaFine, kHsaCoarse, kMethods };
static const char* const method_names[kMethods] = {"cl-1.2", "svm-fine", "svm-atomics", "hsa-fine", "hsa-coarse"};

// Memory that both sides use.
struct shared {
  void* host;
  size_t bytes;
  cl_mem buffer;  // of OpenCL 1.2
};
// A value, or memory.
struct argument {
  const void* value;
  size_t bytes;
  const struct shared* memory;
};

static struct {
  enum method method;
  char code[4096];  // the file without its ending
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_event event;
  hsa_agent_t agent;
  hsa_region_t fine, coarse;
  hsa_queue_t* hsa_queue;
  hsa_executable_t executable;
  hsa_signal_t done;
  uint64_t object;
  uint32_t group_bytes, kernarg_bytes;
  void* kernarg;
  char name[64];  // of the kernel that the above are of
} framework;

static inline int is_hsa(void) { return framework.method >= kHsaFine; }

// Takes `--name VALUE` out of the arguments; `otherwise` where it is not there.
static inline const char* option(int* argc, char** argv, const char* name, const char* otherwise) {
  for (int i = 1; i + 1 < *argc; i++) {
    if (strncmp(argv[i], "--", 2) != 0 || strcmp(argv[i] + 2, name) != 0) continue;
    const char* const value = argv[i + 1];
    memmove(argv + i, argv + i + 2, (size_t)(*argc - i - 1) * sizeof *argv);
    *argc -= 2;
    return value;
  }
  return otherwise;
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

// ---- OpenCL ----

static inline void open_opencl(void) {
  char name[4096 + 8];
  snprintf(name, sizeof name, "%s.cl", framework.code);
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

static inline void find_opencl_kernel(const char* name) {
  if (strcmp(name, framework.name) == 0) return;
  cl_int status;
  if (framework.kernel != NULL) CHECK(clReleaseKernel(framework.kernel));
  framework.kernel = clCreateKernel(framework.program, name, &status);
  CHECK(status);
  snprintf(framework.name, sizeof framework.name, "%s", name);
}

static inline void launch_opencl(const char* name, size_t threads, size_t group, unsigned count, const struct argument* arguments) {
  find_opencl_kernel(name);
  for (unsigned i = 0; i < count; i++) {
    const struct shared* const memory = arguments[i].memory;
    if (memory == NULL)
      CHECK(clSetKernelArg(framework.kernel, i, arguments[i].bytes, arguments[i].value));
    else if (framework.method == kCl12)
      CHECK(clSetKernelArg(framework.kernel, i, sizeof memory->buffer, &memory->buffer));
    else
      CHECK(clSetKernelArgSVMPointer(framework.kernel, i, memory->host));
  }
  if (framework.event != NULL) CHECK(clReleaseEvent(framework.event));
  CHECK(clEnqueueNDRangeKernel(framework.queue, framework.kernel, 1, NULL, &threads, &group, 0, NULL, &framework.event));
}

// ---- HSA ----

static inline hsa_status_t keep_agent(hsa_agent_t agent, void* data) {
  hsa_device_type_t type;
  (void)data;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  if (type == HSA_DEVICE_TYPE_GPU) framework.agent = agent;
  return HSA_STATUS_SUCCESS;
}
static inline hsa_status_t keep_region(hsa_region_t region, void* data) {
  hsa_region_segment_t segment;
  uint32_t flags;
  (void)data;
  CHECK(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
  if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  CHECK(hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
  if (flags & HSA_REGION_GLOBAL_FLAG_KERNARG) framework.fine = region;
  if (flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED) framework.coarse = region;
  return HSA_STATUS_SUCCESS;
}

static inline void open_hsa(void) {
  char name[4096 + 8];
  snprintf(name, sizeof name, "%s.hsaco", framework.code);
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(keep_agent, NULL));
  CHECK(hsa_agent_iterate_regions(framework.agent, keep_region, NULL));
  CHECK(hsa_queue_create(framework.agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &framework.hsa_queue));
  CHECK(hsa_amd_profiling_set_profiler_enabled(framework.hsa_queue, 1));
  const int file = open(name, O_RDONLY);
  if (file < 0) {
    perror(name);
    exit(2);
  }
  hsa_code_object_reader_t reader;
  CHECK(hsa_code_object_reader_create_from_file(file, &reader));
  close(file);
  CHECK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &framework.executable));
  CHECK(hsa_executable_load_agent_code_object(framework.executable, framework.agent, reader, NULL, NULL));
  CHECK(hsa_executable_freeze(framework.executable, NULL));
  CHECK(hsa_signal_create(0, 0, NULL, &framework.done));
}

static inline void find_hsa_kernel(const char* name) {
  if (strcmp(name, framework.name) == 0) return;
  char symbol_name[80];
  hsa_executable_symbol_t symbol;
  snprintf(symbol_name, sizeof symbol_name, "%s.kd", name);
  CHECK(hsa_executable_get_symbol_by_name(framework.executable, symbol_name, &framework.agent, &symbol));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &framework.object));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &framework.group_bytes));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &framework.kernarg_bytes));
  if (framework.kernarg != NULL) CHECK(hsa_memory_free(framework.kernarg));
  CHECK(hsa_memory_allocate(framework.fine, framework.kernarg_bytes, &framework.kernarg));
  snprintf(framework.name, sizeof framework.name, "%s", name);
}

// The launch before has ended.
static inline void launch_hsa(const char* name, size_t threads, size_t group, unsigned count, const struct argument* arguments) {
  find_hsa_kernel(name);
  size_t at = 0;
  for (unsigned i = 0; i < count; i++) {
    const struct shared* const memory = arguments[i].memory;
    const size_t bytes = memory != NULL ? sizeof memory->host : arguments[i].bytes;
    at = (at + bytes - 1) / bytes * bytes;
    memcpy((char*)framework.kernarg + at, memory != NULL ? (const void*)&memory->host : arguments[i].value, bytes);
    at += bytes;
  }
  hsa_signal_store_relaxed(framework.done, 1);
  hsa_queue_t* const queue = framework.hsa_queue;
  const uint64_t number = hsa_queue_add_write_index_relaxed(queue, 1);
  hsa_kernel_dispatch_packet_t* const packet = (hsa_kernel_dispatch_packet_t*)queue->base_address + number % queue->size;
  memset((char*)packet + 4, 0, sizeof *packet - 4);
  packet->setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet->workgroup_size_x = (uint16_t)group;
  packet->workgroup_size_y = packet->workgroup_size_z = 1;
  packet->grid_size_x = (uint32_t)threads;
  packet->grid_size_y = packet->grid_size_z = 1;
  packet->group_segment_size = framework.group_bytes;
  packet->kernel_object = framework.object;
  packet->kernarg_address = framework.kernarg;
  packet->completion_signal = framework.done;
  const uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  __atomic_store_n(&packet->header, header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)number);
}

// ---- Either ----

static inline void open_framework(int* argc, char** argv, const char* code) {
  const char* const method = option(argc, argv, "method", "cl-1.2");
  const char* const folder = option(argc, argv, "code", ".");
  while (framework.method < kMethods && strcmp(method, method_names[framework.method]) != 0) framework.method++;
  if (framework.method == kMethods) {
    fprintf(stderr, "%s: --method %s: known are cl-1.2, svm-fine, svm-atomics, hsa-fine and hsa-coarse\n", argv[0], method);
    exit(2);
  }
  snprintf(framework.code, sizeof framework.code, "%s/%s", folder, code);
  if (is_hsa())
    open_hsa();
  else
    open_opencl();
}

static inline struct shared new_shared(size_t bytes) {
  struct shared memory = {NULL, bytes, NULL};
  cl_int status = CL_SUCCESS;
  switch (framework.method) {
    case kCl12:
      memory.buffer = clCreateBuffer(framework.context, CL_MEM_READ_WRITE, bytes, NULL, &status);
      CHECK(status);
      memory.host = malloc(bytes);
      break;
    case kSvmFine:
    case kSvmAtomics:
      memory.host = clSVMAlloc(framework.context,
                               CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | (framework.method == kSvmAtomics ? CL_MEM_SVM_ATOMICS : 0), bytes, 0);
      break;
    case kHsaFine:
      if (posix_memalign(&memory.host, 4096, bytes) != 0) memory.host = NULL;
      if (memory.host != NULL) CHECK(hsa_memory_register(memory.host, bytes));
      break;
    default:
      CHECK(hsa_memory_allocate(framework.coarse, bytes, &memory.host));
      break;
  }
  if (memory.host == NULL) {
    fprintf(stderr, "no room for %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

// The program has written it, and the GPU reads it next; and the other way.
static inline void to_gpu(const struct shared* memory) {
  if (framework.method == kCl12)
    CHECK(clEnqueueWriteBuffer(framework.queue, memory->buffer, CL_TRUE, 0, memory->bytes, memory->host, 0, NULL, NULL));
}
static inline void to_host(const struct shared* memory) {
  if (framework.method == kCl12)
    CHECK(clEnqueueReadBuffer(framework.queue, memory->buffer, CL_TRUE, 0, memory->bytes, memory->host, 0, NULL, NULL));
}

// One dimension of `threads`, a multiple of `group`.
static inline void launch(const char* name, size_t threads, size_t group, unsigned count, const struct argument* arguments) {
  if (is_hsa())
    launch_hsa(name, threads, group, count, arguments);
  else
    launch_opencl(name, threads, group, count, arguments);
}

static inline void wait_for_gpu(void) {
  if (is_hsa())
    while (hsa_signal_wait_scacquire(framework.done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_ACTIVE) > 0) {
    }
  else
    CHECK(clFinish(framework.queue));
}

// Of the last launch, which has ended.
static inline double kernel_ns(void) {
  if (is_hsa()) {
    hsa_amd_profiling_dispatch_time_t time;
    uint64_t hertz;
    CHECK(hsa_amd_profiling_get_dispatch_time(framework.agent, framework.done, &time));
    CHECK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &hertz));
    return (double)(time.end - time.start) * 1e9 / (double)hertz;
  }
  cl_ulong start, end;
  CHECK(clGetEventProfilingInfo(framework.event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
  CHECK(clGetEventProfilingInfo(framework.event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
  return (double)(end - start);
}

static inline double host_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}
