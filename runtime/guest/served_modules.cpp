// Calls of compilers' generated code: registration, launches; and code loaded later.
#include <cstring>
#include <deque>
#include <vector>

#include "cuda/modules/fat_binary.h"
#include "cuda/session/session.h"
#include "guest/served_by_hand.h"

extern "C" {
void** __cudaRegisterFatBinary(void* fat_binary);
void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*);
char __cudaInitModule(void** handle);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, void*, void**, unsigned, void*,
                                void**, unsigned);
void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int, size_t, int, int);
void __cudaRegisterVar(void** handle, char* variable, char*, const char* name, int, size_t bytes, int, int);
}

namespace duet::guest {

namespace {

// Registered data may be used at any time afterwards.
const char* kept(std::string text) {
  static auto* const texts = new std::deque<std::string>;
  return texts->emplace_back(std::move(text)).c_str();
}

std::uint64_t word_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// Code for a GPU (fat_binary.h): a container, or text.
std::string code_at(process::ProgramSide& program, std::uint64_t there) {
  struct {
    std::uint32_t magic;
    std::uint16_t version, header_bytes;
  } head{};
  program.read(ArgumentWords::pointer<void>(there), &head.magic, sizeof head.magic);
  if (head.magic != cuda::kContainerMagic) return text_at(program, there);
  std::uint64_t bytes = 0;
  program.read(ArgumentWords::pointer<void>(there), &head, sizeof head);
  program.read(ArgumentWords::pointer<void>(there + sizeof head), &bytes, sizeof bytes);
  std::vector<char> data = [&] {
    List<char> all(program, there, head.header_bytes + bytes);
    return std::vector<char>(all.get(), all.get() + head.header_bytes + bytes);
  }();
  return {data.begin(), data.end()};
}

// A compiler's registered data.
struct Wrapper {
  std::uint32_t magic, version;
  std::uint64_t data, other;
};
Wrapper* wrapper_at(process::ProgramSide& program, std::uint64_t there) {
  static auto* const wrappers = new std::deque<Wrapper>;
  Wrapper& wrapper = wrappers->emplace_back();
  program.read(ArgumentWords::pointer<Wrapper>(there), &wrapper, sizeof wrapper);
  wrapper.data = word_of(kept(code_at(program, wrapper.data)));
  return &wrapper;
}

}  // namespace

std::uint64_t register_fat_binary(ArgumentWords& words) {
  return word_of(__cudaRegisterFatBinary(wrapper_at(words.program(), words.next())));
}

// Options of the compiler change nothing.
std::uint64_t load_library(ArgumentWords& words) {
  Argument<cudaLibrary_t*> library(words);
  const std::uint64_t there = words.next();
  const void* code = nullptr;
  if (there != 0) {
    std::uint32_t magic = 0;
    words.program().read(ArgumentWords::pointer<void>(there), &magic, sizeof magic);
    code = magic == cuda::kWrapperMagic ? static_cast<const void*>(wrapper_at(words.program(), there))
                                        : kept(code_at(words.program(), there));
  }
  const cudaError_t error =
      cudaLibraryLoadData(library.get(), code, nullptr, nullptr, 0, nullptr, nullptr, 0);
  library.give_back();
  return static_cast<std::uint64_t>(error);
}

std::uint64_t nothing_to_do(ArgumentWords&) { return 0; }

static void** handle(std::uint64_t word) { return ArgumentWords::pointer<void*>(word); }

std::uint64_t register_function(ArgumentWords& words) {
  const std::uint64_t image = words.next(), stub = words.next();
  words.next();
  const char* name = kept(text_at(words.program(), words.next()));
  __cudaRegisterFunction(handle(image), ArgumentWords::pointer<const char>(stub), nullptr, name, 0, nullptr,
                         nullptr, nullptr, nullptr, nullptr);
  return 0;
}

std::uint64_t register_variable(ArgumentWords& words) {
  const std::uint64_t image = words.next(), variable = words.next();
  words.next();
  const char* name = kept(text_at(words.program(), words.next()));
  words.next();
  __cudaRegisterVar(handle(image), ArgumentWords::pointer<char>(variable), nullptr, name, 0, words.next(), 0,
                    0);
  return 0;
}

std::uint64_t register_managed_variable(ArgumentWords& words) {
  const std::uint64_t image = words.next(), pointer = words.next();
  words.next();
  const char* name = kept(text_at(words.program(), words.next()));
  words.next();
  __cudaRegisterManagedVar(handle(image), ArgumentWords::pointer<void*>(pointer), nullptr, name, 0,
                           words.next(), 0, 0);
  return 0;
}

std::uint64_t init_module(ArgumentWords& words) {
  return static_cast<std::uint64_t>(__cudaInitModule(handle(words.next())));
}

// By its handle.
cudaError_t launch_by_handle(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  if (cuda::Session::get().modules().function_of(kernel) == nullptr) return cudaErrorInvalidDeviceFunction;
  return __cudaLaunchKernel(ArgumentWords::pointer<CUkern_st>(word_of(kernel)), grid, block, arguments,
                            shared_bytes, stream);
}

std::uint64_t launch_with_configuration(ArgumentWords& words) {
  Argument<const cudaLaunchConfig_t*> configuration(words);
  if (configuration.get() == nullptr) return cudaErrorInvalidValue;
  cudaLaunchConfig_t own = *configuration.get();
  std::vector<cudaLaunchAttribute> attributes(own.numAttrs);
  if (own.numAttrs != 0)
    words.program().read(own.attrs, attributes.data(), own.numAttrs * sizeof(cudaLaunchAttribute));
  own.attrs = attributes.data();
  const void* const stub = ArgumentWords::pointer<void>(words.next());
  KernelArguments arguments(words.program(), stub, words.next());
  return static_cast<std::uint64_t>(cudaLaunchKernelExC(&own, stub, arguments.get()));
}

std::uint64_t enumerate_kernels(ArgumentWords& words) {
  const std::uint64_t there = words.next();
  const auto count = static_cast<unsigned>(words.next());
  const auto library = Argument<cudaLibrary_t>(words).get();
  List<cudaKernel_t> kernels(words.program(), there, count);
  const cudaError_t error = cudaLibraryEnumerateKernels(kernels.get(), count, library);
  kernels.give_back(words.program(), there);
  return static_cast<std::uint64_t>(error);
}

}  // namespace duet::guest
