// Variables of a code object: their addresses, and copies from and to them.
#include "hsa_test.h"

static hsa_status_t number_symbols(hsa_executable_t executable, hsa_agent_t agent,
                                   hsa_executable_symbol_t symbol, void* data) {
  (void)executable;
  (void)agent;
  hsa_symbol_kind_t kind;
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind));
  ++((int*)data)[kind];
  return HSA_STATUS_SUCCESS;
}

static void* address_of(const struct gpu* gpu, const char* name, uint32_t bytes, bool constant) {
  hsa_executable_symbol_t symbol;
  CHECK(hsa_executable_get_symbol_by_name(gpu->executable, name, &gpu->agent, &symbol));
  uint32_t size;
  bool is_const;
  uint64_t address, object;
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size));
  EQUAL(size, bytes);
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST, &is_const));
  EQUAL(is_const, constant);
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
  EQUAL(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object),
        HSA_STATUS_ERROR_INVALID_ARGUMENT);
  return (void*)address;
}

int main(int argc, char** argv) {
  struct gpu gpu = start(argc, argv, "variables.hsaco");
  int kinds[3] = {0, 0, 0};
  CHECK(hsa_executable_iterate_agent_symbols(gpu.executable, gpu.agent, number_symbols, kinds));
  EQUAL(kinds[HSA_SYMBOL_KIND_VARIABLE], 2);
  EQUAL(kinds[HSA_SYMBOL_KIND_KERNEL], 1);
  int* counter = address_of(&gpu, "counter", sizeof(int), false);
  address_of(&gpu, "table", 3 * sizeof(int), true);
  int value = 0;
  CHECK(hsa_memory_copy(&value, counter, sizeof value));
  EQUAL(value, 5);
  value = 7;
  CHECK(hsa_memory_copy(counter, &value, sizeof value));
  struct {
    int* out;
    int which;
  }* kernarg = allocate(gpu.fine, sizeof *kernarg);
  int* out = kernarg->out = allocate(gpu.fine, sizeof(int));
  kernarg->which = 1;
  const hsa_signal_t done = new_signal(1);
  dispatch(gpu.queue, find_kernel(&gpu, "count"), kernarg, 1, 1, 0, done);
  wait_for_zero(done);
  EQUAL(*out, 7 + 20);
  CHECK(hsa_memory_copy(&value, counter, sizeof value));
  EQUAL(value, 9);
  CHECK(hsa_shut_down());
  printf("PASS variables\n");
  return 0;
}
