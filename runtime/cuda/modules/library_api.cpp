// Handles of kernels, and libraries: modules under the runtime interface's names.
#include "cuda/modules/module_calls.h"
#include "cuda/modules/modules.h"

using duet::Bytes;
using duet::VirtualAddress;
using duet::cuda::error_of;
using duet::cuda::Function;
using duet::cuda::Module;
using duet::cuda::Session;

namespace {

Module* module_at(cudaLibrary_t library) {
  auto* const module = reinterpret_cast<Module*>(library);
  return duet::cuda::valid_module(module) ? module : nullptr;
}
Module** module_at(cudaLibrary_t* library) { return reinterpret_cast<Module**>(library); }

template <typename Handle>
cudaError_t handle_of(Session& session, Handle* handle, const void* stub) {
  if (handle == nullptr) return cudaErrorInvalidValue;
  Function* function = session.modules().function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  *handle = reinterpret_cast<Handle>(function);
  return cudaSuccess;
}

cudaError_t find(Session& session, void** address, size_t* bytes, cudaLibrary_t library, const char* name,
                 bool only_managed) {
  Module* module = module_at(library);
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  if (name == nullptr || (address == nullptr && bytes == nullptr)) return cudaErrorInvalidValue;
  const auto found = session.modules().find_variable(*module->image, name);
  if (!found || (only_managed && !found->managed)) return cudaErrorSymbolNotFound;
  if (address != nullptr) *address = duet::pointer_of(found->address);
  if (bytes != nullptr) *bytes = found->bytes;
  return cudaSuccess;
}

}  // namespace

DUET_API(cudaGetFuncBySymbol, Other, (cudaFunction_t * function, const void* stub)) {
  return handle_of(session, function, stub);
}
DUET_END
DUET_API(cudaGetKernel, Other, (cudaKernel_t * kernel, const void* stub)) {
  return handle_of(session, kernel, stub);
}
DUET_END

// Options of the compiler change nothing here.
DUET_API(cudaLibraryLoadData, Other,
         (cudaLibrary_t * library, const void* code, void*, void**, unsigned, void*, void**, unsigned)) {
  if (library == nullptr || code == nullptr) return cudaErrorInvalidValue;
  return error_of(duet::cuda::load_module(session, thread, code, module_at(library)));
}
DUET_END
DUET_API(cudaLibraryLoadFromFile, Other,
         (cudaLibrary_t * library, const char* path, void*, void**, unsigned, void*, void**, unsigned)) {
  if (library == nullptr || path == nullptr) return cudaErrorInvalidValue;
  return error_of(duet::cuda::load_module_file(session, thread, path, module_at(library)));
}
DUET_END
cudaError_t duet::cuda::unload_library(Session& session, cudaLibrary_t library) {
  if (module_at(library) == nullptr) return cudaErrorInvalidResourceHandle;
  duet::cuda::unload_module(session, module_at(library));
  return cudaSuccess;
}
DUET_API(cudaLibraryUnload, Other, (cudaLibrary_t library)) {
  return duet::cuda::unload_library(session, library);
}
DUET_END
cudaError_t duet::cuda::get_kernel(Session& session, cudaKernel_t* kernel, cudaLibrary_t library,
                                   const char* name) {
  if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
  Module* module = module_at(library);
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  Function* function = session.modules().function(*module->image, name);
  if (function == nullptr) return cudaErrorSymbolNotFound;
  *kernel = reinterpret_cast<cudaKernel_t>(function);
  return cudaSuccess;
}
DUET_API(cudaLibraryGetKernel, Other, (cudaKernel_t * kernel, cudaLibrary_t library, const char* name)) {
  return duet::cuda::get_kernel(session, kernel, library, name);
}
DUET_END
cudaError_t duet::cuda::count_kernels(Session& session, unsigned* count, cudaLibrary_t library) {
  if (count == nullptr) return cudaErrorInvalidValue;
  Module* module = module_at(library);
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  *count = static_cast<unsigned>(session.modules().loaded(*module->image).module.kernels.size());
  return cudaSuccess;
}
DUET_API(cudaLibraryGetKernelCount, Other, (unsigned* count, cudaLibrary_t library)) {
  return duet::cuda::count_kernels(session, count, library);
}
DUET_END
cudaError_t duet::cuda::enumerate_kernels(Session& session, cudaKernel_t* kernels, unsigned count,
                                          cudaLibrary_t library) {
  if (kernels == nullptr) return cudaErrorInvalidValue;
  Module* module = module_at(library);
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  const auto& all = session.modules().loaded(*module->image).module.kernels;
  for (unsigned i = 0; i < count && i < all.size(); ++i)
    kernels[i] = reinterpret_cast<cudaKernel_t>(session.modules().function(*module->image, all[i].name));
  return cudaSuccess;
}
DUET_API(cudaLibraryEnumerateKernels, Other,
         (cudaKernel_t * kernels, unsigned count, cudaLibrary_t library)) {
  return duet::cuda::enumerate_kernels(session, kernels, count, library);
}
DUET_END
cudaError_t duet::cuda::get_variable(Session& session, void** address, size_t* bytes, cudaLibrary_t library,
                                     const char* name) {
  return find(session, address, bytes, library, name, false);
}
DUET_API(cudaLibraryGetGlobal, Other,
         (void** address, size_t* bytes, cudaLibrary_t library, const char* name)) {
  return duet::cuda::get_variable(session, address, bytes, library, name);
}
DUET_END
cudaError_t duet::cuda::get_managed_variable(Session& session, void** address, size_t* bytes,
                                             cudaLibrary_t library, const char* name) {
  return find(session, address, bytes, library, name, true);
}
DUET_API(cudaLibraryGetManaged, Other,
         (void** address, size_t* bytes, cudaLibrary_t library, const char* name)) {
  return duet::cuda::get_managed_variable(session, address, bytes, library, name);
}
DUET_END
cudaError_t duet::cuda::get_parameter(Session& session, const void* stub, size_t index, size_t* offset,
                                      size_t* bytes) {
  const Function* function = session.modules().function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (offset == nullptr || index >= function->kernel->parameters.size()) return cudaErrorInvalidValue;
  *offset = function->kernel->parameters[index].offset;
  if (bytes != nullptr) *bytes = function->kernel->parameters[index].bytes;
  return cudaSuccess;
}
DUET_API(cudaFuncGetParamInfo, Other, (const void* stub, size_t index, size_t* offset, size_t* bytes)) {
  return duet::cuda::get_parameter(session, stub, index, offset, bytes);
}
DUET_END
