// The calls about streams, events and capture that both interfaces have.
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

cudaError_t create_stream(Session& session, cudaStream_t* stream, unsigned flags, int priority);
cudaError_t destroy_stream(Session& session, cudaStream_t stream);
cudaError_t get_stream_flags(Session& session, cudaStream_t stream, unsigned* flags);
cudaError_t get_stream_priority(Session& session, cudaStream_t stream, int* priority);
cudaError_t get_stream_id(Session& session, cudaStream_t stream, unsigned long long* id);
cudaError_t get_stream_device(Session& session, cudaStream_t stream, int* device);
cudaError_t synchronize_stream(Session& session, ThreadState& thread, cudaStream_t stream);
cudaError_t query_stream(Session& session, cudaStream_t stream);
cudaError_t wait_event(Session& session, ThreadState& thread, cudaStream_t stream, cudaEvent_t event,
                       unsigned flags);
cudaError_t launch_host_function(Session& session, ThreadState& thread, cudaStream_t stream,
                                 cudaHostFn_t function, void* data);
cudaError_t add_callback(Session& session, ThreadState& thread, cudaStream_t stream,
                         cudaStreamCallback_t callback, void* data, unsigned flags);
cudaError_t create_event(Session& session, cudaEvent_t* event, unsigned flags);
cudaError_t destroy_event(Session& session, cudaEvent_t event);
cudaError_t record_event(Session& session, ThreadState& thread, cudaEvent_t event, cudaStream_t stream,
                         unsigned flags);
cudaError_t synchronize_event(Session& session, ThreadState& thread, cudaEvent_t event);
cudaError_t query_event(Session& session, ThreadState& thread, cudaEvent_t event);
cudaError_t get_elapsed_time(Session& session, float* milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t begin_capture(Session& session, ThreadState& thread, cudaStream_t stream,
                          cudaStreamCaptureMode mode);
cudaError_t begin_capture_to_graph(Session& session, ThreadState& thread, cudaStream_t stream,
                                   cudaGraph_t graph, const cudaGraphNode_t* after,
                                   const cudaGraphEdgeData* edges, size_t count, cudaStreamCaptureMode mode);
cudaError_t end_capture(Session& session, ThreadState& thread, cudaStream_t stream, cudaGraph_t* graph);
cudaError_t get_capture_status(Session& session, cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t get_capture_info(Session& session, cudaStream_t stream, cudaStreamCaptureStatus* status,
                             unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** after,
                             const cudaGraphEdgeData** edges, size_t* count);
cudaError_t update_capture(Session& session, cudaStream_t stream, cudaGraphNode_t* after,
                           const cudaGraphEdgeData* edges, size_t count, unsigned flags);
cudaError_t exchange_capture_mode(ThreadState& thread, cudaStreamCaptureMode* mode);

}  // namespace duet::cuda
