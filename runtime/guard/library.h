// The common part of the preloaded libraries. They are loaded into every process of `duet run`, so they need
// the C library alone.
#pragma once

#include <dlfcn.h>

#include <cstddef>

#define DUET_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace duet::guard {

// The path of the folder with our own CUDA library, beside this library; empty when unknown.
const char* own_cuda_folder();
// The file name of a path.
const char* file_name(const char* path);

// A function of the C library behind a function of the same name here. `version` is the programs' default,
// where the C library has several.
inline void* next_function(const char* name, const char* version = nullptr) {
  void* found = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  return found != nullptr ? found : dlsym(RTLD_NEXT, name);
}

}  // namespace duet::guard

// The C library's own `name`, looked up once.
#define DUET_NEXT(name)                                           \
  ([]() -> decltype(&name) {                                      \
    static void* const found = duet::guard::next_function(#name); \
    return reinterpret_cast<decltype(&name)>(found);              \
  }())
