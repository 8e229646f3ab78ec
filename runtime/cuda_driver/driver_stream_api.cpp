// Streams, events and capture of the driver interface: the runtime interface's under other names.
#include "cuda/streams/attributes.h"
#include "cuda/streams/stream_calls.h"
#include "cuda_driver/driver_api.h"

using duet::cuda::pointer_of;
using duet::cuda::primary_context;
using duet::cuda::result_of;
using duet::cuda::Session;
using duet::cuda::ThreadState;

namespace {

// The driver interface's flags and modes have the runtime interface's numbers.
cudaLaunchAttributeID id_of(CUstreamAttrID attribute) {
  return static_cast<cudaLaunchAttributeID>(attribute);
}
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
cudaError_t add_callback(Session& session, ThreadState& thread, CUstream stream, CUstreamCallback function,
                         void* data, unsigned flags) {
  auto* callback = new Callback{function, data};
  const cudaError_t error = duet::cuda::add_callback(session, thread, stream, call_back, callback, flags);
  if (error != cudaSuccess) delete callback;
  return error;
}

}  // namespace

DUET_CU_DO(cuStreamCreate, Other, Context, (CUstream * stream, unsigned flags),
           duet::cuda::create_stream(session, stream, flags, 0))
DUET_CU_DO(cuStreamCreateWithPriority, Other, Context, (CUstream * stream, unsigned flags, int priority),
           duet::cuda::create_stream(session, stream, flags, priority))
DUET_CU_STREAM(cuStreamDestroy_v2, Other, (CUstream stream), duet::cuda::destroy_stream(session, stream))
DUET_CU_STREAM(cuStreamGetFlags, Other, (CUstream stream, unsigned* flags),
               duet::cuda::get_stream_flags(session, stream, flags))
DUET_CU_STREAM(cuStreamGetPriority, Other, (CUstream stream, int* priority),
               duet::cuda::get_stream_priority(session, stream, priority))
DUET_CU_STREAM(cuStreamGetId, Other, (CUstream stream, unsigned long long* id),
               duet::cuda::get_stream_id(session, stream, id))
DUET_CU_STREAM(cuStreamGetDevice, Other, (CUstream stream, CUdevice* device),
               duet::cuda::get_stream_device(session, stream, device))
DUET_CU_STREAM(cuStreamSetAttribute, Other,
               (CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue* value),
               duet::cuda::set_stream_attribute(session, stream, id_of(attribute),
                                                reinterpret_cast<const cudaLaunchAttributeValue*>(value)))
DUET_CU_STREAM(cuStreamGetAttribute, Other,
               (CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value),
               duet::cuda::get_stream_attribute(session, stream, id_of(attribute),
                                                reinterpret_cast<cudaLaunchAttributeValue*>(value)))
DUET_CU_DO(cuStreamCopyAttributes, Other, Context, (CUstream to, CUstream from),
           duet::cuda::copy_stream_attributes(session, to, from))
