#include "guest/served_calls.h"

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "cuda/modules/fat_binary.h"
#include "cuda_profiler_api.h"
#include "cuda_runtime_api.h"
#include "duet_full_empty.h"
#include "guest/kernel_arguments.h"

extern "C" {
void** __cudaRegisterFatBinary(void* fat_binary);
void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*);
// duet.h has them for programs alone.
void duetMark(const char* name);
void duetHostWork(unsigned long long nanoseconds);
void __cudaRegisterVar(void** handle, char* variable, char*, const char* name, int, size_t bytes, int, int);
}

namespace duet::guest {

namespace {

// What is registered may be used at any time afterwards.
const char* kept(std::string text) {
  static auto* const texts = new std::deque<std::string>;
  return texts->emplace_back(std::move(text)).c_str();
}

std::uint64_t word_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// The code that a compiler registers, copied (fat_binary.h).
struct Wrapper {
  std::uint32_t magic, version;
  std::uint64_t data, other;
};

std::uint64_t register_fat_binary(ArgumentWords& words) {
  process::ProgramSide& program = words.program();
  static auto* const wrappers = new std::deque<Wrapper>;
  Wrapper& wrapper = wrappers->emplace_back();
  program.read(ArgumentWords::pointer<Wrapper>(words.next()), &wrapper, sizeof wrapper);
  struct {
    std::uint32_t magic;
    std::uint16_t version, header_bytes;
  } head{};
  program.read(ArgumentWords::pointer<void>(wrapper.data), &head.magic, sizeof head.magic);
  std::string data;
  if (head.magic == cuda::kContainerMagic) {
    std::uint64_t bytes = 0;
    program.read(ArgumentWords::pointer<void>(wrapper.data), &head, sizeof head);
    program.read(ArgumentWords::pointer<void>(wrapper.data + sizeof head), &bytes, sizeof bytes);
    data.resize(head.header_bytes + bytes);
    program.read(ArgumentWords::pointer<void>(wrapper.data), data.data(), data.size());
  } else {
    data = text_at(program, wrapper.data);
  }
  wrapper.data = word_of(kept(std::move(data)));
  return word_of(__cudaRegisterFatBinary(&wrapper));
}

std::uint64_t nothing_to_do(ArgumentWords&) { return 0; }

void** handle(std::uint64_t word) { return ArgumentWords::pointer<void*>(word); }

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

template <auto launch>
std::uint64_t launch_kernel(ArgumentWords& words) {
  const void* const stub = ArgumentWords::pointer<void>(words.next());
  const dim3 grid = Argument<dim3>(words).get();
  const dim3 block = Argument<dim3>(words).get();
  KernelArguments arguments(words.program(), stub, words.next());
  const std::uint64_t shared_bytes = words.next();
  const auto stream = ArgumentWords::pointer<CUstream_st>(words.next());
  return static_cast<std::uint64_t>(launch(stub, grid, block, arguments.get(), shared_bytes, stream));
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

std::uint64_t error_text(ArgumentWords& words) {
  const auto error = static_cast<cudaError_t>(words.next());
  const bool name = words.next() != 0;
  void* const there = ArgumentWords::pointer<void>(words.next());
  const std::uint64_t bytes = words.next();
  const std::string text = name ? cudaGetErrorName(error) : cudaGetErrorString(error);
  if (bytes == 0) return 0;
  words.program().write(there, text.c_str(), std::min<std::uint64_t>(text.size(), bytes - 1) + 1);
  return 0;
}

#define DUET_SERVE(name) \
  { #name, &Serve < &name> ::call }
// Of a name that C++ overloads, the C function.
using CopyAsync = cudaError_t (*)(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
using MallocTracked = cudaError_t (*)(void**, size_t);
#define DUET_SERVE_C(name, type) \
  { #name, &Serve < static_cast < type>(&name)> ::call }

const std::map<std::string, Served>& all() {
  static const std::map<std::string, Served> calls{
      {"__cudaRegisterFatBinary", register_fat_binary},
      {"__cudaRegisterFatBinaryEnd", nothing_to_do},
      {"__cudaUnregisterFatBinary", nothing_to_do},
      {"__cudaRegisterFunction", register_function},
      {"__cudaRegisterVar", register_variable},
      {"cudaLaunchKernel", launch_kernel<&cudaLaunchKernel>},
      {"cudaLaunchCooperativeKernel", launch_kernel<&cudaLaunchCooperativeKernel>},
      {"cudaLaunchKernelExC", launch_with_configuration},
      {"duetGuestErrorText", error_text},
      DUET_SERVE(cudaArrayGetInfo),
      DUET_SERVE(cudaChooseDevice),
      DUET_SERVE(cudaCreateTextureObject),
      DUET_SERVE(cudaDestroyTextureObject),
      DUET_SERVE(cudaCtxResetPersistingL2Cache),
      DUET_SERVE(cudaDeviceCanAccessPeer),
      DUET_SERVE(cudaDeviceGetAttribute),
      DUET_SERVE(cudaDeviceGetCacheConfig),
      DUET_SERVE(cudaDeviceGetDefaultMemPool),
      DUET_SERVE(cudaDeviceGetLimit),
      DUET_SERVE(cudaDeviceGetSharedMemConfig),
      DUET_SERVE(cudaDeviceGetStreamPriorityRange),
      DUET_SERVE(cudaDeviceReset),
      DUET_SERVE(cudaDeviceSetCacheConfig),
      DUET_SERVE(cudaDeviceSetLimit),
      DUET_SERVE(cudaDeviceSetSharedMemConfig),
      DUET_SERVE(cudaDeviceSynchronize),
      DUET_SERVE(cudaDriverGetVersion),
      DUET_SERVE(cudaEventCreate),
      DUET_SERVE(cudaEventCreateWithFlags),
      DUET_SERVE(cudaEventDestroy),
      DUET_SERVE(cudaEventElapsedTime),
      DUET_SERVE(cudaEventQuery),
      DUET_SERVE(cudaEventRecord),
      DUET_SERVE(cudaEventRecordWithFlags),
      DUET_SERVE(cudaEventSynchronize),
      DUET_SERVE(cudaFree),
      DUET_SERVE(cudaFreeArray),
      DUET_SERVE(cudaFreeAsync),
      DUET_SERVE(cudaFreeHost),
      DUET_SERVE(cudaFuncGetAttributes),
      DUET_SERVE(cudaFuncGetParamInfo),
      DUET_SERVE(cudaFuncSetAttribute),
      DUET_SERVE(cudaFuncSetCacheConfig),
      DUET_SERVE(cudaFuncSetSharedMemConfig),
      DUET_SERVE(cudaGetDevice),
      DUET_SERVE(cudaGetDeviceCount),
      DUET_SERVE(cudaGetDeviceFlags),
      DUET_SERVE(cudaGetDeviceProperties),
      DUET_SERVE(cudaGetLastError),
      DUET_SERVE(cudaGetSymbolAddress),
      DUET_SERVE(cudaGetSymbolSize),
      DUET_SERVE(cudaGraphDestroy),
      DUET_SERVE(cudaGraphExecDestroy),
      DUET_SERVE(cudaGraphInstantiate),
      DUET_SERVE(cudaGraphLaunch),
      DUET_SERVE(cudaHostAlloc),
      DUET_SERVE(cudaHostGetDevicePointer),
      DUET_SERVE(cudaHostGetFlags),
      DUET_SERVE(cudaHostRegister),
      DUET_SERVE(cudaHostUnregister),
      DUET_SERVE(cudaInitDevice),
      DUET_SERVE(cudaMalloc),
      DUET_SERVE(cudaMalloc3D),
      DUET_SERVE(cudaMalloc3DArray),
      DUET_SERVE(cudaMallocArray),
      DUET_SERVE(cudaMallocAsync),
      DUET_SERVE(cudaMallocHost),
      DUET_SERVE(cudaMallocManaged),
      DUET_SERVE(cudaMallocPitch),
      DUET_SERVE(cudaMemAdvise),
      DUET_SERVE(cudaMemGetInfo),
      DUET_SERVE(cudaMemPrefetchAsync),
      DUET_SERVE(cudaMemcpy),
      DUET_SERVE(cudaMemcpy2D),
      DUET_SERVE(cudaMemcpy2DAsync),
      DUET_SERVE(cudaMemcpy2DFromArray),
      DUET_SERVE(cudaMemcpy2DToArray),
      DUET_SERVE(cudaMemcpy3D),
      DUET_SERVE(cudaMemcpy3DAsync),
      DUET_SERVE_C(cudaMemcpyAsync, CopyAsync),
      DUET_SERVE(cudaMemcpyFromSymbol),
      DUET_SERVE(cudaMemcpyFromSymbolAsync),
      DUET_SERVE(cudaMemcpyToSymbol),
      DUET_SERVE(cudaMemcpyToSymbolAsync),
      DUET_SERVE(cudaMemset),
      DUET_SERVE(cudaMemset2D),
      DUET_SERVE(cudaMemset2DAsync),
      DUET_SERVE(cudaMemset3D),
      DUET_SERVE(cudaMemset3DAsync),
      DUET_SERVE(cudaMemsetAsync),
      DUET_SERVE(cudaOccupancyAvailableDynamicSMemPerBlock),
      DUET_SERVE(cudaOccupancyMaxActiveBlocksPerMultiprocessor),
      DUET_SERVE(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
      DUET_SERVE(cudaPeekAtLastError),
      DUET_SERVE(cudaPointerGetAttributes),
      DUET_SERVE(cudaProfilerStart),
      DUET_SERVE(cudaProfilerStop),
      DUET_SERVE(cudaRuntimeGetVersion),
      DUET_SERVE(cudaSetDevice),
      DUET_SERVE(cudaSetDeviceFlags),
      DUET_SERVE(cudaStreamAttachMemAsync),
      DUET_SERVE(cudaStreamBeginCapture),
      DUET_SERVE(cudaStreamCreate),
      DUET_SERVE(cudaStreamCreateWithFlags),
      DUET_SERVE(cudaStreamCreateWithPriority),
      DUET_SERVE(cudaStreamDestroy),
      DUET_SERVE(cudaStreamEndCapture),
      DUET_SERVE(cudaStreamGetFlags),
      DUET_SERVE(cudaStreamGetId),
      DUET_SERVE(cudaStreamGetPriority),
      DUET_SERVE(cudaStreamIsCapturing),
      DUET_SERVE(cudaStreamQuery),
      DUET_SERVE(cudaStreamSynchronize),
      DUET_SERVE(cudaStreamWaitEvent),
      DUET_SERVE(duetFullEmptyEmptyOnKernelEnd),
      DUET_SERVE(duetFullEmptyRelease),
      DUET_SERVE(duetFullEmptySet),
      DUET_SERVE(duetHostWork),
      DUET_SERVE_C(duetMallocTracked, MallocTracked),
      DUET_SERVE(duetMark),
      DUET_SERVE(duetMemcpyAsync),
  };
  return calls;
}
#undef DUET_SERVE
#undef DUET_SERVE_C

}  // namespace

Served served(const std::string& name) {
  const auto found = all().find(name);
  return found != all().end() ? found->second : nullptr;
}

}  // namespace duet::guest
