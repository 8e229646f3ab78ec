// Modules, libraries and the linker of the driver interface. A library is a module, and a kernel of it a
// function: nothing is loaded later than asked. The linker takes PTX; what it completes is PTX text.
#include <algorithm>
#include <cstring>
#include <set>

#include "base/error.h"
#include "driver_api.h"
#include "modules.h"
#include "ptx_link.h"

using duet::Address;
using duet::Bytes;
using duet::cuda::Function;
using duet::cuda::LoadResult;
using duet::cuda::Module;
using duet::cuda::Session;
using duet::cuda::ThreadState;
using duet::cuda::valid_module;

extern "C" int duet_unsupported(const char* name);

// What cuLinkCreate began.
struct CUlinkState_st {
  std::vector<std::string> texts;
  std::string linked;
  // The program's, which keeps them while it links.
  unsigned option_count = 0;
  CUjit_option* options = nullptr;
  void** values = nullptr;
};

namespace {

CUfunction handle(Function* function) { return reinterpret_cast<CUfunction>(function); }

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

cudaError_t load(Session& session, ThreadState& thread, CUmodule* module, const void* image,
                 unsigned count = 0, CUjit_option* options = nullptr, void** values = nullptr) {
  if (module == nullptr || image == nullptr) return cudaErrorInvalidValue;
  if (count != 0 && (options == nullptr || values == nullptr)) return cudaErrorInvalidValue;
  const LoadResult result = duet::cuda::load_module(session, thread, image, module);
  tell(result.message, count, options, values);
  return result.error;
}

cudaError_t load_file(Session& session, ThreadState& thread, CUmodule* module, const char* path) {
  if (module == nullptr || path == nullptr) return cudaErrorInvalidValue;
  return duet::cuda::load_module_file(session, thread, path, module).error;
}

cudaError_t unload(Session& session, CUmodule module) {
  if (!valid_module(module)) return cudaErrorInvalidResourceHandle;
  duet::cuda::unload_module(session, module);
  return cudaSuccess;
}

cudaError_t get_function(Session& session, CUfunction* function, CUmodule module, const char* name) {
  if (function == nullptr || name == nullptr) return cudaErrorInvalidValue;
  if (!valid_module(module)) return cudaErrorInvalidResourceHandle;
  Function* found = session.image_function(module->image, name);
  if (found == nullptr) return cudaErrorSymbolNotFound;
  *function = handle(found);
  return cudaSuccess;
}

cudaError_t get_global(Session& session, CUdeviceptr* address, size_t* bytes, CUmodule module,
                       const char* name, bool only_managed) {
  if (name == nullptr) return cudaErrorInvalidValue;
  if (!valid_module(module)) return cudaErrorInvalidResourceHandle;
  Address found = 0;
  Bytes size = 0;
  bool managed = false;
  if (!duet::cuda::find_variable(session, *module, name, found, size, managed) || (only_managed && !managed))
    return cudaErrorSymbolNotFound;
  if (address != nullptr) *address = found;
  if (bytes != nullptr) *bytes = size;
  return cudaSuccess;
}

const std::vector<duet::ptx::Kernel>& kernels_of(Session& session, CUmodule module) {
  return session.loaded(*module->image).module.kernels;
}

cudaError_t count_functions(Session& session, unsigned* count, CUmodule module) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (!valid_module(module)) return cudaErrorInvalidResourceHandle;
  *count = static_cast<unsigned>(kernels_of(session, module).size());
  return cudaSuccess;
}

cudaError_t list_functions(Session& session, CUfunction* functions, unsigned count, CUmodule module) {
  if (functions == nullptr) return cudaErrorInvalidValue;
  if (!valid_module(module)) return cudaErrorInvalidResourceHandle;
  const auto& kernels = kernels_of(session, module);
  for (unsigned i = 0; i < count && i < kernels.size(); ++i)
    functions[i] = handle(session.image_function(module->image, kernels[i].name));
  return cudaSuccess;
}

CUmodule module_of(CUlibrary library) { return reinterpret_cast<CUmodule>(library); }
CUmodule* module_of(CUlibrary* library) { return reinterpret_cast<CUmodule*>(library); }
CUfunction* function_of(CUkernel* kernel) { return reinterpret_cast<CUfunction*>(kernel); }

cudaError_t get_module(Session& session, CUmodule* module, const void* function) {
  if (module == nullptr) return cudaErrorInvalidValue;
  const Function* found = session.find_function(function);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  *module = duet::cuda::module_of(found->image);
  return *module != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;  // of the program itself
}

