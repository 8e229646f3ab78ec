// Devices and contexts of the driver interface.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/memory_pool.h"
#include "cuda/device/device_calls.h"
#include "cuda/device/device_description.h"
#include "cuda/streams/capture.h"
#include "cuda_driver/driver_api.h"

using duet::cuda::current_context;
using duet::cuda::primary_context;
using duet::cuda::Session;
using duet::cuda::ThreadState;
using duet::cuda::valid_context;

namespace {

cudaError_t check_device(CUdevice device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

cudaDeviceAttr attribute_of(CUdevice_attribute attribute) { return static_cast<cudaDeviceAttr>(attribute); }

// Calls `take` with the device's properties.
template <typename Take>
cudaError_t properties(Session& session, CUdevice device, Take&& take) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  cudaDeviceProp found;
  duet::cuda::describe(session, found);
  take(found);
  return cudaSuccess;
}

cudaError_t wait_for_device(Session& session, ThreadState& thread) {
  using duet::cuda::CallKind;
  if (const cudaError_t error = duet::cuda::check_device_wait(); error != cudaSuccess) return error;
  thread.host->wait(session.cost(CallKind::DeviceSynchronize), [&] { return session.driver().all_idle(); });
  duet::core::trim_pools(session.core());
  session.program().flush_print();
  return cudaSuccess;
}

cudaError_t synchronize(Session& session, ThreadState& thread) {
  const cudaError_t error = duet::cuda::synchronize_device(session, thread);
  session.program().flush_print();
  session.core().synchronized(*thread.host);
  return error;
}

constexpr unsigned kContextFlags = CU_CTX_FLAGS_MASK;

cudaError_t create(ThreadState& thread, CUcontext* context, unsigned flags, CUdevice device) {
  if (context == nullptr || (flags & ~kContextFlags) != 0) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  *context = duet::cuda::add_context(flags);
  thread.contexts.push_back(*context);
  return cudaSuccess;
}

// Null is no context.
void set_current(ThreadState& thread, CUcontext context) {
  if (!thread.contexts.empty()) thread.contexts.pop_back();
  if (context != nullptr) thread.contexts.push_back(context);
}

}  // namespace

