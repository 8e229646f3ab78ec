// How a running program finds functions by their names, in the driver interface and in the runtime's. Also
// the end of programs that ask for private tables: only a statically linked runtime does so.
#include "cuda_driver/entry_points.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstring>
#include <string>
#include <string_view>

#include "cuda_driver/driver_api.h"

using duet::cuda::Session;

namespace {

// The names of one function differ by a version (_v2) and by the meaning of stream 0 (_ptsz, _ptds).
struct Parts {
  std::string_view base, stream;
};
Parts parts_of(std::string_view name) {
  Parts parts{name, {}};
  for (const std::string_view ending : {"_ptsz", "_ptds"})
    if (parts.base.ends_with(ending)) {
      parts.stream = ending;
      parts.base.remove_suffix(ending.size());
    }
  const auto at = parts.base.rfind("_v");
  if (at != std::string_view::npos && at + 3 == parts.base.size()) parts.base = parts.base.substr(0, at);
  return parts;
}

constexpr unsigned kVersion = 13000;  // of the headers' interface

struct Found {
  void* function = nullptr;
  int since = -1;
  bool known = false;  // in some version
};

Found find(std::string_view name, int version, bool per_thread) {
  Found best;
  bool best_fits = false;
  for (std::size_t i = 0; i < duet_driver_name_count; ++i) {
    const auto& entry = duet_driver_names[i];
    const Parts parts = parts_of(entry.name);
    if (parts.base != name || (!per_thread && !parts.stream.empty())) continue;
    best.known = true;
    const bool fits = per_thread == !parts.stream.empty();
    if (entry.since > version || entry.since < best.since ||
        (entry.since == best.since && best_fits && !fits))
      continue;
    best.function = reinterpret_cast<void*>(duet_driver_functions[i]);
    best.since = entry.since;
    best_fits = fits;
  }
  return best;
}

bool known_flags(unsigned long long flags) { return flags <= CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM; }

cudaError_t runtime_find(const char* name, void** function, unsigned version, unsigned long long flags,
                         cudaDriverEntryPointQueryResult* status) {
  if (name == nullptr || function == nullptr || !known_flags(flags)) return cudaErrorInvalidValue;
  const Found found = find(name, static_cast<int>(version), flags == cudaEnablePerThreadDefaultStream);
  *function = found.function;
  if (status != nullptr)
    *status = found.function != nullptr ? cudaDriverEntryPointSuccess
              : found.known             ? cudaDriverEntryPointVersionNotSufficent
                                        : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

}  // namespace

DUET_CU_BODY(cuGetProcAddress_v2, Other, Nothing,
             (const char* name, void** function, int version, cuuint64_t flags,
              CUdriverProcAddressQueryResult* status)) {
  if (name == nullptr || function == nullptr || !known_flags(flags)) return cudaErrorInvalidValue;
  const Found found = find(name, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  *function = found.function;
  if (status != nullptr)
    *status = found.function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
              : found.known             ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                        : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return found.function != nullptr || status != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
}
DUET_CU_END
extern "C" CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

// Names with the ending _ptsz look first for names with this ending.
#define DUET_ENTRY_POINT(ending, default_flags)                                                \
  DUET_API(cudaGetDriverEntryPointByVersion##ending, Other,                                    \
           (const char* name, void** function, unsigned version, unsigned long long flags,     \
            cudaDriverEntryPointQueryResult* status)) {                                        \
    return runtime_find(name, function, version, flags != 0 ? flags : default_flags, status);  \
  }                                                                                            \
  DUET_END                                                                                     \
  DUET_API(cudaGetDriverEntryPoint##ending, Other,                                             \
           (const char* name, void** function, unsigned long long flags,                       \
            cudaDriverEntryPointQueryResult* status)) {                                        \
    return runtime_find(name, function, kVersion, flags != 0 ? flags : default_flags, status); \
  }                                                                                            \
  DUET_END
DUET_ENTRY_POINT(, cudaEnableDefault)
DUET_ENTRY_POINT(_ptsz, cudaEnablePerThreadDefaultStream)

namespace {
// The library of the code at this address, or empty: the program itself.
std::string library_at(const void* code) {
  Dl_info found{};
  struct stat library {
  }, program{};
  if (dladdr(code, &found) == 0 || found.dli_fname == nullptr || stat(found.dli_fname, &library) != 0 ||
      stat("/proc/self/exe", &program) != 0 ||
      (library.st_ino == program.st_ino && library.st_dev == program.st_dev))
    return {};
  const std::string path = found.dli_fname;
  return path.substr(path.rfind('/') + 1);
}
}  // namespace

// A statically linked runtime asks for private tables, and the caller is in the same file. NVRTC, a compiler,
// asks too, and does without.
extern "C" CUresult cuGetExportTable(const void**, const CUuuid*) {
  if (Session::refusal() != cudaSuccess) return CUDA_ERROR_NOT_INITIALIZED;
  const std::string library = library_at(__builtin_return_address(0));
  if (library.starts_with("libnvrtc")) return CUDA_ERROR_NOT_FOUND;
  duet::process::Program::refuse(
      library.empty()
          ? "this program's CUDA runtime is linked statically into it, and has no symbols (strip) or is "
            "older than "
            "CUDA 13, which Duet does not run: build it with NVCC_APPEND_FLAGS=\"-cudart shared\" (no source "
            "change), with `duet nvcc`, or with "
            "`duet cc`"
          : library +
                " has a CUDA runtime of its own linked into it (as cuBLAS and other libraries of "
                "NVIDIA's have), which Duet does not run: use a build of it with the shared runtime "
                "(nvcc -cudart shared), or do without it");
}
