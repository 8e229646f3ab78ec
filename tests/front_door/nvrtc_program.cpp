// Kernels that are compiled while the program runs: templates by name, a header, a cubin, and what goes
// wrong.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define EXPECT(condition)                                      \
  do {                                                         \
    if (!(condition)) {                                        \
      std::printf("FAIL line %d: %s\n", __LINE__, #condition); \
      std::exit(1);                                            \
    }                                                          \
  } while (0)

static std::string log_of(nvrtcProgram program) {
  size_t bytes = 0;
  EXPECT(nvrtcGetProgramLogSize(program, &bytes) == NVRTC_SUCCESS && bytes >= 1);
  std::vector<char> text(bytes);
  EXPECT(nvrtcGetProgramLog(program, text.data()) == NVRTC_SUCCESS);
  return text.data();
}

static nvrtcProgram program_of(const char* source, const char* name = "some.cu") {
  nvrtcProgram program = nullptr;
  EXPECT(nvrtcCreateProgram(&program, source, name, 0, nullptr, nullptr) == NVRTC_SUCCESS);
  return program;
}

static int run(CUmodule module, const char* kernel) {
  CUfunction function;
  CUdeviceptr data;
  int value = 1;
  EXPECT(cuModuleGetFunction(&function, module, kernel) == CUDA_SUCCESS);
  EXPECT(cuMemAlloc(&data, 4) == CUDA_SUCCESS && cuMemcpyHtoD(data, &value, 4) == CUDA_SUCCESS);
  void* parameters[] = {&data};
  EXPECT(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) == CUDA_SUCCESS);
  EXPECT(cuMemcpyDtoH(&value, data, 4) == CUDA_SUCCESS);
  return value;
}

