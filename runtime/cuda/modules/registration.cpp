// The functions for compilers' generated code: registration of GPU code, kernels and variables from static
// constructors, and the launch of a kernel by its handle. Registration costs no simulated time and makes no
// machine; code is compiled when something of it is first used.
#include <memory>
#include <vector>

#include "base/error.h"
#include "cuda/modules/fat_binary.h"
#include "cuda/modules/modules.h"
#include "cuda/session/session.h"
#include "cuda/streams/launch.h"

#define DUET_EXPORT extern "C" __attribute__((visibility("default")))

namespace duet::cuda {
namespace {
struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::vector<Configuration>* configurations = nullptr;

std::vector<Configuration>& configuration_stack() {
  if (configurations == nullptr) configurations = new std::vector<Configuration>;
  return *configurations;
}
Image* image_of(void** handle) { return reinterpret_cast<Image*>(handle); }
}  // namespace
}  // namespace duet::cuda

using duet::cuda::Session;

DUET_EXPORT void** __cudaRegisterFatBinary(void* fat_binary) {
  auto* const image = new duet::cuda::Image;  // the modules take it
  image->text = [image, fat_binary] {
    return duet::cuda::ptx_of_fat_binary(fat_binary, duet::cuda::compute_capability(Session::get()),
                                         image->name);
  };
  Session::when_made(
      [image](Session& session) { session.modules().add(std::unique_ptr<duet::cuda::Image>(image)); });
  return reinterpret_cast<void**>(image);
}
DUET_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}
// The image stays: its kernels may still run in simulated time, and nothing is destroyed at exit.
DUET_EXPORT void __cudaUnregisterFatBinary(void**) {}
// Called before the host first uses a managed variable. A compilation error ends the program.
DUET_EXPORT char __cudaInitModule(void** handle) {
  Session& session = Session::get();
  const auto lock = session.program().lock();
  try {
    session.place_managed(duet::cuda::image_of(handle));
  } catch (const std::exception& error) {
    session.program().end(125, duet::message_of(error));
  }
  return 1;
}

DUET_EXPORT void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, uint3*,
                                        uint3*, dim3*, dim3*, int*) {
  Session::when_made(
      [=](Session& session) { session.modules().add_function(duet::cuda::image_of(handle), stub, name); });
}

DUET_EXPORT void __cudaRegisterVar(void** handle, char* variable, char*, const char* name, int, size_t bytes,
                                   int, int) {
  Session::when_made([=](Session& session) {
    session.register_symbol(duet::cuda::image_of(handle), variable, name, bytes);
  });
}

// The program reaches the variable through the pointer, and names it by its address to cudaMemcpyToSymbol.
DUET_EXPORT void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int, size_t,
                                          int, int) {
  Session::when_made(
      [=](Session& session) { session.register_managed(duet::cuda::image_of(handle), pointer, name); });
}

DUET_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                                 CUstream_st* stream) {
  duet::cuda::configuration_stack().push_back({grid, block, shared_bytes, stream});
  return 0;
}

DUET_EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                                   void* stream) {
  auto& stack = duet::cuda::configuration_stack();
  if (stack.empty()) return cudaErrorMissingConfiguration;
  *grid = stack.back().grid;
  *block = stack.back().block;
  *shared_bytes = stack.back().shared_bytes;
  *static_cast<cudaStream_t*>(stream) = stack.back().stream;
  stack.pop_back();
  return cudaSuccess;
}

DUET_API(__cudaGetKernel, Other, (cudaKernel_t * kernel, const void* stub)) {
  duet::cuda::Function* function = session.modules().function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  *kernel = reinterpret_cast<cudaKernel_t>(function);
  return cudaSuccess;
}
DUET_END

DUET_API(__cudaLaunchKernel, Launch,
         (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
          cudaStream_t stream)) {
  return duet::cuda::launch(session, thread, *reinterpret_cast<duet::cuda::Function*>(kernel), grid, block,
                            arguments, shared_bytes, stream);
}
DUET_END

DUET_API(__cudaLaunchKernel_ptsz, Launch,
         (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
          cudaStream_t stream)) {
  return duet::cuda::launch(session, thread, *reinterpret_cast<duet::cuda::Function*>(kernel), grid, block,
                            arguments, shared_bytes, stream == nullptr ? cudaStreamPerThread : stream);
}
DUET_END
