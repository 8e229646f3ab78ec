// Stands where a program looks for the CUDA driver library. A runtime that is linked statically into a
// program loads libcuda.so.1 by itself and trusts nothing else, so such a program cannot run on Duet as it
// is; this library says so the moment it is loaded.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

__attribute__((constructor)) void refuse() {
  std::fflush(nullptr);
  std::fputs(
      "duet: this program asks for the CUDA driver library, as one with a statically linked CUDA runtime "
      "does: build it with "
      "NVCC_APPEND_FLAGS=\"-cudart shared\" (no source change), or with `duet cc`; the driver API itself is "
      "not supported\n",
      stderr);
  if (const char* journal = std::getenv("DUET_JOURNAL")) {
    char path[4096];
    std::snprintf(path, sizeof path, "%s/refused", journal);
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) close(file);
  }
  _exit(125);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int cuInit(unsigned) { return 801; }
