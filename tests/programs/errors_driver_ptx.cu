// PTX that is none: refused when it is loaded, and the log names the line. An instruction of PTX that Duet lacks
// refuses its kernel alone, at the launch.
#include <string>

#include "driver_expect.h"
#include "expect.h"

static std::string log_of_last;

static std::string text_of(const char* body) {
  return std::string(".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k()\n{\n"
                     ".reg .b32 %r<4>;\n.reg .pred %p<2>;\n") +
         body + "\nret;\n}\n";
}

static CUresult load(const std::string& text) {
  char log[200] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module = nullptr;
  const CUresult result = cuModuleLoadDataEx(&module, text.c_str(), 2, options, values);
  REQUIRE(reinterpret_cast<size_t>(values[1]) == strlen(log));
  log_of_last = log;
  REQUIRE((result == CUDA_SUCCESS) == (module != nullptr));
  if (module != nullptr) CU(cuModuleUnload(module));
  return result;
}

static bool logged(const char* words) { return log_of_last.find(words) != std::string::npos; }

int main() {
  CHECK(cudaFree(nullptr));
  for (const char* body :
       {"foo;", "foo.u32 %r1, %r2;", "ADD.u32 %r1, %r2, %r3;", "@%p1 foo %r1;", "L: foo;", "{ foo; }"}) {
    CU_STATUS(load(text_of(body)), CUDA_ERROR_INVALID_PTX);
    REQUIRE(logged("ptxas application ptx input, line 8; ") && logged("no instruction"));
  }
  for (const char* body : {"add.u32 %r1, %r2, %r9;", "bra nowhere;", "add.u32 %r1, %r2, %r3", "%r1;"}) {
    CU_STATUS(load(text_of(body)), CUDA_ERROR_INVALID_PTX);
    REQUIRE(logged("ptxas application ptx input, line "));
  }
  CUmodule module;
  CU_STATUS(cuModuleLoadData(&module, text_of("foo;").c_str()), CUDA_ERROR_INVALID_PTX);
  for (const char* body : {"add.u32 %r1, %r2, %r3;", "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%r1], {%r2};",
                           "tcgen05.wait::ld.sync.aligned;", "stacksave.u64 %r1;", "add.weird.u32 %r1, %r2, %r3;"}) {
    CU(load(text_of(body)));
    REQUIRE(log_of_last.empty());
  }
  // A version above 9.0 may have words that Duet does not know.
  std::string newer = text_of("foo;");
  newer.replace(newer.find("7.0"), 3, "9.1");
  CU(load(newer));

  // The linker refuses such a text when it is added.
  CUlinkState link;
  char log[200] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CU(cuLinkCreate(2, options, values, &link));
  std::string text = text_of("foo;");
  CU_STATUS(cuLinkAddData(link, CU_JIT_INPUT_PTX, &text[0], text.size() + 1, "part.ptx", 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_PTX);
  REQUIRE(strstr(log, "ptxas part.ptx, line 8; ") != nullptr);
  CU(cuLinkDestroy(link));
  puts("PASS errors_driver_ptx");
}