static void names_and_headers() {
  const char* source =
      "#include \"shapes/add.h\"\n"
      "namespace space { template <int N> __global__ void adds(int* p) { assert(*p == 1); *p = sum(*p, N) + "
      "offset[1]; }\n"
      "__constant__ int more; __global__ void plain(int* p) { *p += more; } }\n";
  const char* header =
      "__constant__ int offset[2] = {10, 20};\n__device__ inline int sum(int a, int b) { return a + b; }\n";
  const char* include_name = "shapes/add.h";
  nvrtcProgram program;
  EXPECT(nvrtcCreateProgram(&program, source, "names.cu", 1, &header, &include_name) == NVRTC_SUCCESS);
  const char* expressions[] = {"space::adds<4>", "&space::adds<7>", "space::plain", "&space::more",
                               "&offset"};
  for (const char* expression : expressions)
    EXPECT(nvrtcAddNameExpression(program, expression) == NVRTC_SUCCESS);
  const char* name = nullptr;
  EXPECT(nvrtcGetLoweredName(program, expressions[0], &name) ==
         NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  const char* options[] = {"-arch=sm_75", "-D", "UNUSED=1", "--std=c++14", "-I/nowhere"};
  const nvrtcResult compiled = nvrtcCompileProgram(program, 5, options);
  if (compiled != NVRTC_SUCCESS) std::printf("%s", log_of(program).c_str());
  EXPECT(compiled == NVRTC_SUCCESS);
  EXPECT(nvrtcAddNameExpression(program, "late") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  EXPECT(nvrtcGetLoweredName(program, "never asked", &name) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  size_t bytes = 0;
  EXPECT(nvrtcGetCUBINSize(program, &bytes) == NVRTC_SUCCESS && bytes > 1);
  std::vector<char> cubin(bytes);
  EXPECT(nvrtcGetCUBIN(program, cubin.data()) == NVRTC_SUCCESS);
  CUmodule module;
  EXPECT(cuModuleLoadData(&module, cubin.data()) == CUDA_SUCCESS);
  EXPECT(nvrtcGetLoweredName(program, expressions[0], &name) == NVRTC_SUCCESS && run(module, name) == 25);
  EXPECT(nvrtcGetLoweredName(program, expressions[1], &name) == NVRTC_SUCCESS && run(module, name) == 28);
  CUdeviceptr more;
  const int value = 41;
  EXPECT(nvrtcGetLoweredName(program, expressions[3], &name) == NVRTC_SUCCESS);
  EXPECT(cuModuleGetGlobal(&more, &bytes, module, name) == CUDA_SUCCESS && bytes == 4);
  EXPECT(cuMemcpyHtoD(more, &value, 4) == CUDA_SUCCESS);
  EXPECT(nvrtcGetLoweredName(program, expressions[2], &name) == NVRTC_SUCCESS && run(module, name) == 42);
  EXPECT(nvrtcGetLoweredName(program, expressions[4], &name) == NVRTC_SUCCESS);
  EXPECT(cuModuleGetGlobal(&more, &bytes, module, name) == CUDA_SUCCESS && bytes == 8);
  EXPECT(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS && program == nullptr);
}

static void ptx_only() {
  nvrtcProgram program = program_of(
      "int unmarked(int a) { return a * 3; }\nstatic __constant__ int never_written;\nextern \"C\" "
      "__global__ void k(int* p) { *p = unmarked(*p) + never_written; }");
  const char* options[] = {"--gpu-architecture=compute_75", "-default-device", "-lineinfo",
                           "--use_fast_math"};
  EXPECT(nvrtcCompileProgram(program, 4, options) == NVRTC_SUCCESS);
  size_t bytes = 1;
  EXPECT(nvrtcGetCUBINSize(program, &bytes) == NVRTC_SUCCESS && bytes == 0);
  EXPECT(nvrtcGetPTXSize(program, &bytes) == NVRTC_SUCCESS);
  std::vector<char> ptx(bytes);
  EXPECT(nvrtcGetPTX(program, ptx.data()) == NVRTC_SUCCESS && std::strlen(ptx.data()) + 1 == bytes);
  CUmodule module;
  EXPECT(cuModuleLoadData(&module, ptx.data()) == CUDA_SUCCESS);
  CUdeviceptr address;
  const int value = 4;
  EXPECT(cuModuleGetGlobal(&address, nullptr, module, "never_written") == CUDA_SUCCESS);
  EXPECT(cuMemcpyHtoD(address, &value, 4) == CUDA_SUCCESS && run(module, "k") == 7);
}

static void errors() {
  nvrtcProgram program = program_of("\n__global__ void k() { nothing = 1; }", "wrong.cu");
  EXPECT(nvrtcCompileProgram(program, 0, nullptr) == NVRTC_ERROR_COMPILATION);
  EXPECT(log_of(program).find("wrong.cu(2): error: ") != std::string::npos);
  EXPECT(log_of(program).find("nothing") != std::string::npos);
  program = program_of("__global__ void k() {}");
  const char* unknown[] = {"--no-such-option"};
  EXPECT(nvrtcCompileProgram(program, 1, unknown) == NVRTC_ERROR_INVALID_OPTION);
  EXPECT(log_of(program).find("--no-such-option") != std::string::npos);
  const char* wrong[] = {"--gpu-architecture=compute_1"};
  EXPECT(nvrtcCompileProgram(program, 1, wrong) == NVRTC_ERROR_INVALID_OPTION);
  EXPECT(nvrtcCompileProgram(nullptr, 0, nullptr) == NVRTC_ERROR_INVALID_PROGRAM);
  EXPECT(nvrtcCreateProgram(&program, nullptr, nullptr, 0, nullptr, nullptr) != NVRTC_SUCCESS);
  EXPECT(std::strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION") == 0);
  int count = 0;
  EXPECT(nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 5);
  std::vector<int> all(count);
  EXPECT(nvrtcGetSupportedArchs(all.data()) == NVRTC_SUCCESS && all[0] >= 50);
}

int main() {
  CUcontext context;
  CUdevice device;
  EXPECT(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
  EXPECT(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS &&
         cuCtxSetCurrent(context) == CUDA_SUCCESS);
  names_and_headers();
  ptx_only();
  errors();
  std::puts("right");
}
