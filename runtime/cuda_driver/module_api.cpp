// Modules, libraries and the linker of the driver interface. A library is a module, and a kernel of it a
// function: nothing is loaded later than asked. The linker takes PTX; its result is PTX text.
#include <algorithm>
#include <cstring>
#include <regex>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "core/ptx_link.h"
#include "cuda/modules/module_calls.h"
#include "cuda/modules/modules.h"
#include "cuda_driver/driver_api.h"
#include "ptx/text/parser.h"

using duet::cuda::error_of;
using duet::cuda::Function;
using duet::cuda::Session;
using duet::cuda::ThreadState;
using duet::cuda::valid_module;

// A link begun by cuLinkCreate.
struct CUlinkState_st {
  std::vector<std::string> texts;
  std::string linked;
  // The program's; it keeps them while it links.
  unsigned option_count = 0;
  CUjit_option* options = nullptr;
  void** values = nullptr;
  std::uint32_t most_registers = ~0u;
};

namespace {

// A module is a library of the runtime interface, and its functions are kernels of the library.
cudaLibrary_t library_of(CUmodule module) { return reinterpret_cast<cudaLibrary_t>(module); }
cudaKernel_t* kernel_of(CUfunction* function) { return reinterpret_cast<cudaKernel_t*>(function); }
void** place_of(CUdeviceptr* address) { return reinterpret_cast<void**>(address); }

// Messages go where options say: into a buffer, and how much of it they fill.
void tell(const std::string& message, unsigned count, const CUjit_option* options, void** values) {
  char* buffers[2] = {};
  std::size_t sizes[2] = {};
  std::size_t places[2] = {};
  for (unsigned i = 0; i < count; ++i) {
    const bool error =
        options[i] == CU_JIT_ERROR_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
    if (options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER)
      buffers[error] = static_cast<char*>(values[i]);
    if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      sizes[error] = reinterpret_cast<std::uintptr_t>(values[i]) & 0xffffffff;
      places[error] = i + 1;
    }
  }
  for (unsigned error = 0; error < 2; ++error) {
    const std::string& text = error ? message : std::string();
    std::size_t written = 0;
    if (buffers[error] != nullptr && sizes[error] != 0) {
      written = std::min(text.size(), sizes[error] - 1);
      std::memcpy(buffers[error], text.data(), written);
      buffers[error][written] = '\0';
    }
    if (places[error] != 0) values[places[error] - 1] = reinterpret_cast<void*>(written);
  }
}

// "NAME:LINE: what" as a driver's compiler says it: programs look for the line. Other texts stay as they are.
std::string compiler_log(const std::string& text, const std::string& name) {
  static const std::regex kPlace("[^:\n]*:([0-9]+): ([^\n]*)");
  std::smatch parts;
  if (!std::regex_match(text, parts, kPlace)) return text;
  return "ptxas " + name + ", line " + parts[1].str() + "; fatal   : " + parts[2].str() + "\n";
}
constexpr char kUnnamed[] = "application ptx input";

// Never destroyed, as their guarding session.
std::set<CUlinkState>& links() {
  static auto* const all = new std::set<CUlinkState>;
  return *all;
}

// CU_JIT_MAX_REGISTERS among the options; all others change nothing here.
std::uint32_t most_registers(unsigned count, const CUjit_option* options, void* const* values) {
  std::uint32_t most = ~0u;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == CU_JIT_MAX_REGISTERS)
      most = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(values[i]));
  return most == 0 ? ~0u : most;
}

cudaError_t load(Session& session, ThreadState& thread, CUmodule* module, const void* image,
                 unsigned count = 0, CUjit_option* options = nullptr, void** values = nullptr) {
  if (module == nullptr || image == nullptr) return cudaErrorInvalidValue;
  if (count != 0 && (options == nullptr || values == nullptr)) return cudaErrorInvalidValue;
  std::uint32_t most = most_registers(count, options, values);
  for (const CUlinkState link : links())  // a finished link keeps its options
    if (image == link->linked.data()) most = std::min(most, link->most_registers);
  const duet::core::Status status = duet::cuda::load_module(session, thread, image, module, most);
  tell(compiler_log(status.text, kUnnamed), count, options, values);
  return error_of(status);
}

cudaError_t load_file(Session& session, ThreadState& thread, CUmodule* module, const char* path) {
  if (module == nullptr || path == nullptr) return cudaErrorInvalidValue;
  return error_of(duet::cuda::load_module_file(session, thread, path, module));
}

CUmodule* module_of(CUlibrary* library) { return reinterpret_cast<CUmodule*>(library); }

