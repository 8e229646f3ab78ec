// Names and texts of the driver interface's errors. Texts are the runtime interface's for the same number.
#include "cuda_driver/driver_api.h"

namespace {
struct ErrorName {
  CUresult error;
  const char* name;
};
#define DUET_NAMED(error) \
  { error, #error }
constexpr ErrorName kErrorNames[] = {DUET_NAMED(CUDA_SUCCESS),
                                     DUET_NAMED(CUDA_ERROR_INVALID_VALUE),
                                     DUET_NAMED(CUDA_ERROR_OUT_OF_MEMORY),
                                     DUET_NAMED(CUDA_ERROR_NOT_INITIALIZED),
                                     DUET_NAMED(CUDA_ERROR_DEINITIALIZED),
                                     DUET_NAMED(CUDA_ERROR_PROFILER_DISABLED),
                                     DUET_NAMED(CUDA_ERROR_PROFILER_NOT_INITIALIZED),
                                     DUET_NAMED(CUDA_ERROR_PROFILER_ALREADY_STARTED),
                                     DUET_NAMED(CUDA_ERROR_PROFILER_ALREADY_STOPPED),
                                     DUET_NAMED(CUDA_ERROR_STUB_LIBRARY),
                                     DUET_NAMED(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER),
                                     DUET_NAMED(CUDA_ERROR_DEVICE_UNAVAILABLE),
                                     DUET_NAMED(CUDA_ERROR_NO_DEVICE),
                                     DUET_NAMED(CUDA_ERROR_INVALID_DEVICE),
                                     DUET_NAMED(CUDA_ERROR_DEVICE_NOT_LICENSED),
                                     DUET_NAMED(CUDA_ERROR_INVALID_IMAGE),
                                     DUET_NAMED(CUDA_ERROR_INVALID_CONTEXT),
                                     DUET_NAMED(CUDA_ERROR_CONTEXT_ALREADY_CURRENT),
                                     DUET_NAMED(CUDA_ERROR_MAP_FAILED),
                                     DUET_NAMED(CUDA_ERROR_UNMAP_FAILED),
                                     DUET_NAMED(CUDA_ERROR_ARRAY_IS_MAPPED),
                                     DUET_NAMED(CUDA_ERROR_ALREADY_MAPPED),
                                     DUET_NAMED(CUDA_ERROR_NO_BINARY_FOR_GPU),
                                     DUET_NAMED(CUDA_ERROR_ALREADY_ACQUIRED),
                                     DUET_NAMED(CUDA_ERROR_NOT_MAPPED),
                                     DUET_NAMED(CUDA_ERROR_NOT_MAPPED_AS_ARRAY),
                                     DUET_NAMED(CUDA_ERROR_NOT_MAPPED_AS_POINTER),
                                     DUET_NAMED(CUDA_ERROR_ECC_UNCORRECTABLE),
                                     DUET_NAMED(CUDA_ERROR_UNSUPPORTED_LIMIT),
                                     DUET_NAMED(CUDA_ERROR_CONTEXT_ALREADY_IN_USE),
                                     DUET_NAMED(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED),
                                     DUET_NAMED(CUDA_ERROR_INVALID_PTX),
                                     DUET_NAMED(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
                                     DUET_NAMED(CUDA_ERROR_NVLINK_UNCORRECTABLE),
                                     DUET_NAMED(CUDA_ERROR_JIT_COMPILER_NOT_FOUND),
                                     DUET_NAMED(CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
                                     DUET_NAMED(CUDA_ERROR_JIT_COMPILATION_DISABLED),
                                     DUET_NAMED(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY),
                                     DUET_NAMED(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC),
                                     DUET_NAMED(CUDA_ERROR_CONTAINED),
                                     DUET_NAMED(CUDA_ERROR_INVALID_SOURCE),
                                     DUET_NAMED(CUDA_ERROR_FILE_NOT_FOUND),
                                     DUET_NAMED(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND),
                                     DUET_NAMED(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED),
                                     DUET_NAMED(CUDA_ERROR_OPERATING_SYSTEM),
                                     DUET_NAMED(CUDA_ERROR_INVALID_HANDLE),
                                     DUET_NAMED(CUDA_ERROR_ILLEGAL_STATE),
                                     DUET_NAMED(CUDA_ERROR_LOSSY_QUERY),
                                     DUET_NAMED(CUDA_ERROR_NOT_FOUND),
                                     DUET_NAMED(CUDA_ERROR_NOT_READY),
                                     DUET_NAMED(CUDA_ERROR_ILLEGAL_ADDRESS),
                                     DUET_NAMED(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
                                     DUET_NAMED(CUDA_ERROR_LAUNCH_TIMEOUT),
                                     DUET_NAMED(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING),
                                     DUET_NAMED(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
                                     DUET_NAMED(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
                                     DUET_NAMED(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE),
                                     DUET_NAMED(CUDA_ERROR_CONTEXT_IS_DESTROYED),
                                     DUET_NAMED(CUDA_ERROR_ASSERT),
                                     DUET_NAMED(CUDA_ERROR_TOO_MANY_PEERS),
                                     DUET_NAMED(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
                                     DUET_NAMED(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
                                     DUET_NAMED(CUDA_ERROR_HARDWARE_STACK_ERROR),
                                     DUET_NAMED(CUDA_ERROR_ILLEGAL_INSTRUCTION),
                                     DUET_NAMED(CUDA_ERROR_MISALIGNED_ADDRESS),
                                     DUET_NAMED(CUDA_ERROR_INVALID_ADDRESS_SPACE),
                                     DUET_NAMED(CUDA_ERROR_INVALID_PC),
                                     DUET_NAMED(CUDA_ERROR_LAUNCH_FAILED),
                                     DUET_NAMED(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE),
                                     DUET_NAMED(CUDA_ERROR_TENSOR_MEMORY_LEAK),
                                     DUET_NAMED(CUDA_ERROR_NOT_PERMITTED),
                                     DUET_NAMED(CUDA_ERROR_NOT_SUPPORTED),
                                     DUET_NAMED(CUDA_ERROR_SYSTEM_NOT_READY),
                                     DUET_NAMED(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH),
                                     DUET_NAMED(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE),
                                     DUET_NAMED(CUDA_ERROR_MPS_CONNECTION_FAILED),
                                     DUET_NAMED(CUDA_ERROR_MPS_RPC_FAILURE),
                                     DUET_NAMED(CUDA_ERROR_MPS_SERVER_NOT_READY),
                                     DUET_NAMED(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED),
                                     DUET_NAMED(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED),
                                     DUET_NAMED(CUDA_ERROR_MPS_CLIENT_TERMINATED),
                                     DUET_NAMED(CUDA_ERROR_CDP_NOT_SUPPORTED),
                                     DUET_NAMED(CUDA_ERROR_CDP_VERSION_MISMATCH),
                                     DUET_NAMED(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
                                     DUET_NAMED(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
                                     DUET_NAMED(CUDA_ERROR_STREAM_CAPTURE_MERGE),
                                     DUET_NAMED(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED),
                                     DUET_NAMED(CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
                                     DUET_NAMED(CUDA_ERROR_STREAM_CAPTURE_ISOLATION),
                                     DUET_NAMED(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
                                     DUET_NAMED(CUDA_ERROR_CAPTURED_EVENT),
                                     DUET_NAMED(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD),
                                     DUET_NAMED(CUDA_ERROR_TIMEOUT),
                                     DUET_NAMED(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE),
                                     DUET_NAMED(CUDA_ERROR_EXTERNAL_DEVICE),
                                     DUET_NAMED(CUDA_ERROR_INVALID_CLUSTER_SIZE),
                                     DUET_NAMED(CUDA_ERROR_FUNCTION_NOT_LOADED),
                                     DUET_NAMED(CUDA_ERROR_INVALID_RESOURCE_TYPE),
                                     DUET_NAMED(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION),
                                     DUET_NAMED(CUDA_ERROR_KEY_ROTATION),
                                     DUET_NAMED(CUDA_ERROR_UNKNOWN)};
}  // namespace

const char* duet::cuda::name_of(CUresult error) {
  for (const ErrorName& known : kErrorNames)
    if (known.error == error) return known.name;
  return nullptr;
}

extern "C" CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = duet::cuda::name_of(error);
  if (*name != nullptr) duet::cuda::note_asked(*name);
  return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
extern "C" CUresult cuGetErrorString(CUresult error, const char** text) {
  const CUresult result = cuGetErrorName(error, text);
  if (result == CUDA_SUCCESS) *text = duet::cuda::error_string(static_cast<cudaError_t>(error));
  return result;
}
