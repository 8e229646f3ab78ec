// Modules of versions and targets that do not exist: refused when they are loaded, with a line in the log.
#include <string>

#include "driver_expect.h"
#include "expect.h"

static CUresult load(const char* version, const char* target, bool& told) {
  const std::string text = std::string(".version ") + version + "\n.target " + target +
                           "\n.address_size 64\n.visible .entry k() { ret; }\n";
  char log[200] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module;
  const CUresult result = cuModuleLoadDataEx(&module, text.c_str(), 2, options, values);
  told = log[0] != 0;
  return result;
}

int main() {
  CHECK(cudaFree(nullptr));
  bool told;
  for (const char* version : {"99.0", "42.0", "10.0"}) {
    CU_STATUS(load(version, "sm_52", told), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    REQUIRE(told);
  }
  for (const char* target : {"sm_999", "sm_51", "sm_0"}) {
    CU_STATUS(load("7.0", target, told), CUDA_ERROR_INVALID_PTX);
    REQUIRE(told);
  }
  for (const char* target : {"sm_20", "sm_52", "sm_90a", "sm_100f", "sm_80, debug"})
    CU(load("9.0", target, told));
  CU(load("1.4", "sm_10", told));
  puts("PASS driver_versions");
}
