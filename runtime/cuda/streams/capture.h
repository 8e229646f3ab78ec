// Stream capture: while a stream captures, work given to it becomes nodes of a graph. Rules of CUDA's
// programming guide: an event recorded in a capturing stream stands for the nodes so far, and a stream with a
// wait for it joins the capture. Calls with a wait, or with a possible implicit dependence on the work, are
// refused and invalidate the capture; its end then returns the error.
#pragma once

#include "cuda/graphs/graph.h"

namespace duet::cuda {

struct Capture {
  unsigned long long id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::uint32_t thread = 0;
  CUgraph_st* graph = nullptr;
  std::unique_ptr<CUgraph_st> own;    // the same, unless the program gave the graph
  std::vector<CUstream_st*> streams;  // the one that began it first
  std::vector<CUgraphNode_st*> left;  // the last nodes of streams destroyed since
  bool invalidated = false;
};

// The nodes of an event recorded in a capturing stream.
struct CapturedEvent {
  unsigned long long capture = 0;
  std::vector<CUgraphNode_st*> after;
};

// Where the work of a call goes: to a stream of the driver, or into a graph.
struct StreamUse {
  driver::StreamId id = 0;
  CUstream_st* handle = nullptr;  // null: the legacy default stream
  Capture* capture = nullptr;     // null: the stream does not capture
};

// For every call with work for a stream.
cudaError_t enter_stream(Session& session, cudaStream_t stream, StreamUse& use);
// The same for calls with a wait, or of the default stream: a capturing stream refuses them.
cudaError_t enter_synchronous(Session& session, ThreadState& thread, cudaStream_t stream, StreamUse& use);
// For calls of both forms.
cudaError_t enter(Session& session, ThreadState& thread, cudaStream_t stream, bool asynchronous,
                  StreamUse& use);
// For calls with a possible implicit wait (cudaMalloc, ...), by the thread's mode.
cudaError_t check_unsafe(ThreadState& thread);
// For waits for the whole device.
cudaError_t check_device_wait();

cudaError_t capture(const StreamUse& use, Work work);
// Invalidates the capture and returns the error.
cudaError_t refuse_capture(const StreamUse& use, cudaError_t error);
// The capture of the event's record: null when it has ended or the event is not captured.
Capture* capture_of(const CUevent_st& event);

// A capturing stream is about to be destroyed: a joined one leaves the capture.
cudaError_t leave_capture(CUstream_st& stream);
cudaError_t record_in_capture(const StreamUse& use, CUevent_st& event, bool external);
// With a captured event, or in a capturing stream.
cudaError_t wait_in_capture(Session& session, const StreamUse& use, CUevent_st& event, bool external);

}  // namespace duet::cuda
