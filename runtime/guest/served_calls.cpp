#include "guest/served_calls.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>

#include "cuda_profiler_api.h"
#include "cuda_runtime_api.h"
#include "duet_full_empty.h"
#include "guest/lasting_room.h"
#include "guest/nested_arguments.h"

extern "C" {
// duet.h has them for programs alone.
void duetMark(const char* name);
void duetHostWork(unsigned long long nanoseconds);
unsigned long long duetRange(unsigned what, const char* message, unsigned long long id);
}

namespace duet::guest {

namespace {

template <auto text_of>
std::uint64_t error_text(ArgumentWords& words) {
  return lasting_text(words.program(), text_of(static_cast<cudaError_t>(words.next())));
}

std::uint64_t function_name(ArgumentWords& words) {
  Argument<std::uint64_t*> there(words);
  const void* const stub = ArgumentWords::pointer<void>(words.next());
  const char* name = nullptr;
  const cudaError_t error = cudaFuncGetName(there.get() != nullptr ? &name : nullptr, stub);
  if (error != cudaSuccess) return static_cast<std::uint64_t>(error);
  *there.get() = lasting_text(words.program(), name);
  if (*there.get() == 0) return cudaErrorMemoryAllocation;
  there.give_back();
  return cudaSuccess;
}

std::uint64_t bus_id(ArgumentWords& words) {
  void* const there = ArgumentWords::pointer<void>(words.next());
  const auto room = static_cast<int>(words.next());
  const auto device = static_cast<int>(words.next());
  std::array<char, 64> text{};
  const cudaError_t error = cudaDeviceGetPCIBusId(there != nullptr ? text.data() : nullptr,
                                                  std::min<int>(room, text.size()), device);
  if (error == cudaSuccess) words.program().write(there, text.data(), std::strlen(text.data()) + 1);
  return static_cast<std::uint64_t>(error);
}

std::uint64_t set_valid_devices(ArgumentWords& words) {
  const std::uint64_t there = words.next();
  const auto count = static_cast<int>(words.next());
  List<int> devices(words.program(), there, static_cast<std::uint64_t>(std::max(count, 0)));
  return static_cast<std::uint64_t>(cudaSetValidDevices(devices.get(), std::max(count, 0)));
}

// (object, attribute, value): the reuse attributes of a pool are ints, all others numbers of 64 bits.
template <auto function, typename Object, typename Attribute>
std::uint64_t attribute_of(ArgumentWords& words) {
  const auto object = Argument<Object>(words).get();
  const auto attribute = static_cast<Attribute>(words.next());
  void* const there = ArgumentWords::pointer<void>(words.next());
  bool is_int = false;
  if constexpr (std::is_same_v<Attribute, cudaMemPoolAttr>)
    is_int = attribute >= cudaMemPoolReuseFollowEventDependencies &&
             attribute <= cudaMemPoolReuseAllowInternalDependencies;
  const Bytes bytes = is_int ? sizeof(int) : sizeof(std::uint64_t);
  std::uint64_t value = 0;
  if (there != nullptr) words.program().read(there, &value, bytes);
  const cudaError_t error = function(object, attribute, there != nullptr ? &value : nullptr);
  if (there != nullptr) words.program().write(there, &value, bytes);
  return static_cast<std::uint64_t>(error);
}

std::uint64_t set_access(ArgumentWords& words) {
  const auto pool = Argument<cudaMemPool_t>(words).get();
  const std::uint64_t there = words.next(), count = words.next();
  List<cudaMemAccessDesc> access(words.program(), there, count);
  return static_cast<std::uint64_t>(cudaMemPoolSetAccess(pool, access.get(), count));
}

#define DUET_SERVE(name) \
  { #name, &Serve < &name> ::call }
// The C function of a name overloaded in C++.
using CopyAsync = cudaError_t (*)(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
using MallocTracked = cudaError_t (*)(void**, size_t);
#define DUET_SERVE_C(name, type) \
  { #name, &Serve < static_cast < type>(&name)> ::call }

const std::map<std::string, Served>& all() {
  static const std::map<std::string, Served> calls{
      {"cudaDeviceGetGraphMemAttribute",
       attribute_of<&cudaDeviceGetGraphMemAttribute, int, cudaGraphMemAttributeType>},
      {"cudaDeviceGetPCIBusId", bus_id},
      {"cudaDeviceSetGraphMemAttribute",
       attribute_of<&cudaDeviceSetGraphMemAttribute, int, cudaGraphMemAttributeType>},
      {"cudaFuncGetName", function_name},
      {"cudaMemPoolGetAttribute", attribute_of<&cudaMemPoolGetAttribute, cudaMemPool_t, cudaMemPoolAttr>},
      {"cudaMemPoolSetAccess", set_access},
      {"cudaMemPoolSetAttribute", attribute_of<&cudaMemPoolSetAttribute, cudaMemPool_t, cudaMemPoolAttr>},
      {"cudaSetValidDevices", set_valid_devices},
      // The program's own functions of these names see to a thread for host functions, and call these.
      {"duetGuestLaunchHostFunc", &Serve<&cudaLaunchHostFunc>::call},
      {"duetGuestStreamAddCallback", &Serve<&cudaStreamAddCallback>::call},
      {"cudaGetErrorName", error_text<&cudaGetErrorName>},
      {"cudaGetErrorString", error_text<&cudaGetErrorString>},
      DUET_SERVE(cudaArrayGetInfo),
      DUET_SERVE(cudaChooseDevice),
      DUET_SERVE(cudaCreateSurfaceObject),
      DUET_SERVE(cudaCreateTextureObject),
      DUET_SERVE(cudaDestroySurfaceObject),
      DUET_SERVE(cudaDestroyTextureObject),
      DUET_SERVE(cudaDeviceCanAccessPeer),
      DUET_SERVE(cudaDeviceGetAttribute),
      DUET_SERVE(cudaDeviceGetByPCIBusId),
      DUET_SERVE(cudaDeviceGetCacheConfig),
      DUET_SERVE(cudaDeviceGetDefaultMemPool),
      DUET_SERVE(cudaDeviceGetLimit),
      DUET_SERVE(cudaDeviceGetMemPool),
      DUET_SERVE(cudaDeviceGetSharedMemConfig),
      DUET_SERVE(cudaDeviceGetStreamPriorityRange),
      DUET_SERVE(cudaDeviceReset),
      DUET_SERVE(cudaDeviceSetCacheConfig),
      DUET_SERVE(cudaDeviceSetLimit),
      DUET_SERVE(cudaDeviceSetMemPool),
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
      DUET_SERVE(cudaGetChannelDesc),
      DUET_SERVE(cudaGetDevice),
      DUET_SERVE(cudaGetDeviceCount),
      DUET_SERVE(cudaGetDeviceFlags),
      DUET_SERVE(cudaGetDeviceProperties),
      DUET_SERVE(cudaGetLastError),
      DUET_SERVE(cudaGetSurfaceObjectResourceDesc),
      DUET_SERVE(cudaGetSymbolAddress),
      DUET_SERVE(cudaGetSymbolSize),
      DUET_SERVE(cudaGetTextureObjectResourceDesc),
      DUET_SERVE(cudaGetTextureObjectTextureDesc),
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
      DUET_SERVE(cudaMallocFromPoolAsync),
      DUET_SERVE(cudaMallocHost),
      DUET_SERVE(cudaMallocManaged),
      DUET_SERVE(cudaMallocPitch),
      DUET_SERVE(cudaMemAdvise),
      DUET_SERVE(cudaMemGetInfo),
      DUET_SERVE(cudaMemPoolCreate),
      DUET_SERVE(cudaMemPoolDestroy),
      DUET_SERVE(cudaMemPoolGetAccess),
      DUET_SERVE(cudaMemPoolTrimTo),
      DUET_SERVE(cudaMemPrefetchAsync),
      DUET_SERVE(cudaMemcpy),
      DUET_SERVE(cudaMemcpy2D),
      DUET_SERVE(cudaMemcpy2DArrayToArray),
      DUET_SERVE(cudaMemcpy2DAsync),
      DUET_SERVE(cudaMemcpy2DFromArray),
      DUET_SERVE(cudaMemcpy2DFromArrayAsync),
      DUET_SERVE(cudaMemcpy2DToArray),
      DUET_SERVE(cudaMemcpy2DToArrayAsync),
      DUET_SERVE(cudaMemcpy3D),
      DUET_SERVE(cudaMemcpy3DAsync),
      DUET_SERVE_C(cudaMemcpyAsync, CopyAsync),
      DUET_SERVE(cudaMemcpyFromArray),
      DUET_SERVE(cudaMemcpyFromArrayAsync),
      DUET_SERVE(cudaMemcpyFromSymbol),
      DUET_SERVE(cudaMemcpyFromSymbolAsync),
      DUET_SERVE(cudaMemcpyPeer),
      DUET_SERVE(cudaMemcpyPeerAsync),
      DUET_SERVE(cudaMemcpyToArray),
      DUET_SERVE(cudaMemcpyToArrayAsync),
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
      DUET_SERVE(cudaStreamCreate),
      DUET_SERVE(cudaStreamCreateWithFlags),
      DUET_SERVE(cudaStreamCreateWithPriority),
      DUET_SERVE(cudaStreamDestroy),
      DUET_SERVE(cudaStreamGetDevice),
      DUET_SERVE(cudaStreamGetFlags),
      DUET_SERVE(cudaStreamGetId),
      DUET_SERVE(cudaStreamGetPriority),
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
      DUET_SERVE(duetRange),
  };
  return calls;
}
#undef DUET_SERVE
#undef DUET_SERVE_C

}  // namespace

ServedName served(const std::string& name) {
  for (const auto* calls : {&all(), &served_graph_calls(), &served_module_calls()})
    if (const auto found = calls->find(name); found != calls->end()) return {found->second, false};
  for (const char* ending : {"_ptsz", "_ptds"})
    if (name.ends_with(ending)) return {served(name.substr(0, name.size() - 5)).function, true};
  return {};
}

}  // namespace duet::guest