DUET_CU_BODY(cuStreamGetCtx, Other, Init, (CUstream stream, CUcontext* context)) {
  if (!duet::cuda::has_context(session, thread, stream)) return cudaErrorDeviceUninitialized;
  if (context == nullptr) return cudaErrorInvalidValue;
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  const CUstream_st* handle = session.stream_handle(stream);
  *context = handle != nullptr ? handle->context : duet::cuda::current_context(thread);
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_STREAM(cuStreamSynchronize, StreamSynchronize, (CUstream stream),
               duet::cuda::synchronize_stream(session, thread, stream))
DUET_CU_STREAM(cuStreamQuery, Query, (CUstream stream), duet::cuda::query_stream(session, stream))
DUET_CU_STREAM(cuStreamWaitEvent, StreamWaitEvent, (CUstream stream, CUevent event, unsigned flags),
               duet::cuda::wait_event(session, thread, stream, event, flags))
DUET_CU_UNLESS(function == nullptr, cuStreamAddCallback, HostFunction, Context,
               (CUstream stream, CUstreamCallback function, void* data, unsigned flags),
               add_callback(session, thread, stream, function, data, flags))

DUET_CU_DO(cuEventCreate, Other, Context, (CUevent * event, unsigned flags),
           duet::cuda::create_event(session, event, flags))
DUET_CU_DO(cuEventDestroy_v2, Other, Init, (CUevent event), duet::cuda::destroy_event(session, event))
DUET_CU_STREAM(cuEventRecord, EventRecord, (CUevent event, CUstream stream),
               duet::cuda::record_event(session, thread, event, stream, cudaEventRecordDefault))
DUET_CU_STREAM(cuEventRecordWithFlags, EventRecord, (CUevent event, CUstream stream, unsigned flags),
               duet::cuda::record_event(session, thread, event, stream, flags))
DUET_CU_DO(cuEventSynchronize, EventSynchronize, Init, (CUevent event),
           duet::cuda::synchronize_event(session, thread, event))
DUET_CU_DO(cuEventQuery, Query, Init, (CUevent event), duet::cuda::query_event(session, thread, event))
DUET_CU_DO(cuEventElapsedTime, Other, Init, (float* milliseconds, CUevent start, CUevent end),
           duet::cuda::get_elapsed_time(session, milliseconds, start, end))
DUET_CU_DO(cuEventElapsedTime_v2, Other, Init, (float* milliseconds, CUevent start, CUevent end),
           duet::cuda::get_elapsed_time(session, milliseconds, start, end))
extern "C" CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }
extern "C" CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }

DUET_CU_DO(cuStreamBeginCapture_v2, Other, Context, (CUstream stream, CUstreamCaptureMode mode),
           duet::cuda::begin_capture(session, thread, stream, mode_of(mode)))
DUET_CU_DO(cuStreamBeginCaptureToGraph, Other, Context,
           (CUstream stream, CUgraph graph, const CUgraphNode* after, const CUgraphEdgeData* edges,
            size_t count, CUstreamCaptureMode mode),
           duet::cuda::begin_capture_to_graph(session, thread, stream, graph, after,
                                              reinterpret_cast<const cudaGraphEdgeData*>(edges), count,
                                              mode_of(mode)))
DUET_CU_DO(cuStreamEndCapture, Other, Context, (CUstream stream, CUgraph* graph),
           duet::cuda::end_capture(session, thread, stream, graph))
DUET_CU_DO(cuStreamIsCapturing, Other, Context, (CUstream stream, CUstreamCaptureStatus* status),
           duet::cuda::get_capture_status(session, stream,
                                          reinterpret_cast<cudaStreamCaptureStatus*>(status)))
DUET_CU_DO(cuStreamGetCaptureInfo_v3, Other, Context,
           (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
            const CUgraphNode** after, const CUgraphEdgeData** edges, size_t* count),
           duet::cuda::get_capture_info(session, stream, reinterpret_cast<cudaStreamCaptureStatus*>(status),
                                        reinterpret_cast<unsigned long long*>(id), graph, after,
                                        reinterpret_cast<const cudaGraphEdgeData**>(edges), count))
DUET_CU_DO(cuStreamGetCaptureInfo_v2, Other, Context,
           (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
            const CUgraphNode** after, size_t* count),
           duet::cuda::get_capture_info(session, stream, reinterpret_cast<cudaStreamCaptureStatus*>(status),
                                        reinterpret_cast<unsigned long long*>(id), graph, after, nullptr,
                                        count))
DUET_CU_DO(cuStreamUpdateCaptureDependencies_v2, Other, Context,
           (CUstream stream, CUgraphNode* after, const CUgraphEdgeData* edges, size_t count, unsigned flags),
           duet::cuda::update_capture(session, stream, after,
                                      reinterpret_cast<const cudaGraphEdgeData*>(edges), count, flags))
DUET_CU_DO(cuThreadExchangeStreamCaptureMode, Other, Init, (CUstreamCaptureMode * mode),
           duet::cuda::exchange_capture_mode(thread, reinterpret_cast<cudaStreamCaptureMode*>(mode)))
