#include "guest/served_calls.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>

#include "cuda_profiler_api.h"
#include "cuda_runtime_api.h"
#include "duet_full_empty.h"
#include "guest/served_by_hand.h"
#include "guest/served_hsa.h"
#include "guest/served_opencl.h"

extern "C" {
// duet.h has them for programs alone.
void duetMark(const char* name);
void duetHostWork(unsigned long long nanoseconds);
cudaError_t duetSharedAlloc(void** pointer, size_t bytes);
cudaError_t duetFlushCpu(const void* pointer, size_t bytes);
cudaError_t duetFlushGpu(const void* pointer, size_t bytes);
unsigned long long duetRange(unsigned what, const char* message, unsigned long long id);
// For compilers' generated code.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub);
}

namespace duet::guest {

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

std::uint64_t set_access(ArgumentWords& words) {
  const auto pool = Argument<cudaMemPool_t>(words).get();
  const std::uint64_t there = words.next(), count = words.next();
  List<cudaMemAccessDesc> access(words.program(), there, count);
  return static_cast<std::uint64_t>(cudaMemPoolSetAccess(pool, access.get(), count));
}

namespace {

// The C functions of names overloaded in C++.
using CopyAsync = cudaError_t (*)(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
using MallocTracked = cudaError_t (*)(void**, size_t);

const std::map<std::string, Served>& all() {
#define PLAIN(name) {#name, &Serve<&name>::call},
#define NODE(name) {#name, &AddNode<&name>::call},
#define BY(name, ...) {#name, __VA_ARGS__},
  static const std::map<std::string, Served> calls{
#include "guest/served.def"
  };
#undef PLAIN
#undef NODE
#undef BY
  return calls;
}

}  // namespace

ServedName served(const std::string& name) {
  if (const Served of_opencl = served_opencl(name)) return {of_opencl, false, Api::OpenCl};
  if (const Served of_hsa = served_hsa(name)) return {of_hsa, false, Api::Hsa};
  if (const auto found = all().find(name); found != all().end()) return {found->second, false, Api::Cuda};
  for (const char* ending : {"_ptsz", "_ptds"})
    if (name.ends_with(ending)) return {served(name.substr(0, name.size() - 5)).function, true, Api::Cuda};
  return {};
}

}  // namespace duet::guest
