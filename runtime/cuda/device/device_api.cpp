// The one device, as the machine file describes it: limits, versions, waiting for all of it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "core/queues.h"
#include "cuda/device/device_calls.h"
#include "cuda/device/device_description.h"
#include "cuda/session/contexts.h"
#include "cuda/session/session.h"
#include "cuda/streams/capture.h"

using duet::cuda::Session;
using duet::cuda::ThreadState;

namespace {

constexpr int kVersion = 13000;
constexpr size_t kMostGranularity = 128;  // cudaLimitMaxL2FetchGranularity, bytes

using Limits = std::map<cudaLimit, size_t>;

Limits first_limits() {
  return {{cudaLimitStackSize, 1024},           {cudaLimitPrintfFifoSize, 1 << 20},
          {cudaLimitMallocHeapSize, 8 << 20},   {cudaLimitDevRuntimePendingLaunchCount, 2048},
          {cudaLimitMaxL2FetchGranularity, 64}, {cudaLimitPersistingL2CacheSize, 0}};
}

Limits& limits() {
  static auto* const values = new Limits(first_limits());
  return *values;
}

}  // namespace

cudaError_t duet::cuda::synchronize_device(Session& session, ThreadState& thread) {
  if (const cudaError_t error = duet::cuda::check_device_wait(); error != cudaSuccess) return error;
  duet::core::wait_for_device(session.core(), *thread.host);
  return cudaSuccess;
}
DUET_API_SYNC(cudaDeviceSynchronize, DeviceSynchronize, (void)) {
  return duet::cuda::synchronize_device(session, thread);
}
DUET_END

DUET_API_SYNC(cudaDeviceReset, DeviceSynchronize, (void)) {
  if (const cudaError_t error = duet::cuda::synchronize_device(session, thread); error != cudaSuccess)
    return error;
  duet::cuda::destroy_context(session, duet::cuda::primary_context());
  return cudaSuccess;
}
DUET_END

cudaError_t duet::cuda::count_devices(int* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  *count = 1;
  return cudaSuccess;
}
DUET_API(cudaGetDeviceCount, Other, (int* count)) { return duet::cuda::count_devices(count); }
DUET_END
DUET_API(cudaSetDevice, Other, (int device)) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
DUET_END
DUET_API(cudaInitDevice, Other, (int device, unsigned, unsigned)) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
DUET_END
DUET_API(cudaSetValidDevices, Other, (int* devices, int count)) {
  return std::all_of(devices, devices + count, [](int device) { return device == 0; })
             ? cudaSuccess
             : cudaErrorInvalidDevice;
}
DUET_END
DUET_API(cudaGetDevice, Other, (int* device)) {
  if (device == nullptr) return cudaErrorInvalidValue;
  *device = 0;
  return cudaSuccess;
}
DUET_END
DUET_API(cudaChooseDevice, Other, (int* device, const cudaDeviceProp*)) {
  if (device == nullptr) return cudaErrorInvalidValue;
  *device = 0;
  return cudaSuccess;
}
DUET_END

DUET_API(cudaGetDeviceProperties, Other, (cudaDeviceProp * properties, int device)) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (properties == nullptr) return cudaErrorInvalidValue;
  duet::cuda::describe(session, *properties);
  return cudaSuccess;
}
DUET_END
cudaError_t duet::cuda::get_device_attribute(Session& session, int* value, cudaDeviceAttr attribute,
                                             int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (value == nullptr) return cudaErrorInvalidValue;
  return duet::cuda::attribute_value(session, attribute, *value);
}
DUET_API(cudaDeviceGetAttribute, Other, (int* value, cudaDeviceAttr attribute, int device)) {
  return duet::cuda::get_device_attribute(session, value, attribute, device);
}
DUET_END

cudaError_t duet::cuda::get_bus_id(char* id, int length, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (id == nullptr || length < 13) return cudaErrorInvalidValue;
  std::snprintf(id, static_cast<size_t>(length), "0000:00:00.0");
  return cudaSuccess;
}
DUET_API(cudaDeviceGetPCIBusId, Other, (char* id, int length, int device)) {
  return duet::cuda::get_bus_id(id, length, device);
}
DUET_END
cudaError_t duet::cuda::get_device_by_bus_id(int* device, const char* id) {
  if (device == nullptr || id == nullptr) return cudaErrorInvalidValue;
  if (std::strncmp(id, "0000:00:00", 10) != 0) return cudaErrorInvalidDevice;
  *device = 0;
  return cudaSuccess;
}
DUET_API(cudaDeviceGetByPCIBusId, Other, (int* device, const char* id)) {
  return duet::cuda::get_device_by_bus_id(device, id);
}
DUET_END
cudaError_t duet::cuda::can_access_peer(int* can, int device, int peer) {
  if (can == nullptr) return cudaErrorInvalidValue;
  if (device != 0 || peer != 0) return cudaErrorInvalidDevice;
  *can = 0;
  return cudaSuccess;
}
DUET_API(cudaDeviceCanAccessPeer, Other, (int* can, int device, int peer)) {
  return duet::cuda::can_access_peer(can, device, peer);
}
DUET_END

