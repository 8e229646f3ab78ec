#include "cuda/streams/capture.h"

#include "cuda/streams/stream_calls.h"

#include <algorithm>

using duet::cuda::Capture;
using duet::cuda::Session;
using duet::cuda::StreamUse;
using duet::cuda::ThreadState;

namespace duet::cuda {

namespace {

std::vector<std::unique_ptr<Capture>>& captures() {
  static auto* const active = new std::vector<std::unique_ptr<Capture>>;
  return *active;
}

// Work in the legacy default stream would wait for the capture's blocking streams, which do not execute yet.
Capture* in_blocking_stream() {
  for (const auto& capture : captures())
    for (const CUstream_st* stream : capture->streams)
      if ((stream->flags & cudaStreamNonBlocking) == 0) return capture.get();
  return nullptr;
}

void add_all(std::vector<CUgraphNode_st*>& to, const std::vector<CUgraphNode_st*>& nodes) {
  for (CUgraphNode_st* node : nodes)
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
}

}  // namespace

cudaError_t enter_stream(Session& session, cudaStream_t stream, StreamUse& use) {
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  use.handle = session.stream_handle(stream);
  use.id = session.stream_id(stream);
  if (use.handle == nullptr) {
    Capture* implicit = in_blocking_stream();
    if (implicit == nullptr) return cudaSuccess;
    implicit->invalidated = true;
    return cudaErrorStreamCaptureImplicit;
  }
  use.capture = use.handle->capture;
  return use.capture != nullptr && use.capture->invalidated ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

cudaError_t enter_synchronous(Session& session, ThreadState& thread, cudaStream_t stream, StreamUse& use) {
  if (const cudaError_t error = enter_stream(session, stream, use); error != cudaSuccess) return error;
  if (use.capture != nullptr) return refuse_capture(use, cudaErrorStreamCaptureUnsupported);
  return check_unsafe(thread);
}

cudaError_t enter(Session& session, ThreadState& thread, cudaStream_t stream, bool asynchronous,
                  StreamUse& use) {
  return asynchronous ? enter_stream(session, stream, use) : enter_synchronous(session, thread, stream, use);
}

cudaError_t check_unsafe(ThreadState& thread) {
  cudaError_t result = cudaSuccess;
  if (thread.capture_mode == cudaStreamCaptureModeRelaxed) return result;
  for (const auto& capture : captures()) {
    const bool own = capture->thread == thread.number && capture->mode != cudaStreamCaptureModeRelaxed;
    const bool global =
        capture->mode == cudaStreamCaptureModeGlobal && thread.capture_mode == cudaStreamCaptureModeGlobal;
    if (!own && !global) continue;
    capture->invalidated = true;
    result = cudaErrorStreamCaptureUnsupported;
  }
  return result;
}

cudaError_t check_device_wait() {
  for (const auto& capture : captures()) capture->invalidated = true;
  return captures().empty() ? cudaSuccess : cudaErrorStreamCaptureUnsupported;
}

cudaError_t capture(const StreamUse& use, Work work) {
  CUgraphNode_st* node = add_node(*use.capture->graph, std::move(work), use.handle->captured_after);
  use.handle->captured_after = {node};
  return cudaSuccess;
}

cudaError_t refuse_capture(const StreamUse& use, cudaError_t error) {
  use.capture->invalidated = true;
  return error;
}

Capture* capture_of(const CUevent_st& event) {
  if (event.captured == nullptr) return nullptr;
  for (const auto& capture : captures())
    if (capture->id == event.captured->capture) return capture.get();
  return nullptr;
}

cudaError_t record_in_capture(const StreamUse& use, CUevent_st& event, bool external) {
  if (external) {
    event.captured.reset();
    return capture(use, RecordWork{&event});
  }
  event.captured =
      std::make_shared<CapturedEvent>(CapturedEvent{use.capture->id, use.handle->captured_after});
  return cudaSuccess;
}

cudaError_t wait_in_capture(Session& session, const StreamUse& use, CUevent_st& event, bool external) {
  if (event.captured == nullptr) {
    if (external) return capture(use, WaitWork{&event});
    return session.driver().event_recorded(event.id) ? refuse_capture(use, cudaErrorStreamCaptureIsolation)
                                                     : cudaSuccess;
  }
  Capture* origin = capture_of(event);
  if (origin == nullptr) {
    if (use.capture != nullptr) use.capture->invalidated = true;
    return cudaErrorCapturedEvent;
  }
  if (origin->invalidated) return cudaErrorStreamCaptureInvalidated;
  if (use.handle == nullptr) {
    origin->invalidated = true;
    return cudaErrorStreamCaptureImplicit;
  }
  if (use.capture != nullptr && use.capture != origin) {
    origin->invalidated = true;
    return refuse_capture(use, cudaErrorStreamCaptureMerge);
  }
  if (use.capture == nullptr) {
    use.handle->capture = origin;
    use.handle->captured_after.clear();
    origin->streams.push_back(use.handle);
  }
  add_all(use.handle->captured_after, event.captured->after);
  return cudaSuccess;
}

cudaError_t leave_capture(CUstream_st& stream) {
  Capture& capture = *stream.capture;
  if (capture.streams[0] == &stream) {
    capture.invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  add_all(capture.left, stream.captured_after);
  std::erase(capture.streams, &stream);
  return cudaSuccess;
}

namespace {

cudaError_t begin(Session& session, ThreadState& thread, cudaStream_t stream, cudaStreamCaptureMode mode,
                  CUgraph_st* graph, std::vector<CUgraphNode_st*> after) {
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  CUstream_st* handle = session.stream_handle(stream);
  if (handle == nullptr) return cudaErrorStreamCaptureUnsupported;  // the legacy default stream
  if (handle->capture != nullptr) return cudaErrorIllegalState;
  static unsigned long long ids = 0;
  auto capture = std::make_unique<Capture>();
  capture->id = ++ids;
  capture->mode = mode;
  capture->thread = thread.number;
  if (graph == nullptr) capture->own = std::make_unique<CUgraph_st>();
  capture->graph = graph != nullptr ? graph : capture->own.get();
  capture->streams.push_back(handle);
  handle->capture = capture.get();
  handle->captured_after = std::move(after);
  captures().push_back(std::move(capture));
  return cudaSuccess;
}

// Whether all nodes of the other streams come before the first one's position.
bool joined(const Capture& capture) {
  std::unordered_set<const CUgraphNode_st*> before;
  std::vector<const CUgraphNode_st*> open(capture.streams[0]->captured_after.begin(),
                                          capture.streams[0]->captured_after.end());
  while (!open.empty()) {
    const CUgraphNode_st* node = open.back();
    open.pop_back();
    if (before.insert(node).second) open.insert(open.end(), node->after.begin(), node->after.end());
  }
  const auto all_before = [&](const std::vector<CUgraphNode_st*>& nodes) {
    return std::all_of(nodes.begin(), nodes.end(), [&](const auto* node) { return before.contains(node); });
  };
  return all_before(capture.left) &&
         std::all_of(capture.streams.begin(), capture.streams.end(),
                     [&](const auto* s) { return all_before(s->captured_after); });
}

cudaError_t end(ThreadState& thread, CUstream_st* stream, cudaGraph_t* graph) {
  Capture* capture = stream == nullptr ? nullptr : stream->capture;
  if (capture == nullptr) return cudaErrorIllegalState;
  if (capture->streams[0] != stream) {
    capture->invalidated = true;
    return cudaErrorStreamCaptureUnmatched;
  }
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != thread.number)
    return cudaErrorStreamCaptureWrongThread;
  const cudaError_t result = capture->invalidated ? cudaErrorStreamCaptureInvalidated
                             : !joined(*capture)  ? cudaErrorStreamCaptureUnjoined
                                                  : cudaSuccess;
  for (CUstream_st* in : capture->streams) {
    in->capture = nullptr;
    in->captured_after.clear();
  }
  *graph = nullptr;
  if (result == cudaSuccess) *graph = capture->own != nullptr ? capture->own.release() : capture->graph;
  std::erase_if(captures(), [&](const auto& one) { return one.get() == capture; });
  return result;
}

cudaStreamCaptureStatus status_of(const CUstream_st* stream) {
  if (stream == nullptr || stream->capture == nullptr) return cudaStreamCaptureStatusNone;
  return stream->capture->invalidated ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

// Asking about the default stream is refused as its use would be, but invalidates nothing.
cudaError_t check_asked(Session& session, cudaStream_t stream) {
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  return session.stream_handle(stream) == nullptr && in_blocking_stream() != nullptr
             ? cudaErrorStreamCaptureImplicit
             : cudaSuccess;
}

bool all_in(const CUgraph_st& graph, const cudaGraphNode_t* nodes, std::size_t count) {
  return std::all_of(nodes, nodes + count,
                     [&](cudaGraphNode_t node) { return valid(node) && &node->graph == &graph; });
}

}  // namespace

}  // namespace duet::cuda

cudaError_t duet::cuda::begin_capture(Session& session, ThreadState& thread, cudaStream_t stream,
                                      cudaStreamCaptureMode mode) {
  return duet::cuda::begin(session, thread, stream, mode, nullptr, {});
}
DUET_API(cudaStreamBeginCapture, Other, (cudaStream_t stream, cudaStreamCaptureMode mode)) {
  return duet::cuda::begin_capture(session, thread, stream, mode);
}
DUET_END

cudaError_t duet::cuda::begin_capture_to_graph(Session& session, ThreadState& thread, cudaStream_t stream,
                                               cudaGraph_t graph, const cudaGraphNode_t* after,
                                               const cudaGraphEdgeData* edges, size_t count,
                                               cudaStreamCaptureMode mode) {
  if (!duet::cuda::valid(graph) || (after == nullptr && count != 0)) return cudaErrorInvalidValue;
  if (!duet::cuda::plain(edges, count)) return cudaErrorNotSupported;
  if (!duet::cuda::all_in(*graph, after, count)) return cudaErrorInvalidValue;
  return duet::cuda::begin(session, thread, stream, mode, graph, {after, after + count});
}
DUET_API(cudaStreamBeginCaptureToGraph, Other,
         (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* after,
          const cudaGraphEdgeData* edges, size_t count, cudaStreamCaptureMode mode)) {
  return duet::cuda::begin_capture_to_graph(session, thread, stream, graph, after, edges, count, mode);
}
DUET_END

cudaError_t duet::cuda::end_capture(Session& session, ThreadState& thread, cudaStream_t stream,
                                    cudaGraph_t* graph) {
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (graph == nullptr) return cudaErrorInvalidValue;
  return duet::cuda::end(thread, session.stream_handle(stream), graph);
}
DUET_API(cudaStreamEndCapture, Other, (cudaStream_t stream, cudaGraph_t* graph)) {
  return duet::cuda::end_capture(session, thread, stream, graph);
}
DUET_END

cudaError_t duet::cuda::get_capture_status(Session& session, cudaStream_t stream,
                                           cudaStreamCaptureStatus* status) {
  if (status == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = duet::cuda::check_asked(session, stream); error != cudaSuccess) return error;
  *status = duet::cuda::status_of(session.stream_handle(stream));
  return cudaSuccess;
}
DUET_API(cudaStreamIsCapturing, Other, (cudaStream_t stream, cudaStreamCaptureStatus* status)) {
  return duet::cuda::get_capture_status(session, stream, status);
}
DUET_END

cudaError_t duet::cuda::get_capture_info(Session& session, cudaStream_t stream,
                                         cudaStreamCaptureStatus* status, unsigned long long* id,
                                         cudaGraph_t* graph, const cudaGraphNode_t** after,
                                         const cudaGraphEdgeData** edges, size_t* count) {
  if (status == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = duet::cuda::check_asked(session, stream); error != cudaSuccess) return error;
  CUstream_st* handle = session.stream_handle(stream);
  *status = duet::cuda::status_of(handle);
  if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
  if (id != nullptr) *id = handle->capture->id;
  if (graph != nullptr) *graph = handle->capture->graph;
  if (after != nullptr) *after = handle->captured_after.data();
  if (edges != nullptr) {
    handle->captured_edges.assign(handle->captured_after.size(), cudaGraphEdgeData{});
    *edges = handle->captured_edges.data();
  }
  if (count != nullptr) *count = handle->captured_after.size();
  return cudaSuccess;
}
DUET_API(cudaStreamGetCaptureInfo, Other,
         (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
          const cudaGraphNode_t** after, const cudaGraphEdgeData** edges, size_t* count)) {
  return duet::cuda::get_capture_info(session, stream, status, id, graph, after, edges, count);
}
DUET_END

cudaError_t duet::cuda::update_capture(Session& session, cudaStream_t stream, cudaGraphNode_t* after,
                                       const cudaGraphEdgeData* edges, size_t count, unsigned flags) {
  StreamUse use;
  if (const cudaError_t error = duet::cuda::enter_stream(session, stream, use); error != cudaSuccess)
    return error;
  if (use.capture == nullptr) return cudaErrorIllegalState;
  if (flags > cudaStreamSetCaptureDependencies || (after == nullptr && count != 0))
    return cudaErrorInvalidValue;
  if (!duet::cuda::all_in(*use.capture->graph, after, count)) return cudaErrorInvalidValue;
  if (!duet::cuda::plain(edges, count)) return cudaErrorNotSupported;
  if (flags == cudaStreamSetCaptureDependencies) use.handle->captured_after.clear();
  duet::cuda::add_all(use.handle->captured_after, {after, after + count});
  return cudaSuccess;
}
DUET_API(cudaStreamUpdateCaptureDependencies, Other,
         (cudaStream_t stream, cudaGraphNode_t* after, const cudaGraphEdgeData* edges, size_t count,
          unsigned flags)) {
  return duet::cuda::update_capture(session, stream, after, edges, count, flags);
}
DUET_END

cudaError_t duet::cuda::exchange_capture_mode(ThreadState& thread, cudaStreamCaptureMode* mode) {
  if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
    return cudaErrorInvalidValue;
  std::swap(*mode, thread.capture_mode);
  return cudaSuccess;
}
DUET_API(cudaThreadExchangeStreamCaptureMode, Other, (cudaStreamCaptureMode * mode)) {
  return duet::cuda::exchange_capture_mode(thread, mode);
}
DUET_END