cudaError_t get_module(Session& session, CUmodule* module, const void* function) {
  if (module == nullptr) return cudaErrorInvalidValue;
  const Function* found = session.modules().find(function);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  *module = duet::cuda::module_of(found->image);
  return *module != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;  // of the program itself
}

cudaError_t add_to_link(Session& session, CUlinkState link, CUjitInputType type, const void* data,
                        std::size_t bytes, const std::string& name) {
  if (!links().contains(link)) return cudaErrorInvalidResourceHandle;
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) {
    duet_unsupported("cuLinkAddData of anything but PTX and fat binaries");
    return cudaErrorNotSupported;
  }
  const auto refuse = [&](const duet::Error& error, cudaError_t number) {
    std::fprintf(stderr, "duet: %s\n", error.what());
    tell(compiler_log(error.what(), name), link->option_count, link->options, link->values);
    return number;
  };
  try {
    std::string text = duet::cuda::ptx_of_bytes(session, data, bytes, name);
    duet::ptx::parse_module(text, name);  // for its errors
    link->texts.push_back(std::move(text));
  } catch (const duet::ptx::NewerVersion& error) {
    return refuse(error, cudaErrorUnsupportedPtxVersion);
  } catch (const duet::Error& error) {
    return refuse(error, cudaErrorInvalidPtx);
  }
  return cudaSuccess;
}

}  // namespace

DUET_CU_BODY(cuModuleLoad, Other, Context, (CUmodule * module, const char* path)) {
  return load_file(session, thread, module, path);
}
DUET_CU_END
DUET_CU_BODY(cuModuleLoadData, Other, Context, (CUmodule * module, const void* image)) {
  return load(session, thread, module, image);
}
DUET_CU_END
DUET_CU_BODY(cuModuleLoadDataEx, Other, Context,
             (CUmodule * module, const void* image, unsigned count, CUjit_option* options, void** values)) {
  return load(session, thread, module, image, count, options, values);
}
DUET_CU_END
DUET_CU_BODY(cuModuleLoadFatBinary, Other, Context, (CUmodule * module, const void* image)) {
  return load(session, thread, module, image);
}
DUET_CU_END
DUET_CU_DO(cuModuleUnload, Other, Context, (CUmodule module),
           duet::cuda::unload_library(session, library_of(module)))
DUET_CU_DO(cuModuleGetFunction, Other, Context, (CUfunction * function, CUmodule module, const char* name),
           duet::cuda::get_kernel(session, kernel_of(function), library_of(module), name))
DUET_CU_DO(cuModuleGetGlobal_v2, Other, Context,
           (CUdeviceptr * address, size_t* bytes, CUmodule module, const char* name),
           duet::cuda::get_variable(session, place_of(address), bytes, library_of(module), name))
DUET_CU_DO(cuModuleGetFunctionCount, Other, Context, (unsigned* count, CUmodule module),
           duet::cuda::count_kernels(session, count, library_of(module)))
DUET_CU_DO(cuModuleEnumerateFunctions, Other, Context,
           (CUfunction * functions, unsigned count, CUmodule module),
           duet::cuda::enumerate_kernels(session, kernel_of(functions), count, library_of(module)))
DUET_CU_BODY(cuModuleGetLoadingMode, Other, Init, (CUmoduleLoadingMode * mode)) {
  if (mode == nullptr) return cudaErrorInvalidValue;
  *mode = CU_MODULE_EAGER_LOADING;
  return cudaSuccess;
}
DUET_CU_END

DUET_CU_BODY(cuLibraryLoadData, Other, Init,
             (CUlibrary * library, const void* image, CUjit_option* options, void** values, unsigned count,
              CUlibraryOption*, void**, unsigned)) {
  return load(session, thread, module_of(library), image, count, options, values);
}
DUET_CU_END
DUET_CU_BODY(cuLibraryLoadFromFile, Other, Init,
             (CUlibrary * library, const char* path, CUjit_option*, void**, unsigned, CUlibraryOption*,
              void**, unsigned)) {
  return load_file(session, thread, module_of(library), path);
}
DUET_CU_END
DUET_CU_DO(cuLibraryUnload, Other, Init, (CUlibrary library), duet::cuda::unload_library(session, library))
DUET_CU_DO(cuLibraryGetKernel, Other, Init, (CUkernel * kernel, CUlibrary library, const char* name),
           duet::cuda::get_kernel(session, kernel, library, name))
