// The part of OpenCL inside a program on simulated cores: the addresses of functions, which are the
// program's. All other functions leave it (duet_guest_opencl.S).
#include <string.h>

extern "C" {

struct NamedFunction {
  const char* name;
  void* function;
};
// With a null name behind the last one.
extern const NamedFunction duet_guest_opencl_names[] __attribute__((visibility("hidden")));

void* clGetExtensionFunctionAddress(const char* name) {
  if (name == nullptr) return nullptr;
  for (const NamedFunction* one = duet_guest_opencl_names; one->name != nullptr; ++one)
    if (strcmp(one->name, name) == 0) return one->function;
  return nullptr;
}

void* clGetExtensionFunctionAddressForPlatform(void* platform, const char* name) {
  return platform != nullptr ? clGetExtensionFunctionAddress(name) : nullptr;
}
}
