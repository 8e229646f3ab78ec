// Streams, events and capture of the driver interface: the runtime interface's under other names.
#include "cuda_driver/driver_api.h"

using duet::cuda::pointer_of;
using duet::cuda::primary_context;
using duet::cuda::result_of;
using duet::cuda::Session;

namespace {

// The driver interface's flags and modes have the runtime interface's numbers.
cudaStreamCaptureMode mode_of(CUstreamCaptureMode mode) { return static_cast<cudaStreamCaptureMode>(mode); }

// A callback is called with the driver interface's error.
struct Callback {
  CUstreamCallback function;
  void* data;
};
void call_back(cudaStream_t stream, cudaError_t error, void* data) {
  const auto* callback = static_cast<Callback*>(data);
  callback->function(stream, result_of(error), callback->data);
  delete callback;
}
cudaError_t add_callback(CUstream stream, CUstreamCallback function, void* data, unsigned flags) {
  if (function == nullptr) return cudaErrorInvalidValue;
  auto* callback = new Callback{function, data};
  const cudaError_t error = cudaStreamAddCallback(stream, call_back, callback, flags);
  if (error != cudaSuccess) delete callback;
  return error;
}

}  // namespace

DUET_CU(cuStreamCreate, Context, (CUstream * stream, unsigned flags),
        cudaStreamCreateWithFlags(stream, flags))
DUET_CU(cuStreamCreateWithPriority, Context, (CUstream * stream, unsigned flags, int priority),
        cudaStreamCreateWithPriority(stream, flags, priority))
DUET_CU(cuStreamDestroy_v2, Context, (CUstream stream), cudaStreamDestroy(stream))
DUET_CU(cuStreamGetFlags, Context, (CUstream stream, unsigned* flags), cudaStreamGetFlags(stream, flags))
DUET_CU(cuStreamGetPriority, Context, (CUstream stream, int* priority),
        cudaStreamGetPriority(stream, priority))
DUET_CU(cuStreamGetId, Context, (CUstream stream, unsigned long long* id), cudaStreamGetId(stream, id))
DUET_CU(cuStreamGetDevice, Context, (CUstream stream, CUdevice* device), cudaStreamGetDevice(stream, device))
DUET_CU_BODY(cuStreamGetCtx, Other, Context, (CUstream stream, CUcontext* context)) {
  if (context == nullptr) return cudaErrorInvalidValue;
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  const CUstream_st* handle = session.stream_handle(stream);
  *context = handle != nullptr ? handle->context : duet::cuda::current_context(thread);
  return cudaSuccess;
}
DUET_CU_END
DUET_CU(cuStreamSynchronize, Context, (CUstream stream), cudaStreamSynchronize(stream))
DUET_CU(cuStreamQuery, Context, (CUstream stream), cudaStreamQuery(stream))
DUET_CU(cuStreamWaitEvent, Context, (CUstream stream, CUevent event, unsigned flags),
        cudaStreamWaitEvent(stream, event, flags))
DUET_CU(cuStreamAddCallback, Context,
        (CUstream stream, CUstreamCallback function, void* data, unsigned flags),
        add_callback(stream, function, data, flags))

DUET_CU(cuEventCreate, Context, (CUevent * event, unsigned flags), cudaEventCreateWithFlags(event, flags))
DUET_CU(cuEventDestroy_v2, Context, (CUevent event), cudaEventDestroy(event))
DUET_CU(cuEventRecord, Context, (CUevent event, CUstream stream), cudaEventRecord(event, stream))
DUET_CU(cuEventRecordWithFlags, Context, (CUevent event, CUstream stream, unsigned flags),
        cudaEventRecordWithFlags(event, stream, flags))
DUET_CU(cuEventSynchronize, Context, (CUevent event), cudaEventSynchronize(event))
DUET_CU(cuEventQuery, Context, (CUevent event), cudaEventQuery(event))
DUET_CU(cuEventElapsedTime, Context, (float* milliseconds, CUevent start, CUevent end),
        cudaEventElapsedTime(milliseconds, start, end))
DUET_CU(cuEventElapsedTime_v2, Context, (float* milliseconds, CUevent start, CUevent end),
        cudaEventElapsedTime(milliseconds, start, end))
extern "C" CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }
extern "C" CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }

DUET_CU(cuStreamBeginCapture_v2, Context, (CUstream stream, CUstreamCaptureMode mode),
        cudaStreamBeginCapture(stream, mode_of(mode)))
DUET_CU(cuStreamBeginCaptureToGraph, Context,
        (CUstream stream, CUgraph graph, const CUgraphNode* after, const CUgraphEdgeData* edges, size_t count,
         CUstreamCaptureMode mode),
        cudaStreamBeginCaptureToGraph(stream, graph, after, reinterpret_cast<const cudaGraphEdgeData*>(edges),
                                      count, mode_of(mode)))
DUET_CU(cuStreamEndCapture, Context, (CUstream stream, CUgraph* graph), cudaStreamEndCapture(stream, graph))
DUET_CU(cuStreamIsCapturing, Context, (CUstream stream, CUstreamCaptureStatus* status),
        cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)))
DUET_CU(cuStreamGetCaptureInfo_v3, Context,
        (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
         const CUgraphNode** after, const CUgraphEdgeData** edges, size_t* count),
        cudaStreamGetCaptureInfo(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status),
                                 reinterpret_cast<unsigned long long*>(id), graph, after,
                                 reinterpret_cast<const cudaGraphEdgeData**>(edges), count))
DUET_CU(cuStreamGetCaptureInfo_v2, Context,
        (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
         const CUgraphNode** after, size_t* count),
        cudaStreamGetCaptureInfo(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status),
                                 reinterpret_cast<unsigned long long*>(id), graph, after, nullptr, count))
DUET_CU(cuStreamUpdateCaptureDependencies_v2, Context,
        (CUstream stream, CUgraphNode* after, const CUgraphEdgeData* edges, size_t count, unsigned flags),
        cudaStreamUpdateCaptureDependencies(stream, after, reinterpret_cast<const cudaGraphEdgeData*>(edges),
                                            count, flags))
DUET_CU(cuThreadExchangeStreamCaptureMode, Init, (CUstreamCaptureMode * mode),
        cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode)))