DUET_CU_BODY(cuDeviceGet, Other, Init, (CUdevice * device, int ordinal)) {
  if (device == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_device(ordinal); error != cudaSuccess) return error;
  *device = ordinal;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_DO(cuDeviceGetCount, Other, Init, (int* count), duet::cuda::count_devices(count))
DUET_CU_UNLESS(name == nullptr || bytes <= 0, cuDeviceGetName, Other, Init,
               (char* name, int bytes, CUdevice device),
               properties(session, device, [&](const cudaDeviceProp& p) {
                 std::snprintf(name, static_cast<std::size_t>(bytes), "%s", p.name);
               }))
DUET_CU_UNLESS(bytes == nullptr, cuDeviceTotalMem_v2, Other, Init, (size_t * bytes, CUdevice device),
               properties(session, device, [&](const cudaDeviceProp& p) { *bytes = p.totalGlobalMem; }))
DUET_CU_UNLESS(uuid == nullptr, cuDeviceGetUuid_v2, Other, Init, (CUuuid * uuid, CUdevice device),
               properties(session, device, [&](const cudaDeviceProp& p) { *uuid = p.uuid; }))
DUET_CU_UNLESS(uuid == nullptr, cuDeviceGetUuid, Other, Init, (CUuuid * uuid, CUdevice device),
               properties(session, device, [&](const cudaDeviceProp& p) { *uuid = p.uuid; }))
DUET_CU_DO(cuDeviceGetAttribute, Other, Init, (int* value, CUdevice_attribute attribute, CUdevice device),
           duet::cuda::get_device_attribute(session, value, attribute_of(attribute), device))
DUET_CU_UNLESS(major == nullptr || minor == nullptr, cuDeviceComputeCapability, Other, Init,
               (int* major, int* minor, CUdevice device),
               properties(session, device, [&](const cudaDeviceProp& p) {
                 *major = p.major;
                 *minor = p.minor;
               }))
DUET_CU_BODY(cuDeviceGetProperties, Other, Init, (CUdevprop * to, CUdevice device)) {
  if (to == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = properties(session, device, [&](const cudaDeviceProp& p) {
    to->maxThreadsPerBlock = p.maxThreadsPerBlock;
    std::copy_n(p.maxThreadsDim, 3, to->maxThreadsDim);
    std::copy_n(p.maxGridSize, 3, to->maxGridSize);
    to->sharedMemPerBlock = static_cast<int>(p.sharedMemPerBlock);
    to->totalConstantMemory = static_cast<int>(p.totalConstMem);
    to->SIMDWidth = p.warpSize;
    to->memPitch = static_cast<int>(p.memPitch);
    to->regsPerBlock = p.regsPerBlock;
    to->textureAlign = static_cast<int>(p.textureAlignment);
  });
  to->clockRate = static_cast<int>(session.config().gpu.core_clock_khz);
  return error;
}
DUET_CU_END
DUET_CU_DO(cuDeviceGetPCIBusId, Other, Init, (char* id, int bytes, CUdevice device),
           duet::cuda::get_bus_id(id, bytes, device))
DUET_CU_DO(cuDeviceGetByPCIBusId, Other, Init, (CUdevice * device, const char* id),
           duet::cuda::get_device_by_bus_id(device, id))
DUET_CU_DO(cuDeviceCanAccessPeer, Other, Init, (int* can, CUdevice device, CUdevice peer),
           duet::cuda::can_access_peer(can, device, peer))

DUET_CU_BODY(cuDevicePrimaryCtxRetain, Other, Init, (CUcontext * context, CUdevice device)) {
  if (context == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  ++primary_context()->retained;
  primary_context()->alive = true;
  *context = primary_context();
  return cudaSuccess;
}
DUET_CU_END
// Its last user destroys it; the runtime interface is one.
DUET_CU_BODY(cuDevicePrimaryCtxRelease_v2, Other, Init, (CUdevice device)) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  if (primary_context()->retained == 0) return cudaErrorDeviceUninitialized;
  if (primary_context()->retained > 1 || primary_context()->of_runtime) {
    --primary_context()->retained;
    return cudaSuccess;
  }
  if (const cudaError_t error = wait_for_device(session, thread); error != cudaSuccess) return error;
  primary_context()->retained = 0;
  duet::cuda::destroy_context(session, primary_context());
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuDevicePrimaryCtxGetState, Other, Init, (CUdevice device, unsigned* flags, int* active)) {
  if (flags == nullptr || active == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  *flags = primary_context()->flags;
  *active = primary_context()->of_runtime || primary_context()->retained != 0;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuDevicePrimaryCtxSetFlags_v2, Other, Init, (CUdevice device, unsigned flags)) {
  if ((flags & ~kContextFlags) != 0) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  primary_context()->flags = flags;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuDevicePrimaryCtxReset_v2, DeviceSynchronize, Init, (CUdevice device)) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  thread.host->stage_one(session.cost(duet::cuda::CallKind::DeviceSynchronize));
  if (const cudaError_t error = wait_for_device(session, thread); error != cudaSuccess) return error;
  duet::cuda::destroy_context(session, primary_context());
  return cudaSuccess;
}
DUET_CU_END
extern "C" CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return cuDevicePrimaryCtxRelease_v2(device);
}
extern "C" CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}
extern "C" CUresult cuDevicePrimaryCtxReset(CUdevice device) { return cuDevicePrimaryCtxReset_v2(device); }

DUET_CU_BODY(cuCtxCreate_v2, Other, Init, (CUcontext * context, unsigned flags, CUdevice device)) {
  return create(thread, context, flags, device);
}
DUET_CU_END
DUET_CU_BODY(cuCtxCreate_v3, Other, Init,
             (CUcontext * context, CUexecAffinityParam* affinity, int affinities, unsigned flags,
              CUdevice device)) {
  if (affinity != nullptr && affinities != 0) return cudaErrorNotSupported;
  return create(thread, context, flags, device);
}
DUET_CU_END
DUET_CU_BODY(cuCtxCreate_v4, Other, Init,
             (CUcontext * context, CUctxCreateParams* params, unsigned flags, CUdevice device)) {
  if (params != nullptr && (params->numExecAffinityParams != 0 || params->cigParams != nullptr))
    return cudaErrorNotSupported;
  return create(thread, context, flags, device);
}
DUET_CU_END

DUET_CU_BODY(cuCtxDestroy_v2, DeviceSynchronize, Init, (CUcontext context)) {
  if (!valid_context(context) || context->primary) return cudaErrorDeviceUninitialized;
  thread.host->stage_one(session.cost(duet::cuda::CallKind::DeviceSynchronize));
  if (const cudaError_t error = wait_for_device(session, thread); error != cudaSuccess) return error;
  duet::cuda::destroy_context(session, context);
  if (current_context(thread) == context) thread.contexts.pop_back();
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuCtxPushCurrent_v2, Other, Init, (CUcontext context)) {
  if (!valid_context(context)) return cudaErrorDeviceUninitialized;
  thread.contexts.push_back(context);
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuCtxPopCurrent_v2, Other, Init, (CUcontext * context)) {
  if (thread.contexts.empty()) return cudaErrorDeviceUninitialized;
  if (context != nullptr) *context = thread.contexts.back();
  thread.contexts.pop_back();
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuCtxSetCurrent, Other, Init, (CUcontext context)) {
  if (context != nullptr && !valid_context(context)) return cudaErrorDeviceUninitialized;
  set_current(thread, context);
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuCtxGetCurrent, Other, Init, (CUcontext * context)) {
  if (context == nullptr) return cudaErrorInvalidValue;
  *context = current_context(thread);
  return cudaSuccess;
}
DUET_CU_END

