// A vector is copied by a kernel whose packet the program writes itself, in both manners: HSA 1.2's readers
// and executables with vector_copy.hsaco, and HSA 1.0's finalizer with vector_copy.brig, as CLOC's programs
// do it.
//
//   vector_copy FOLDER        of the two files
#include <hsa/hsa_ext_finalize.h>

#include "hsa_test.h"

enum { kItems = 4000 };  // no multiple of the group's 256

// What CLOC puts before a kernel's arguments.
struct hidden {
  uint64_t offset[3], printf_buffer, queue, wrapper;
};

static void check(struct gpu* gpu, struct kernel kernel, int hidden) {
  // CLOC's programs register memory of malloc.
  const size_t bytes = kItems * sizeof(int);
  int* in = hidden ? malloc(bytes) : allocate(gpu->fine, bytes);
  int* out = hidden ? malloc(bytes) : allocate(gpu->fine, bytes);
  if (hidden) {
    CHECK(hsa_memory_register(in, bytes));
    CHECK(hsa_memory_register(out, bytes));
    CHECK(hsa_memory_register(out, bytes));  // again: nothing happens
  }
  for (int i = 0; i < kItems; ++i) in[i] = 3 * i + 1;
  const size_t before = hidden ? sizeof(struct hidden) : 0;
  EQUAL(kernel.kernarg, before + 2 * sizeof(void*));
  char* kernarg = allocate(gpu->fine, kernel.kernarg);
  memset(kernarg, 0xee, kernel.kernarg);
  memcpy(kernarg + before, &in, sizeof in);
  memcpy(kernarg + before + sizeof in, &out, sizeof out);
  const hsa_signal_t done = new_signal(1);
  dispatch(gpu->queue, kernel, kernarg, kItems, 256, 1, done);
  wait_for_zero(done);
  for (int i = 0; i < kItems; ++i) EQUAL(out[i], in[i]);
  CHECK(hsa_signal_destroy(done));
  if (hidden) {
    CHECK(hsa_memory_deregister(in, bytes));
    CHECK(hsa_memory_deregister(out, bytes));
    free(in);
    free(out);
  } else {
    CHECK(hsa_memory_free(in));
    CHECK(hsa_memory_free(out));
  }
  CHECK(hsa_memory_free(kernarg));
}

static char* whole_file(const char* name, size_t* bytes) {
  FILE* file = fopen(name, "rb");
  if (file == NULL) {
    perror(name);
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  *bytes = ftell(file);
  rewind(file);
  char* text = malloc(*bytes);
  EQUAL(fread(text, 1, *bytes, file), *bytes);
  fclose(file);
  return text;
}

static struct kernel finalized(struct gpu* gpu, const char* name) {
  size_t bytes;
  char* module = whole_file(name, &bytes);
  hsa_ext_finalizer_1_00_pfn_t finalizer;
  CHECK(hsa_system_get_extension_table(HSA_EXTENSION_FINALIZER, 1, 0, &finalizer));
  hsa_ext_program_t program;
  CHECK(finalizer.hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                         HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &program));
  CHECK(finalizer.hsa_ext_program_add_module(program, (hsa_ext_module_t)module));
  hsa_isa_t isa;
  CHECK(hsa_agent_get_info(gpu->agent, HSA_AGENT_INFO_ISA, &isa));
  hsa_ext_control_directives_t directives;
  memset(&directives, 0, sizeof directives);
  hsa_code_object_t code_object;
  CHECK(finalizer.hsa_ext_program_finalize(program, isa, 0, directives, "", HSA_CODE_OBJECT_TYPE_PROGRAM,
                                           &code_object));
  CHECK(finalizer.hsa_ext_program_destroy(program));
  hsa_executable_t executable;
  CHECK(hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, "", &executable));
  CHECK(hsa_executable_load_code_object(executable, gpu->agent, code_object, ""));
  CHECK(hsa_executable_freeze(executable, ""));
  hsa_executable_symbol_t symbol;
  CHECK(hsa_executable_get_symbol(executable, NULL, "&__OpenCL_vector_copy_kernel", gpu->agent, 0, &symbol));
  free(module);
  return kernel_of(symbol);
}

int main(int argc, char** argv) {
  struct gpu gpu = start(argc, argv, "vector_copy.hsaco");
  check(&gpu, find_kernel(&gpu, "vector_copy.kd"), 0);
  check(&gpu, find_kernel(&gpu, "vector_copy"), 0);
  char name[4096];
  snprintf(name, sizeof name, "%s/vector_copy.brig", argv[1]);
  check(&gpu, finalized(&gpu, name), 1);
  CHECK(hsa_executable_destroy(gpu.executable));
  CHECK(hsa_queue_destroy(gpu.queue));
  CHECK(hsa_shut_down());
  printf("PASS vector_copy\n");
  return 0;
}