DUET_CU_DO(cuLibraryGetKernelCount, Other, Init, (unsigned* count, CUlibrary library),
           duet::cuda::count_kernels(session, count, library))
DUET_CU_DO(cuLibraryEnumerateKernels, Other, Init, (CUkernel * kernels, unsigned count, CUlibrary library),
           duet::cuda::enumerate_kernels(session, kernels, count, library))
DUET_CU_BODY(cuLibraryGetModule, Other, Context, (CUmodule * module, CUlibrary library)) {
  if (module == nullptr) return cudaErrorInvalidValue;
  *module = reinterpret_cast<CUmodule>(library);
  if (!valid_module(*module)) return cudaErrorInvalidResourceHandle;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_DO(cuLibraryGetGlobal, Other, Context,
           (CUdeviceptr * address, size_t* bytes, CUlibrary library, const char* name),
           duet::cuda::get_variable(session, place_of(address), bytes, library, name))
DUET_CU_DO(cuLibraryGetManaged, Other, Context,
           (CUdeviceptr * address, size_t* bytes, CUlibrary library, const char* name),
           duet::cuda::get_managed_variable(session, place_of(address), bytes, library, name))
DUET_CU_BODY(cuKernelGetFunction, Other, Context, (CUfunction * function, CUkernel kernel)) {
  if (function == nullptr) return cudaErrorInvalidValue;
  if (session.modules().find(kernel) == nullptr) return cudaErrorInvalidResourceHandle;
  *function = reinterpret_cast<CUfunction>(kernel);
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuKernelGetLibrary, Other, Init, (CUlibrary * library, CUkernel kernel)) {
  return get_module(session, module_of(library), kernel);
}
DUET_CU_END
DUET_CU_BODY(cuFuncGetModule, Other, Context, (CUmodule * module, CUfunction function)) {
  return get_module(session, module, function);
}
DUET_CU_END

DUET_CU_BODY(cuLinkCreate_v2, Other, Context,
             (unsigned count, CUjit_option* options, void** values, CUlinkState* link)) {
  if (link == nullptr || (count != 0 && (options == nullptr || values == nullptr)))
    return cudaErrorInvalidValue;
  auto* made = new CUlinkState_st;
  made->most_registers = most_registers(count, options, values);
  made->option_count = count;
  made->options = options;
  made->values = values;
  links().insert(made);
  *link = made;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuLinkAddData_v2, Other, Context,
             (CUlinkState link, CUjitInputType type, void* data, size_t bytes, const char* name, unsigned,
              CUjit_option*, void**)) {
  if (data == nullptr || bytes == 0) return cudaErrorInvalidValue;
  return add_to_link(session, link, type, data, bytes, name != nullptr ? name : "linked.ptx");
}
DUET_CU_END
DUET_CU_BODY(cuLinkAddFile_v2, Other, Context,
             (CUlinkState link, CUjitInputType type, const char* path, unsigned, CUjit_option*, void**)) {
  if (path == nullptr) return cudaErrorInvalidValue;
  const auto bytes = duet::read_file(path);
  if (!bytes) return cudaErrorFileNotFound;
  return add_to_link(session, link, type, bytes->data(), bytes->size(), path);
}
DUET_CU_END
DUET_CU_BODY(cuLinkComplete, Other, Context, (CUlinkState link, void** image, size_t* bytes)) {
  if (!links().contains(link)) return cudaErrorInvalidResourceHandle;
  if (image == nullptr || link->texts.empty()) return cudaErrorInvalidValue;
  link->linked = link->texts.size() == 1 ? link->texts.front() : duet::core::link_ptx(link->texts);
  tell("", link->option_count, link->options, link->values);
  *image = link->linked.data();
  if (bytes != nullptr) *bytes = link->linked.size() + 1;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuLinkDestroy, Other, Context, (CUlinkState link)) {
  if (links().erase(link) == 0) return cudaErrorInvalidResourceHandle;
  delete link;
  return cudaSuccess;
}
DUET_CU_END
extern "C" CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* link) {
  return cuLinkCreate_v2(count, options, values, link);
}
extern "C" CUresult cuLinkAddData(CUlinkState link, CUjitInputType type, void* data, size_t bytes,
                                  const char* name, unsigned count, CUjit_option* options, void** values) {
  return cuLinkAddData_v2(link, type, data, bytes, name, count, options, values);
}
extern "C" CUresult cuLinkAddFile(CUlinkState link, CUjitInputType type, const char* path, unsigned count,
                                  CUjit_option* options, void** values) {
  return cuLinkAddFile_v2(link, type, path, count, options, values);
}
