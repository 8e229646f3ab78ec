// Loaded into every process of `duet run` (LD_PRELOAD), before anything of the program runs: refuses a
// process with a real CUDA runtime or driver in it (DT_RPATH goes before LD_LIBRARY_PATH), because its calls
// would pass Duet by. Of a runtime that is linked into the program, the functions become Duet's.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "guard/library.h"
#include "guard/static_runtime.h"

namespace duet::guard {

const char* own_cuda_folder() {
  static char own[4096];
  static bool found = false;
  if (found) return own;
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&own_cuda_folder), &here) != 0 && here.dli_fname != nullptr)
    if (const char* end = std::strrchr(here.dli_fname, '/'))
      std::snprintf(own, sizeof own, "%.*s/cuda/", static_cast<int>(end - here.dli_fname), here.dli_fname);
  found = true;
  return own;
}

const char* file_name(const char* path) {
  const char* base = std::strrchr(path, '/');
  return base != nullptr ? base + 1 : path;
}

}  // namespace duet::guard

namespace {

// The name of a real CUDA library, when one is mapped.
int inspect(dl_phdr_info* info, std::size_t, void* data) {
  const char* path = info->dlpi_name;
  const char* base = duet::guard::file_name(path);
  const bool cuda = std::strncmp(base, "libcudart.so", 12) == 0 || std::strncmp(base, "libcuda.so", 10) == 0;
  const char* own = duet::guard::own_cuda_folder();
  if (!cuda || own[0] == '\0' || std::strncmp(path, own, std::strlen(own)) == 0) return 0;
  *static_cast<const char**>(data) = path;
  return 1;
}

__attribute__((constructor)) void guard() {
  const char* foreign = nullptr;
  dl_iterate_phdr(inspect, &foreign);
  if (foreign == nullptr) return duet::guard::redirect_static_runtimes();
  std::fprintf(stderr,
               "duet: this program loads the real CUDA library %s (an RPATH goes before LD_LIBRARY_PATH): "
               "link it without "
               "-rpath, or remove the path with `patchelf --remove-rpath`\n",
               foreign);
  if (const char* journal = std::getenv("DUET_JOURNAL")) {
    char path[4096];
    std::snprintf(path, sizeof path, "%s/refused", journal);
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) close(file);
  }
  _exit(125);
}

}  // namespace
