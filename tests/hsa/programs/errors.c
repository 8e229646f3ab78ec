// Bad arguments get the statuses that hsa.h lists, bad packets the queue's callback, bad files a line.
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>

#include "hsa_test.h"

static struct gpu gpu;

static void check_system(void) {
  const char* text;
  uint16_t minor;
  bool yes;
  uint32_t number;
  CHECK(hsa_status_string(HSA_STATUS_ERROR_INVALID_AGENT, &text));
  EQUAL(strcmp(text, "HSA_STATUS_ERROR_INVALID_AGENT"), 0);
  EQUAL(hsa_status_string((hsa_status_t)0x7777, &text), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_system_get_info((hsa_system_info_t)99, &number), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_iterate_agents(NULL, NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_agent_t no_agent = {77};
  EQUAL(hsa_agent_get_info(no_agent, HSA_AGENT_INFO_NODE, &number), HSA_STATUS_ERROR_INVALID_AGENT);
  EQUAL(hsa_agent_get_info(gpu.agent, (hsa_agent_info_t)999, &number), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_agent_get_exception_policies(gpu.agent, (hsa_profile_t)-1, &minor),
        HSA_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(hsa_system_major_extension_supported(HSA_EXTENSION_FINALIZER, 1, &minor, &yes));
  EQUAL(yes, 1);
  CHECK(hsa_system_extension_supported(HSA_EXTENSION_IMAGES, 1, 0, &yes));
  EQUAL(yes, 0);
  EQUAL(hsa_system_extension_supported(77, 1, 0, &yes), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_isa_t isa;
  EQUAL(hsa_isa_from_name("AMD:AMDGPU:8:0:3", &isa), HSA_STATUS_ERROR_INVALID_ISA_NAME);
  CHECK(hsa_isa_from_name("duet:ptx", &isa));
  EQUAL(hsa_isa_get_info(isa, HSA_ISA_INFO_NAME_LENGTH, 1, &number), HSA_STATUS_ERROR_INVALID_INDEX);
  EQUAL(hsa_amd_ipc_memory_detach(NULL), HSA_STATUS_ERROR);  // not supported: a line says so, once
  EQUAL(hsa_amd_ipc_memory_detach(NULL), HSA_STATUS_ERROR);
}

static void check_memory(void) {
  void* memory;
  const hsa_region_t no_region = {99};
  EQUAL(hsa_memory_allocate(no_region, 64, &memory), HSA_STATUS_ERROR_INVALID_REGION);
  EQUAL(hsa_memory_allocate(gpu.fine, 0, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_memory_allocate(gpu.fine, 64, NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_memory_allocate(gpu.fine, (size_t)1 << 60, &memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EQUAL(hsa_memory_copy(NULL, &memory, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_memory_register(&memory, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(hsa_memory_register(NULL, 0));
  memory = allocate(gpu.fine, 64);
  const hsa_agent_t no_agent = {77};
  EQUAL(hsa_memory_assign_agent(memory, no_agent, HSA_ACCESS_PERMISSION_RW), HSA_STATUS_ERROR_INVALID_AGENT);
  EQUAL(hsa_memory_assign_agent(NULL, gpu.agent, HSA_ACCESS_PERMISSION_RW),
        HSA_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(hsa_memory_assign_agent(memory, gpu.agent, HSA_ACCESS_PERMISSION_RW));
  CHECK(hsa_memory_free(memory));
  CHECK(hsa_memory_free(NULL));
}

static void check_signals_and_queues(void) {
  hsa_signal_t signal = {0};
  EQUAL(hsa_signal_destroy(signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  signal.handle = 12345;
  EQUAL(hsa_signal_destroy(signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EQUAL(hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_EQ, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
  signal.handle = 0;                          // a core would load from any other
  EQUAL(hsa_signal_load_relaxed(signal), 0);  // a line
  const hsa_agent_t twice[2] = {gpu.agent, gpu.agent};
  EQUAL(hsa_signal_create(1, 2, twice, &signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_signal_create(1, 1, NULL, &signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_signal_create(1, 0, NULL, NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_queue_t* queue;
  const hsa_agent_t no_agent = {77};
  EQUAL(hsa_queue_create(no_agent, 64, 0, NULL, NULL, 0, 0, &queue), HSA_STATUS_ERROR_INVALID_AGENT);
  EQUAL(hsa_queue_create(gpu.agent, 63, 0, NULL, NULL, 0, 0, &queue), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_queue_create(gpu.agent, 64, 9, NULL, NULL, 0, 0, &queue), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_queue_create(gpu.cpu, 64, 0, NULL, NULL, 0, 0, &queue), HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  EQUAL(hsa_queue_destroy(NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_queue_destroy((hsa_queue_t*)&queue), HSA_STATUS_ERROR_INVALID_QUEUE);
  EQUAL(hsa_signal_destroy(gpu.queue->doorbell_signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
  // The machine has 24, of which the test holds one.
  hsa_queue_t* all[24];
  for (int i = 0; i < 23; ++i) CHECK(hsa_queue_create(gpu.agent, 64, 0, NULL, NULL, 0, 0, &all[i]));
  EQUAL(hsa_queue_create(gpu.agent, 64, 0, NULL, NULL, 0, 0, &queue), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  for (int i = 0; i < 23; ++i) CHECK(hsa_queue_destroy(all[i]));
  signal = new_signal(0);
  CHECK(hsa_soft_queue_create(gpu.fine, 8, HSA_QUEUE_TYPE_SINGLE, HSA_QUEUE_FEATURE_AGENT_DISPATCH, signal,
                              &queue));
  EQUAL(queue->doorbell_signal.handle, signal.handle);
  EQUAL(*(uint16_t*)queue->base_address, HSA_PACKET_TYPE_INVALID);
  EQUAL(hsa_queue_add_write_index_scacq_screl(queue, 2), 0);
  EQUAL(hsa_queue_cas_write_index_relaxed(queue, 2, 5), 2);
  hsa_queue_store_read_index_screlease(queue, 3);
  EQUAL(hsa_queue_load_write_index_scacquire(queue) - hsa_queue_load_read_index_relaxed(queue), 2);
  CHECK(hsa_queue_destroy(queue));
  EQUAL(hsa_queue_destroy(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
}

static void check_code(const char* folder) {
  hsa_code_object_reader_t reader;
  hsa_executable_t executable;
  hsa_executable_symbol_t symbol;
  EQUAL(hsa_code_object_reader_create_from_file(-1, &reader), HSA_STATUS_ERROR_INVALID_FILE);
  EQUAL(hsa_code_object_reader_create_from_memory(NULL, 4, &reader), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_executable_create_alt((hsa_profile_t)-1, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, &executable),
        HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_executable_create(HSA_PROFILE_BASE, (hsa_executable_state_t)-1, NULL, &executable),
        HSA_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, &executable));
  CHECK(hsa_code_object_reader_create_from_memory("HSA BRIG and so on", 18, &reader));
  EQUAL(hsa_executable_load_agent_code_object(executable, gpu.agent, reader, NULL, NULL),
        HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  hsa_ext_program_t program;
  CHECK(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_BASE,
                               HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, "", &program));
  char brig[64] = "HSA BRIG";
  EQUAL(hsa_ext_program_add_module(program, (hsa_ext_module_t)brig), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  CHECK(hsa_executable_freeze(executable, NULL));
  EQUAL(hsa_executable_freeze(executable, NULL), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  EQUAL(hsa_executable_load_agent_code_object(executable, gpu.agent, reader, NULL, NULL),
        HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  CHECK(hsa_code_object_reader_destroy(reader));
  EQUAL(hsa_code_object_reader_destroy(reader), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  CHECK(hsa_executable_destroy(executable));
  EQUAL(hsa_executable_destroy(executable), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  load_file(&gpu, folder, "kernels.hsaco");
  EQUAL(hsa_executable_get_symbol_by_name(gpu.executable, "none", &gpu.agent, &symbol),
        HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EQUAL(hsa_executable_get_symbol_by_name(gpu.executable, "add", NULL, &symbol),
        HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EQUAL(find_kernel(&gpu, "add").kernarg, 32);  // three pointers and a number, as a multiple of 16
  symbol.handle = 4444;
  uint32_t number;
  EQUAL(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &number),
        HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
}

static hsa_status_t told;
static void tell(hsa_status_t status, hsa_queue_t* queue, void* data) {
  EQUAL(*(hsa_queue_t**)data == queue, 1);
  told = status;
  hsa_signal_t* const wakes = (hsa_signal_t*)((hsa_queue_t**)data + 1);
  hsa_signal_store_relaxed(*wakes, 0);
}

// The packet is refused, and the callback wakes who waits.
static void no_kernel(hsa_kernel_dispatch_packet_t* packet) { packet->kernel_object = 12; }

// A kernel adds in another queue, which may have the number of the refused one.
static void check_another(hsa_queue_t* refused) {
  hsa_queue_t* queue;
  CHECK(hsa_queue_create(gpu.agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &queue));
  hsa_signal_store_relaxed(refused->doorbell_signal, 40);  // nobody hears it
  CHECK(hsa_queue_destroy(refused));
  int* data = allocate(gpu.fine, 64);
  memset(data, 0, 64);
  struct {
    int *a, *b, *out;
    int n;
  }* kernarg = allocate(gpu.fine, sizeof *kernarg);
  kernarg->a = kernarg->b = data;
  kernarg->out = data + 1;
  kernarg->n = 1;
  data[0] = 21;
  const hsa_signal_t done = new_signal(1);
  dispatch(queue, find_kernel(&gpu, "add"), kernarg, 1, 1, 0, done);
  wait_for_zero(done);
  EQUAL(data[1], 42);
  CHECK(hsa_queue_destroy(queue));
}

static void check_refusal(void (*spoil)(hsa_kernel_dispatch_packet_t*), hsa_status_t expected,
                          bool with_another) {
  struct {
    hsa_queue_t* queue;
    hsa_signal_t wakes;
  } own = {NULL, new_signal(1)};
  CHECK(
      hsa_queue_create(gpu.agent, 64, HSA_QUEUE_TYPE_MULTI, tell, &own, UINT32_MAX, UINT32_MAX, &own.queue));
  const struct kernel turn = find_kernel(&gpu, "turn");
  uint64_t number;
  hsa_kernel_dispatch_packet_t* packet = next_packet(own.queue, &number);
  packet->setup = 1;
  packet->workgroup_size_x = packet->grid_size_x = 64;
  packet->workgroup_size_y = packet->workgroup_size_z = packet->grid_size_y = packet->grid_size_z = 1;
  packet->group_segment_size = turn.group;
  packet->kernel_object = turn.object;
  packet->kernarg_address = allocate(gpu.fine, 64);
  spoil(packet);
  told = HSA_STATUS_SUCCESS;
  publish(own.queue, packet, number, HSA_PACKET_TYPE_KERNEL_DISPATCH, 0);
  wait_for_zero(own.wakes);
  EQUAL(told, expected);
  if (with_another) return check_another(own.queue);
  CHECK(hsa_queue_destroy(own.queue));
}
static void no_group_memory(hsa_kernel_dispatch_packet_t* packet) { packet->group_segment_size = 0; }
static void no_arguments(hsa_kernel_dispatch_packet_t* packet) { packet->kernarg_address = NULL; }
static void no_work(hsa_kernel_dispatch_packet_t* packet) { packet->grid_size_x = 0; }
static void large_group(hsa_kernel_dispatch_packet_t* packet) { packet->workgroup_size_x = 60000; }

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  hsa_signal_t signal;
  EQUAL(hsa_signal_create(1, 0, NULL, &signal), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EQUAL(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  CHECK(hsa_init());
  CHECK(hsa_init());
  CHECK(hsa_shut_down());
  gpu = find_gpu();
  check_system();
  check_memory();
  check_signals_and_queues();
  check_code(argv[1]);
  check_refusal(no_kernel, HSA_STATUS_ERROR_INVALID_CODE_OBJECT, false);
  check_refusal(no_kernel, HSA_STATUS_ERROR_INVALID_CODE_OBJECT, true);
  check_refusal(no_group_memory, HSA_STATUS_ERROR_INVALID_ALLOCATION, false);
  check_refusal(no_arguments, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, false);
  check_refusal(no_work, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, false);
  check_refusal(large_group, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, false);
  CHECK(hsa_shut_down());
  EQUAL(hsa_signal_create(1, 0, NULL, &signal), HSA_STATUS_ERROR_NOT_INITIALIZED);
  printf("PASS errors\n");
  return 0;
}
