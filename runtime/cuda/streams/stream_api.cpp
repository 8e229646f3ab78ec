// Streams and events. Events are recorded in simulated time.
#include "core/queues.h"
#include "cuda/session/contexts.h"
#include "cuda/session/session.h"
#include "cuda/streams/attributes.h"
#include "cuda/streams/capture.h"
#include "cuda/streams/host_work.h"
#include "cuda/streams/stream_calls.h"

using duet::core::HostFunction;
using duet::cuda::error_of;
using duet::cuda::Session;
using duet::cuda::StreamUse;
using duet::cuda::ThreadState;
using duet::driver::Command;
using duet::process::ProgramSide;

namespace {

std::uint64_t word_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

bool own_stream(Session& session, cudaStream_t stream) {
  return session.valid_stream(stream) && stream != nullptr && stream != cudaStreamLegacy &&
         stream != cudaStreamPerThread;
}

// A captured event will never have happened.
cudaError_t check_happens(Session& session, cudaEvent_t event) {
  if (!session.valid_event(event)) return cudaErrorInvalidResourceHandle;
  if (event->captured == nullptr) return cudaSuccess;
  if (duet::cuda::Capture* capture = duet::cuda::capture_of(*event)) capture->invalidated = true;
  return cudaErrorCapturedEvent;
}

// For queries about, and waits for, the stream's work.
cudaError_t enter_waiting(Session& session, cudaStream_t stream, StreamUse& use) {
  const cudaError_t error = duet::cuda::enter_stream(session, stream, use);
  if (error != cudaSuccess || use.capture == nullptr) return error;
  return duet::cuda::refuse_capture(use, cudaErrorStreamCaptureUnsupported);
}

}  // namespace

HostFunction duet::cuda::host_function(cudaHostFn_t function, void* data) {
  return {[=] { function(data); },
          [=] {
            return ProgramSide::Function{reinterpret_cast<const void*>(function), {word_of(data), 0, 0}};
          }};
}

DUET_API(cudaStreamCreate, Other, (cudaStream_t * stream)) {
  return duet::cuda::create_stream(session, stream, cudaStreamDefault, 0);
}
DUET_END
DUET_API(cudaStreamCreateWithFlags, Other, (cudaStream_t * stream, unsigned flags)) {
  return duet::cuda::create_stream(session, stream, flags, 0);
}
DUET_END
cudaError_t duet::cuda::create_stream(Session& session, cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || (flags & ~cudaStreamNonBlocking) != 0) return cudaErrorInvalidValue;
  *stream =
      session.add_stream((flags & cudaStreamNonBlocking) == 0, flags, clamped_priority(session, priority));
  return cudaSuccess;
}
DUET_API(cudaStreamCreateWithPriority, Other, (cudaStream_t * stream, unsigned flags, int priority)) {
  return duet::cuda::create_stream(session, stream, flags, priority);
}
DUET_END

cudaError_t duet::cuda::destroy_stream(Session& session, cudaStream_t stream) {
  if (!own_stream(session, stream)) return cudaErrorInvalidResourceHandle;
  if (stream->capture != nullptr)
    if (const cudaError_t error = duet::cuda::leave_capture(*stream); error != cudaSuccess) return error;
  session.remove_stream(stream);
  return cudaSuccess;
}
DUET_API(cudaStreamDestroy, Other, (cudaStream_t stream)) {
  return duet::cuda::destroy_stream(session, stream);
}
DUET_END

cudaError_t duet::cuda::get_stream_flags(Session& session, cudaStream_t stream, unsigned* flags) {
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (flags == nullptr) return cudaErrorInvalidValue;
  *flags = own_stream(session, stream) ? stream->flags : cudaStreamDefault;
  return cudaSuccess;
}
DUET_API(cudaStreamGetFlags, Other, (cudaStream_t stream, unsigned* flags)) {
  return duet::cuda::get_stream_flags(session, stream, flags);
}
DUET_END
cudaError_t duet::cuda::get_stream_priority(Session& session, cudaStream_t stream, int* priority) {
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (priority == nullptr) return cudaErrorInvalidValue;
  *priority = session.priority_of(stream);
  return cudaSuccess;
}
DUET_API(cudaStreamGetPriority, Other, (cudaStream_t stream, int* priority)) {
  return duet::cuda::get_stream_priority(session, stream, priority);
}
DUET_END
cudaError_t duet::cuda::get_stream_id(Session& session, cudaStream_t stream, unsigned long long* id) {
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (id == nullptr) return cudaErrorInvalidValue;
  *id = session.stream_id(stream);
  return cudaSuccess;
}
DUET_API(cudaStreamGetId, Other, (cudaStream_t stream, unsigned long long* id)) {
  return duet::cuda::get_stream_id(session, stream, id);
}
DUET_END
cudaError_t duet::cuda::get_stream_device(Session& session, cudaStream_t stream, int* device) {
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (device == nullptr) return cudaErrorInvalidValue;
  *device = 0;
  return cudaSuccess;
}
DUET_API(cudaStreamGetDevice, Other, (cudaStream_t stream, int* device)) {
  return duet::cuda::get_stream_device(session, stream, device);
}
DUET_END
cudaError_t duet::cuda::synchronize_stream(Session& session, ThreadState& thread, cudaStream_t stream) {
  StreamUse use;
  if (const cudaError_t error = enter_waiting(session, stream, use); error != cudaSuccess) return error;
  duet::core::wait_for_stream(session.core(), *thread.host, use.id);
  return cudaSuccess;
}
DUET_API_SYNC(cudaStreamSynchronize, StreamSynchronize, (cudaStream_t stream)) {
  return duet::cuda::synchronize_stream(session, thread, stream);
}
DUET_END