// Never destroyed, as the session that guards them.
std::set<CUlinkState>& links() {
  static auto* const all = new std::set<CUlinkState>;
  return *all;
}

cudaError_t add_to_link(Session& session, CUlinkState link, CUjitInputType type, const void* data,
                        std::size_t bytes, const std::string& name) {
  if (!links().contains(link)) return cudaErrorInvalidResourceHandle;
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) {
    duet_unsupported("cuLinkAddData of anything but PTX and fat binaries");
    return cudaErrorNotSupported;
  }
  try {
    link->texts.push_back(duet::cuda::ptx_of_bytes(session, data, bytes, name));
  } catch (const duet::Error& error) {
    std::fprintf(stderr, "duet: %s\n", error.what());
    tell(error.what(), link->option_count, link->options, link->values);
    return cudaErrorInvalidPtx;
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
DUET_CU_BODY(cuModuleUnload, Other, Context, (CUmodule module)) { return unload(session, module); }
DUET_CU_END
DUET_CU_BODY(cuModuleGetFunction, Other, Context,
             (CUfunction * function, CUmodule module, const char* name)) {
  return get_function(session, function, module, name);
}
DUET_CU_END
DUET_CU_BODY(cuModuleGetGlobal_v2, Other, Context,
             (CUdeviceptr * address, size_t* bytes, CUmodule module, const char* name)) {
  return get_global(session, address, bytes, module, name, false);
}
DUET_CU_END
DUET_CU_BODY(cuModuleGetFunctionCount, Other, Context, (unsigned* count, CUmodule module)) {
  return count_functions(session, count, module);
}
DUET_CU_END
DUET_CU_BODY(cuModuleEnumerateFunctions, Other, Context,
             (CUfunction * functions, unsigned count, CUmodule module)) {
  return list_functions(session, functions, count, module);
}
DUET_CU_END
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
DUET_CU_BODY(cuLibraryUnload, Other, Init, (CUlibrary library)) {
  return unload(session, module_of(library));
}
DUET_CU_END
DUET_CU_BODY(cuLibraryGetKernel, Other, Init, (CUkernel * kernel, CUlibrary library, const char* name)) {
  return get_function(session, function_of(kernel), module_of(library), name);
}
DUET_CU_END
DUET_CU_BODY(cuLibraryGetKernelCount, Other, Init, (unsigned* count, CUlibrary library)) {
  return count_functions(session, count, module_of(library));
}
DUET_CU_END
DUET_CU_BODY(cuLibraryEnumerateKernels, Other, Init,
             (CUkernel * kernels, unsigned count, CUlibrary library)) {
  return list_functions(session, function_of(kernels), count, module_of(library));
}
DUET_CU_END
DUET_CU_BODY(cuLibraryGetModule, Other, Context, (CUmodule * module, CUlibrary library)) {
  if (module == nullptr) return cudaErrorInvalidValue;
  if (!valid_module(module_of(library))) return cudaErrorInvalidResourceHandle;
  *module = module_of(library);
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuLibraryGetGlobal, Other, Context,
             (CUdeviceptr * address, size_t* bytes, CUlibrary library, const char* name)) {
  return get_global(session, address, bytes, module_of(library), name, false);
}
DUET_CU_END
DUET_CU_BODY(cuLibraryGetManaged, Other, Context,
             (CUdeviceptr * address, size_t* bytes, CUlibrary library, const char* name)) {
  return get_global(session, address, bytes, module_of(library), name, true);
}
DUET_CU_END
DUET_CU_BODY(cuKernelGetFunction, Other, Context, (CUfunction * function, CUkernel kernel)) {
  if (function == nullptr) return cudaErrorInvalidValue;
  if (session.find_function(kernel) == nullptr) return cudaErrorInvalidResourceHandle;
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
  const auto bytes = duet::cuda::read_file(path);
  if (bytes == nullptr) return cudaErrorFileNotFound;
  return add_to_link(session, link, type, bytes->data(), bytes->size(), path);
}
DUET_CU_END
DUET_CU_BODY(cuLinkComplete, Other, Context, (CUlinkState link, void** image, size_t* bytes)) {
  if (!links().contains(link)) return cudaErrorInvalidResourceHandle;
  if (image == nullptr || link->texts.empty()) return cudaErrorInvalidValue;
  link->linked = link->texts.size() == 1 ? link->texts.front() : duet::cuda::link_ptx(link->texts);
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