cudaError_t duet::cuda::set_limit(Session& session, cudaLimit limit, size_t value) {
  const auto found = limits().find(limit);
  if (found == limits().end()) return cudaErrorUnsupportedLimit;
  if (limit == cudaLimitStackSize) session.process().set_stack_bytes(value);
  if (limit == cudaLimitMallocHeapSize && !session.process().set_heap_bytes(value))
    return cudaErrorInvalidValue;
  if (limit == cudaLimitDevRuntimePendingLaunchCount) session.process().set_most_pending_launches(value);
  if (limit == cudaLimitPrintfFifoSize && session.modules().has_printed()) return cudaErrorInvalidValue;
  // Hints: cut to what there is.
  if (limit == cudaLimitMaxL2FetchGranularity) value = std::min(value, kMostGranularity);
  if (limit == cudaLimitPersistingL2CacheSize) {
    int most = 0;
    if (const cudaError_t error = attribute_value(session, cudaDevAttrMaxPersistingL2CacheSize, most);
        error != cudaSuccess)
      return error;
    value = std::min(value, static_cast<size_t>(most));
  }
  found->second = value;
  return cudaSuccess;
}
DUET_API(cudaDeviceSetLimit, Other, (cudaLimit limit, size_t value)) {
  return duet::cuda::set_limit(session, limit, value);
}
DUET_END
void duet::cuda::forget_limits(Session& session) {
  for (const auto& [limit, value] : first_limits()) static_cast<void>(set_limit(session, limit, value));
}
cudaError_t duet::cuda::get_limit(size_t* value, cudaLimit limit) {
  const auto found = limits().find(limit);
  if (found == limits().end()) return cudaErrorUnsupportedLimit;
  if (value == nullptr) return cudaErrorInvalidValue;
  *value = found->second;
  return cudaSuccess;
}
DUET_API(cudaDeviceGetLimit, Other, (size_t * value, cudaLimit limit)) {
  return duet::cuda::get_limit(value, limit);
}
DUET_END
// Preferences: this machine's split between L1 and shared memory is fixed by its file.
DUET_API(cudaDeviceSetCacheConfig, Other, (cudaFuncCache)) { return cudaSuccess; }
DUET_END
cudaError_t duet::cuda::get_cache(cudaFuncCache* config) {
  if (config == nullptr) return cudaErrorInvalidValue;
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
DUET_API(cudaDeviceGetCacheConfig, Other, (cudaFuncCache * config)) { return duet::cuda::get_cache(config); }
DUET_END
DUET_API(cudaDeviceSetSharedMemConfig, Other, (cudaSharedMemConfig)) { return cudaSuccess; }
DUET_END
cudaError_t duet::cuda::get_banks(cudaSharedMemConfig* config) {
  if (config == nullptr) return cudaErrorInvalidValue;
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
DUET_API(cudaDeviceGetSharedMemConfig, Other, (cudaSharedMemConfig * config)) {
  return duet::cuda::get_banks(config);
}
DUET_END
cudaError_t duet::cuda::get_priority_range(Session& session, int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = greatest_priority(session);
  return cudaSuccess;
}
DUET_API(cudaDeviceGetStreamPriorityRange, Other, (int* least, int* greatest)) {
  return duet::cuda::get_priority_range(session, least, greatest);
}
DUET_END
// How a host thread waits makes no difference to the simulated clock.
DUET_API(cudaSetDeviceFlags, Other, (unsigned flags)) {
  return (flags & ~cudaDeviceMask) == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
DUET_END
DUET_API(cudaGetDeviceFlags, Other, (unsigned* flags)) {
  if (flags == nullptr) return cudaErrorInvalidValue;
  *flags = cudaDeviceMapHost;
  return cudaSuccess;
}
DUET_END

cudaError_t duet::cuda::get_driver_version(int* version) {
  if (version == nullptr) return cudaErrorInvalidValue;
  *version = kVersion;
  return cudaSuccess;
}
DUET_API(cudaDriverGetVersion, Other, (int* version)) { return duet::cuda::get_driver_version(version); }
DUET_END
DUET_API(cudaRuntimeGetVersion, Other, (int* version)) {
  if (version == nullptr) return cudaErrorInvalidValue;
  *version = kVersion;
  return cudaSuccess;
}
DUET_END
// The profiler's window: a run is always recorded whole.
DUET_API(cudaProfilerStart, Other, (void)) { return cudaSuccess; }
DUET_END
DUET_API(cudaProfilerStop, Other, (void)) { return cudaSuccess; }
DUET_END