cudaError_t duet::cuda::query_stream(Session& session, cudaStream_t stream) {
  StreamUse use;
  if (const cudaError_t error = enter_waiting(session, stream, use); error != cudaSuccess) return error;
  return error_of(duet::core::query_stream(session.core(), use.id));
}
DUET_API(cudaStreamQuery, Query, (cudaStream_t stream)) { return duet::cuda::query_stream(session, stream); }
DUET_END

cudaError_t duet::cuda::wait_event(Session& session, ThreadState& thread, cudaStream_t stream,
                                   cudaEvent_t event, unsigned flags) {
  if (!session.valid_event(event)) return cudaErrorInvalidResourceHandle;
  if (flags != cudaEventWaitDefault && flags != cudaEventWaitExternal) return cudaErrorInvalidValue;
  StreamUse use;
  // The default stream may not wait for a captured event: this error comes before others.
  if (session.valid_stream(stream) && session.stream_handle(stream) == nullptr && event->captured != nullptr)
    return duet::cuda::wait_in_capture(session, use, *event, false);
  if (const cudaError_t error = duet::cuda::enter_stream(session, stream, use); error != cudaSuccess)
    return error;
  const bool external = flags == cudaEventWaitExternal;
  if (use.capture != nullptr || event->captured != nullptr)
    return duet::cuda::wait_in_capture(session, use, *event, external);
  if (external) return cudaErrorInvalidValue;
  duet::core::hold_stream(session.core(), *thread.host, use.id, event->id);
  return cudaSuccess;
}
DUET_API(cudaStreamWaitEvent, StreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags)) {
  return duet::cuda::wait_event(session, thread, stream, event, flags);
}
DUET_END

cudaError_t duet::cuda::launch_host_function(Session& session, ThreadState& thread, cudaStream_t stream,
                                             cudaHostFn_t function, void* data) {
  StreamUse use;
  if (const cudaError_t error = duet::cuda::enter_stream(session, stream, use); error != cudaSuccess)
    return error;
  if (function == nullptr) return cudaErrorInvalidValue;
  if (use.capture != nullptr) return duet::cuda::capture(use, duet::cuda::HostWork{function, data});
  Command command =
      duet::core::host_function_command(session.core(), duet::cuda::host_function(function, data));
  command.stream = use.id;
  session.core().maintenance().ahead_of_host_function(*thread.host, use.id);
  thread.host->submit(std::move(command));
  return cudaSuccess;
}
DUET_API(cudaLaunchHostFunc, HostFunction, (cudaStream_t stream, cudaHostFn_t function, void* data)) {
  return duet::cuda::launch_host_function(session, thread, stream, function, data);
}
DUET_END

cudaError_t duet::cuda::add_callback(Session& session, ThreadState& thread, cudaStream_t stream,
                                     cudaStreamCallback_t callback, void* data, unsigned flags) {
  StreamUse use;
  if (const cudaError_t error = enter_waiting(session, stream, use); error != cudaSuccess) return error;
  if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
  Command command = duet::core::host_function_command(
      session.core(), {[=, &session] {
                         session.check_fault();
                         callback(stream, session.sticky(), data);
                       },
                       [=, &session] {
                         session.check_fault();
                         return ProgramSide::Function{
                             reinterpret_cast<const void*>(callback),
                             {word_of(stream), static_cast<std::uint64_t>(session.sticky()), word_of(data)}};
                       }});
  command.stream = use.id;
  command.after_fault = true;
  session.core().maintenance().ahead_of_host_function(*thread.host, use.id);
  thread.host->submit(std::move(command));
  return cudaSuccess;
}
DUET_API(cudaStreamAddCallback, HostFunction,
         (cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags)) {
  return duet::cuda::add_callback(session, thread, stream, callback, data, flags);
}
DUET_END

