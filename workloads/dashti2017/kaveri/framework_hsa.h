// HSA's side of frameworks.h.
#pragma once

#include <fcntl.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <unistd.h>

enum method { kHsaFine, kHsaCoarse, kMethods };
static const char* const method_names[kMethods] = {"hsa-fine", "hsa-coarse"};

static struct {
  enum method method;
  hsa_agent_t agent;
  hsa_region_t fine, coarse;
  hsa_queue_t* queue;
  hsa_executable_t executable;
  hsa_signal_t done;
  uint64_t hertz;  // of the timestamps
  struct kernel {
    char name[64];
    uint64_t object;
    uint32_t group_bytes, kernarg_bytes;
    void* kernarg;
  } kernels[kMostKernels];  // by the first launch of each
} framework;

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

static inline void open_method(enum method method) {
  framework.method = method;
  char name[4096 + 8];
  snprintf(name, sizeof name, "%s.hsaco", code_file);
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(keep_agent, NULL));
  CHECK(hsa_agent_iterate_regions(framework.agent, keep_region, NULL));
  CHECK(hsa_queue_create(framework.agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX,
                         &framework.queue));
  CHECK(hsa_amd_profiling_set_profiler_enabled(framework.queue, 1));
  const int file = open(name, O_RDONLY);
  if (file < 0) {
    perror(name);
    exit(2);
  }
  hsa_code_object_reader_t reader;
  CHECK(hsa_code_object_reader_create_from_file(file, &reader));
  close(file);
  CHECK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                  &framework.executable));
  CHECK(hsa_executable_load_agent_code_object(framework.executable, framework.agent, reader, NULL, NULL));
  CHECK(hsa_executable_freeze(framework.executable, NULL));
  CHECK(hsa_signal_create(0, 0, NULL, &framework.done));
  CHECK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &framework.hertz));
}

static inline const struct kernel* kernel_named(const char* name) {
  struct kernel* kernel = framework.kernels;
  while (kernel < framework.kernels + kMostKernels - 1 && kernel->object != 0 &&
         strcmp(name, kernel->name) != 0)
    kernel++;
  if (kernel->object != 0) return kernel;
  char symbol_name[80];
  hsa_executable_symbol_t symbol;
  snprintf(symbol_name, sizeof symbol_name, "%s.kd", name);
  CHECK(hsa_executable_get_symbol_by_name(framework.executable, symbol_name, &framework.agent, &symbol));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel->object));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                       &kernel->group_bytes));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
                                       &kernel->kernarg_bytes));
  CHECK(hsa_memory_allocate(framework.fine, kernel->kernarg_bytes, &kernel->kernarg));
  snprintf(kernel->name, sizeof kernel->name, "%s", name);
  return kernel;
}

// Two dimensions of `threads`, multiples of `group`. The launch before has ended.
static inline void launch_2d(const char* name, const size_t threads[2], const size_t group[2], unsigned count,
                             const struct argument* arguments) {
  const struct kernel* const kernel = kernel_named(name);
  size_t at = 0;
  for (unsigned i = 0; i < count; i++) {
    const struct shared* const memory = arguments[i].memory;
    const size_t bytes = memory != NULL ? sizeof memory->host : arguments[i].bytes;
    at = (at + bytes - 1) / bytes * bytes;
    memcpy((char*)kernel->kernarg + at, memory != NULL ? (const void*)&memory->host : arguments[i].value,
           bytes);
    at += bytes;
  }
  hsa_signal_store_relaxed(framework.done, 1);
  hsa_queue_t* const queue = framework.queue;
  const uint64_t number = hsa_queue_add_write_index_relaxed(queue, 1);
  hsa_kernel_dispatch_packet_t* const packet =
      (hsa_kernel_dispatch_packet_t*)queue->base_address + number % queue->size;
  memset((char*)packet + 4, 0, sizeof *packet - 4);
  packet->setup = (threads[1] > 1 ? 2 : 1) << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet->workgroup_size_x = (uint16_t)group[0];
  packet->workgroup_size_y = (uint16_t)group[1];
  packet->workgroup_size_z = 1;
  packet->grid_size_x = (uint32_t)threads[0];
  packet->grid_size_y = (uint32_t)threads[1];
  packet->grid_size_z = 1;
  packet->group_segment_size = kernel->group_bytes;
  packet->kernel_object = kernel->object;
  packet->kernarg_address = kernel->kernarg;
  packet->completion_signal = framework.done;
  const uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                          1 << HSA_PACKET_HEADER_BARRIER |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  __atomic_store_n(&packet->header, header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)number);
}

static inline void wait_for_gpu(void) {
  while (hsa_signal_wait_scacquire(framework.done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                   waits_actively ? HSA_WAIT_STATE_ACTIVE : HSA_WAIT_STATE_BLOCKED) > 0) {
  }
}

// Of the last launch, which has ended.
static inline double kernel_ns(void) {
  hsa_amd_profiling_dispatch_time_t time;
  CHECK(hsa_amd_profiling_get_dispatch_time(framework.agent, framework.done, &time));
  return (double)(time.end - time.start) * 1e9 / (double)framework.hertz;
}

static inline void allocate_shared(struct shared* memory) {
  if (framework.method == kHsaCoarse) {
    CHECK(hsa_memory_allocate(framework.coarse, memory->bytes, &memory->host));
  } else {
    if (posix_memalign(&memory->host, 4096, memory->bytes) != 0) memory->host = NULL;
    if (memory->host != NULL) CHECK(hsa_memory_register(memory->host, memory->bytes));
  }
}

// Both sides have one memory.
static inline void to_gpu(const struct shared* memory) { (void)memory; }
static inline void to_host(const struct shared* memory) { (void)memory; }
