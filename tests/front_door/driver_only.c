/* The driver interface without the runtime: linked with -lcuda, or with DRIVER_LOADED found by dlopen as
 * programs do that run with and without a GPU. Adds 5 to 100 numbers and calls a function that Duet does not
 * have. */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>

#ifdef DRIVER_LOADED
static void* library;
#define NAME(function) #function
#define CALL(function, ...) ((__typeof__(&function))dlsym(library, NAME(function)))(__VA_ARGS__)
#else
#define CALL(function, ...) function(__VA_ARGS__)
#endif
#define CHECK(function, ...)                              \
  do {                                                    \
    CUresult result = CALL(function, __VA_ARGS__);        \
    if (result != CUDA_SUCCESS) {                         \
      printf("%s returned %d\n", #function, (int)result); \
      return 1;                                           \
    }                                                     \
  } while (0)
extern CUresult cuTexRefCreate(void** reference);

static const char module_text[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry add(.param .u64 data)\n{\n.reg .b32 %r<3>;\n.reg .b64 %d<3>;\n"
    "ld.param.u64 %d1, [data];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\n"
    "ld.global.u32 %r2, [%d1];\nadd.u32 %r2, %r2, 5;\nst.global.u32 [%d1], %r2;\nret;\n}\n";

int main(void) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr data;
  unsigned host[100];
  void* parameters[] = {&data};
  void* reference;
#ifdef DRIVER_LOADED
  library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    printf("%s\n", dlerror());
    return 1;
  }
#endif
  for (unsigned i = 0; i < 100; i++) host[i] = i;
  CHECK(cuInit, 0);
  CHECK(cuDeviceGet, &device, 0);
  CHECK(cuCtxCreate_v4, &context, NULL, 0, device);
  CHECK(cuModuleLoadData, &module, module_text);
  CHECK(cuModuleGetFunction, &function, module, "add");
  CHECK(cuMemAlloc_v2, &data, sizeof host);
  CHECK(cuMemcpyHtoD_v2, data, host, sizeof host);
  CHECK(cuLaunchKernel, function, 1, 1, 1, 100, 1, 1, 0, NULL, parameters, NULL);
  CHECK(cuMemcpyDtoH_v2, host, data, sizeof host);
  for (unsigned i = 0; i < 100; i++)
    if (host[i] != i + 5) return 1;
  printf("right, then %d\n", (int)CALL(cuTexRefCreate, &reference));
  return 0;
}