DUET_API(cudaEventCreate, Other, (cudaEvent_t * event)) {
  return duet::cuda::create_event(session, event, cudaEventDefault);
}
DUET_END
cudaError_t duet::cuda::create_event(Session& session, cudaEvent_t* event, unsigned flags) {
  constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (event == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
  // Events of several processes have no times.
  if ((flags & cudaEventInterprocess) != 0 && (flags & cudaEventDisableTiming) == 0)
    return cudaErrorInvalidValue;
  *event = session.add_event(flags);
  return cudaSuccess;
}
DUET_API(cudaEventCreateWithFlags, Other, (cudaEvent_t * event, unsigned flags)) {
  return duet::cuda::create_event(session, event, flags);
}
DUET_END

cudaError_t duet::cuda::destroy_event(Session& session, cudaEvent_t event) {
  if (!session.valid_event(event)) return cudaErrorInvalidResourceHandle;
  session.remove_event(event);
  return cudaSuccess;
}
DUET_API(cudaEventDestroy, Other, (cudaEvent_t event)) { return duet::cuda::destroy_event(session, event); }
DUET_END

DUET_API(cudaEventRecord, EventRecord, (cudaEvent_t event, cudaStream_t stream)) {
  return duet::cuda::record_event(session, thread, event, stream, cudaEventRecordDefault);
}
DUET_END
cudaError_t duet::cuda::record_event(Session& session, ThreadState& thread, cudaEvent_t event,
                                     cudaStream_t stream, unsigned flags) {
  if (flags != cudaEventRecordDefault && flags != cudaEventRecordExternal) return cudaErrorInvalidValue;
  if (!session.valid_event(event)) return cudaErrorInvalidResourceHandle;
  StreamUse use;
  if (const cudaError_t error = duet::cuda::enter_stream(session, stream, use); error != cudaSuccess)
    return error;
  // The default stream is the current context's.
  const CUctx_st* of_stream = use.handle != nullptr ? use.handle->context : current_context(thread);
  if (of_stream != event->context) return cudaErrorInvalidResourceHandle;
  const bool external = flags == cudaEventRecordExternal;
  if (use.capture != nullptr) return duet::cuda::record_in_capture(use, *event, external);
  if (external) return cudaErrorInvalidValue;  // a word for captures
  event->captured.reset();
  duet::core::record_event(session.core(), *thread.host, event->id, use.id);
  return cudaSuccess;
}
DUET_API(cudaEventRecordWithFlags, EventRecord, (cudaEvent_t event, cudaStream_t stream, unsigned flags)) {
  return duet::cuda::record_event(session, thread, event, stream, flags);
}
DUET_END

cudaError_t duet::cuda::synchronize_event(Session& session, ThreadState& thread, cudaEvent_t event) {
  if (const cudaError_t error = check_happens(session, event); error != cudaSuccess) return error;
  duet::core::wait_for_event(session.core(), *thread.host, event->id);
  return cudaSuccess;
}
DUET_API_SYNC(cudaEventSynchronize, EventSynchronize, (cudaEvent_t event)) {
  return duet::cuda::synchronize_event(session, thread, event);
}
DUET_END

cudaError_t duet::cuda::query_event(Session& session, ThreadState& thread, cudaEvent_t event) {
  if (const cudaError_t error = check_happens(session, event); error != cudaSuccess) return error;
  if (const cudaError_t error = duet::cuda::check_unsafe(thread); error != cudaSuccess) return error;
  return error_of(duet::core::query_event(session.core(), event->id));
}
DUET_API(cudaEventQuery, Query, (cudaEvent_t event)) {
  return duet::cuda::query_event(session, thread, event);
}
DUET_END

cudaError_t duet::cuda::get_elapsed_time(Session& session, float* milliseconds, cudaEvent_t start,
                                         cudaEvent_t end) {
  if (milliseconds == nullptr) return cudaErrorInvalidValue;
  if (!session.valid_event(start) || !session.valid_event(end)) return cudaErrorInvalidResourceHandle;
  if (start->captured != nullptr || end->captured != nullptr) return cudaErrorCapturedEvent;
  if (((start->flags | end->flags) & cudaEventDisableTiming) != 0) return cudaErrorInvalidResourceHandle;
  double picoseconds = 0;
  if (const duet::core::Status status =
          duet::core::time_between(session.core(), start->id, end->id, picoseconds);
      status.failed())
    return status.reason == duet::core::Reason::NotReady ? cudaErrorNotReady : cudaErrorInvalidResourceHandle;
  *milliseconds = static_cast<float>(picoseconds * 1e-9);
  return cudaSuccess;
}
DUET_API(cudaEventElapsedTime, Other, (float* milliseconds, cudaEvent_t start, cudaEvent_t end)) {
  return duet::cuda::get_elapsed_time(session, milliseconds, start, end);
}
DUET_END
