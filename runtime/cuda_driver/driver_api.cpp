#include "cuda_driver/driver_api.h"

#include "cuda/device/device_calls.h"

#include <atomic>

namespace duet::cuda {

namespace {
std::atomic<bool> initialized = false;
}

CUresult result_of(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidFilterSetting:
    case cudaErrorInvalidNormSetting:
    case cudaErrorInvalidDevicePointer:
      return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol:
      return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    default:
      return static_cast<CUresult>(error);
  }
}

void initialize() { initialized = true; }

// The runtime interface initializes too, and makes the primary context current. So a thread with a context
// has called cuInit.
CUresult refused(Needs needs) {
  if (Session::refusal() != cudaSuccess) return CUDA_ERROR_NOT_INITIALIZED;
  if (needs == Needs::Nothing) return CUDA_SUCCESS;
  Session& session = Session::get();
  const auto lock = session.program().lock();
  const CUctx_st* context = current_context(session.thread());
  if (!initialized && context == nullptr) return CUDA_ERROR_NOT_INITIALIZED;
  if (needs == Needs::Init) return CUDA_SUCCESS;
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return valid_context(context) ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

bool has_context(Session& session, ThreadState& thread, CUstream stream) {
  return session.stream_handle(stream) != nullptr || valid_context(current_context(thread));
}

}  // namespace duet::cuda

extern "C" CUresult cuInit(unsigned flags) {
  static duet::cuda::DriverFunction function{"cuInit", duet::cuda::CallKind::Other};
  return duet::cuda::driver_body(function, duet::cuda::Needs::Nothing,
                                 [&](duet::cuda::Session&, duet::cuda::ThreadState&) {
                                   if (flags != 0) return cudaErrorInvalidValue;
                                   duet::cuda::initialize();
                                   return cudaSuccess;
                                 });
}
DUET_CU_DO(cuDriverGetVersion, Other, Nothing, (int* version), duet::cuda::get_driver_version(version))
// The profiler's window: a run is always recorded whole.
DUET_CU_DO(cuProfilerStart, Other, Context, (void), cudaSuccess)
DUET_CU_DO(cuProfilerStop, Other, Context, (void), cudaSuccess)
