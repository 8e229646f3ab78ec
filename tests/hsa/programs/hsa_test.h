// What HSA test programs share: the first line that differs ends the program with its number, and a GPU with
// a queue, memory and code.
//
//   struct gpu gpu = start(argc, argv, "kernels.hsaco");  // of the folder argv[1]
//   const struct kernel copy = find_kernel(&gpu, "copy");
#include <fcntl.h>
#include <hsa/hsa.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EQUAL(got, expected)                                                                           \
  do {                                                                                                 \
    const long long got_ = (long long)(got), expected_ = (long long)(expected);                        \
    if (got_ != expected_) {                                                                           \
      fprintf(stderr, "%s:%d: %s is 0x%llx, not 0x%llx\n", __FILE__, __LINE__, #got, got_, expected_); \
      exit(1);                                                                                         \
    }                                                                                                  \
  } while (0)
#define CHECK(call) EQUAL(call, HSA_STATUS_SUCCESS)

struct gpu {
  hsa_agent_t cpu, agent;
  hsa_region_t fine, coarse;
  hsa_queue_t* queue;
  hsa_executable_t executable;
};
struct kernel {
  uint64_t object;
  uint32_t kernarg, group, private_segment;
};

static inline hsa_status_t keep_agent(hsa_agent_t agent, void* data) {
  struct gpu* gpu = data;
  hsa_device_type_t type;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  if (type == HSA_DEVICE_TYPE_GPU) gpu->agent = agent;
  if (type == HSA_DEVICE_TYPE_CPU) gpu->cpu = agent;
  return HSA_STATUS_SUCCESS;
}

static inline hsa_status_t keep_region(hsa_region_t region, void* data) {
  struct gpu* gpu = data;
  hsa_region_segment_t segment;
  CHECK(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
  if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  uint32_t flags;
  CHECK(hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
  if (flags & HSA_REGION_GLOBAL_FLAG_KERNARG) gpu->fine = region;
  if (flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED) gpu->coarse = region;
  return HSA_STATUS_SUCCESS;
}

static inline struct gpu find_gpu(void) {
  struct gpu gpu;
  memset(&gpu, 0, sizeof gpu);
  CHECK(hsa_iterate_agents(keep_agent, &gpu));
  CHECK(hsa_agent_iterate_regions(gpu.agent, keep_region, &gpu));
  CHECK(
      hsa_queue_create(gpu.agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &gpu.queue));
  return gpu;
}

static inline void* allocate(hsa_region_t region, size_t bytes) {
  void* memory = NULL;
  CHECK(hsa_memory_allocate(region, bytes, &memory));
  return memory;
}

static inline struct kernel kernel_of(hsa_executable_symbol_t symbol) {
  struct kernel kernel;
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel.object));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
                                       &kernel.kernarg));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                       &kernel.group));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                       &kernel.private_segment));
  return kernel;
}

static inline void load_file(struct gpu* gpu, const char* folder, const char* file_name) {
  char name[4096];
  snprintf(name, sizeof name, "%s/%s", folder, file_name);
  const int file = open(name, O_RDONLY);
  if (file < 0) {
    perror(name);
    exit(1);
  }
  hsa_code_object_reader_t reader;
  CHECK(hsa_code_object_reader_create_from_file(file, &reader));
  close(file);
  CHECK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                  &gpu->executable));
  CHECK(hsa_executable_load_agent_code_object(gpu->executable, gpu->agent, reader, NULL, NULL));
  CHECK(hsa_executable_freeze(gpu->executable, NULL));
  CHECK(hsa_code_object_reader_destroy(reader));
}

// HSA, its GPU, and the code object of the folder.
static inline struct gpu start(int argc, char** argv, const char* file_name) {
  if (argc != 2) exit(2);
  CHECK(hsa_init());
  struct gpu gpu = find_gpu();
  load_file(&gpu, argv[1], file_name);
  return gpu;
}

static inline struct kernel find_kernel(const struct gpu* gpu, const char* name) {
  hsa_executable_symbol_t symbol;
  CHECK(hsa_executable_get_symbol_by_name(gpu->executable, name, &gpu->agent, &symbol));
  return kernel_of(symbol);
}

static inline hsa_signal_t new_signal(hsa_signal_value_t value) {
  hsa_signal_t signal;
  CHECK(hsa_signal_create(value, 0, NULL, &signal));
  return signal;
}

// The place of the next packet, whose body is zeroed and whose header is still INVALID.
static inline void* next_packet(hsa_queue_t* queue, uint64_t* number) {
  *number = hsa_queue_add_write_index_relaxed(queue, 1);
  while (*number - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
  }
  char* packet = (char*)queue->base_address + 64 * (*number % queue->size);
  memset(packet + 2, 0, 62);
  return packet;
}

static inline uint16_t header_of(hsa_packet_type_t type, int barrier) {
  return type << HSA_PACKET_HEADER_TYPE | barrier << HSA_PACKET_HEADER_BARRIER |
         HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
         HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
}

// The packet is the GPU's from now on.
static inline void publish(hsa_queue_t* queue, void* packet, uint64_t number, hsa_packet_type_t type,
                           int barrier) {
  __atomic_store_n((uint16_t*)packet, header_of(type, barrier), __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)number);
}

// One dimension.
static inline void dispatch(hsa_queue_t* queue, struct kernel kernel, void* kernarg, uint32_t size,
                            uint16_t group, int barrier, hsa_signal_t done) {
  uint64_t number;
  hsa_kernel_dispatch_packet_t* packet = next_packet(queue, &number);
  packet->setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet->workgroup_size_x = group;
  packet->workgroup_size_y = packet->workgroup_size_z = 1;
  packet->grid_size_x = size;
  packet->grid_size_y = packet->grid_size_z = 1;
  packet->group_segment_size = kernel.group;
  packet->private_segment_size = kernel.private_segment;
  packet->kernel_object = kernel.object;
  packet->kernarg_address = kernarg;
  packet->completion_signal = done;
  publish(queue, packet, number, HSA_PACKET_TYPE_KERNEL_DISPATCH, barrier);
}

static inline void wait_for_zero(hsa_signal_t signal) {
  EQUAL(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
}