DUET_CU_BODY(cuCtxGetDevice, Other, Context, (CUdevice * device)) {
  if (device == nullptr) return cudaErrorInvalidValue;
  *device = 0;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuCtxGetDevice_v2, Other, Init, (CUdevice * device, CUcontext context)) {
  if (device == nullptr) return cudaErrorInvalidValue;
  if (!valid_context(context)) return cudaErrorDeviceUninitialized;
  *device = 0;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuCtxGetFlags, Other, Context, (unsigned* flags)) {
  if (flags == nullptr) return cudaErrorInvalidValue;
  *flags = current_context(thread)->flags;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuCtxSetFlags, Other, Context, (unsigned flags)) {
  if ((flags & ~kContextFlags) != 0) return cudaErrorInvalidValue;
  current_context(thread)->flags = flags;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuCtxGetId, Other, Init, (CUcontext context, unsigned long long* id)) {
  if (id == nullptr) return cudaErrorInvalidValue;
  const CUctx_st* asked = context != nullptr ? context : current_context(thread);
  if (!valid_context(asked)) return cudaErrorDeviceUninitialized;
  *id = asked->id;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuCtxGetApiVersion, Other, Init, (CUcontext context, unsigned* version)) {
  if (version == nullptr) return cudaErrorInvalidValue;
  if (context != nullptr && !valid_context(context)) return cudaErrorDeviceUninitialized;
  *version = 3020;  // of the interface whose names end in _v2
  return cudaSuccess;
}
DUET_CU_END
// All contexts share the device's streams: to wait for one is to wait for the device.
DUET_CU_DO(cuCtxSynchronize, DeviceSynchronize, Context, (void), synchronize(session, thread))
DUET_CU_RUN(cuCtxSynchronize_v2, DeviceSynchronize, Context, (CUcontext context),
            valid_context(context) ? run(synchronize) : cudaErrorDeviceUninitialized)
DUET_CU_DO(cuCtxSetLimit, Other, Context, (CUlimit limit, size_t value),
           duet::cuda::set_limit(session, static_cast<cudaLimit>(limit), value))
DUET_CU_DO(cuCtxGetLimit, Other, Context, (size_t * value, CUlimit limit),
           duet::cuda::get_limit(value, static_cast<cudaLimit>(limit)))
DUET_CU_DO(cuCtxSetCacheConfig, Other, Context, (CUfunc_cache), cudaSuccess)
DUET_CU_DO(cuCtxGetCacheConfig, Other, Context, (CUfunc_cache * config),
           duet::cuda::get_cache(reinterpret_cast<cudaFuncCache*>(config)))
DUET_CU_DO(cuCtxSetSharedMemConfig, Other, Context, (CUsharedconfig), cudaSuccess)
DUET_CU_DO(cuCtxGetSharedMemConfig, Other, Context, (CUsharedconfig * config),
           duet::cuda::get_banks(reinterpret_cast<cudaSharedMemConfig*>(config)))
DUET_CU_DO(cuCtxGetStreamPriorityRange, Other, Context, (int* least, int* greatest),
           duet::cuda::get_priority_range(session, least, greatest))
// Deprecated since CUDA 4: a count of users.
DUET_CU_BODY(cuCtxAttach, Other, Context, (CUcontext * context, unsigned flags)) {
  if (context == nullptr || flags != 0) return cudaErrorInvalidValue;
  *context = current_context(thread);
  ++(*context)->retained;
  return cudaSuccess;
}
DUET_CU_END
extern "C" CUresult cuCtxDetach(CUcontext context) {
  if (valid_context(context) && context->retained != 0) {
    --context->retained;
    return CUDA_SUCCESS;
  }
  return cuCtxDestroy_v2(context);
}
// There is one device: no context lies on another.
DUET_CU_BODY(cuCtxEnablePeerAccess, Other, Context, (CUcontext peer, unsigned flags)) {
  if (flags != 0) return cudaErrorInvalidValue;
  return valid_context(peer) ? cudaErrorPeerAccessUnsupported : cudaErrorDeviceUninitialized;
}
DUET_CU_END
DUET_CU_BODY(cuCtxDisablePeerAccess, Other, Context, (CUcontext peer)) {
  return valid_context(peer) ? cudaErrorPeerAccessNotEnabled : cudaErrorDeviceUninitialized;
}
DUET_CU_END
