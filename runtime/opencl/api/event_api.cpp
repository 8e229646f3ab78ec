// Events: of commands, and of the program itself.
#include <algorithm>

#include "opencl/api/entries.h"
#include "opencl/session/work.h"

namespace duet::opencl::api {

DUET_CL(clWaitForEvents, EventSynchronize, (cl_uint count, const cl_event* events)) {
  if (count == 0 || events == nullptr) return CL_INVALID_VALUE;
  std::vector<Ref<_cl_event>> all;
  for (cl_uint i = 0; i < count; ++i) {
    if (find(events[i]) == nullptr) return CL_INVALID_EVENT;
    if (events[i]->context.get() != events[0]->context.get()) return CL_INVALID_CONTEXT;
    all.emplace_back(events[i]);
  }
  host.stage_one(session.core().cost(CallKind::EventSynchronize));
  wait_for(session, host, all);
  const bool failed = std::any_of(all.begin(), all.end(), [](const auto& one) { return one->status < 0; });
  return failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clGetEventInfo, Query, (cl_event event, cl_event_info what, size_t room, void* to, size_t* needed)) {
  if (find(event) == nullptr) return CL_INVALID_EVENT;
  const Answer answer{room, to, needed};
  switch (what) {
    case CL_EVENT_COMMAND_QUEUE:
      return answer.value(static_cast<cl_command_queue>(event->queue.get()));
    case CL_EVENT_CONTEXT:
      return answer.value(static_cast<cl_context>(event->context.get()));
    case CL_EVENT_COMMAND_TYPE:
      return answer.value(event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
      if (event->ended() && event->last != 0) static_cast<void>(session.driver().complete(event->last));
      return answer.value(event->status);
    case CL_EVENT_REFERENCE_COUNT:
      return answer.value(event->references);
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

DUET_CL(clRetainEvent, Other, (cl_event event)) { return retain(event, CL_INVALID_EVENT); }
DUET_CL_END
DUET_CL(clReleaseEvent, Other, (cl_event event)) { return release(event, CL_INVALID_EVENT); }
DUET_CL_END

DUET_CL(clGetEventProfilingInfo, Query,
        (cl_event event, cl_profiling_info what, size_t room, void* to, size_t* needed)) {
  if (find(event) == nullptr) return CL_INVALID_EVENT;
  if (event->is_user() || event->status != CL_COMPLETE ||
      (event->queue->flags & CL_QUEUE_PROFILING_ENABLE) == 0)
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  const Answer answer{room, to, needed};
  const auto time = [&](Picoseconds ps) { return answer.value(cl_ulong{ps / kPicosecondsPerNanosecond}); };
  switch (what) {
    case CL_PROFILING_COMMAND_QUEUED:
      return time(event->queued_ps);
    case CL_PROFILING_COMMAND_SUBMIT:
      return time(event->submitted_ps);
    case CL_PROFILING_COMMAND_START:
      return time(event->start_ps);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE:  // kernels enqueue no others
      return time(event->end_ps);
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

DUET_CL(clSetEventCallback, Other,
        (cl_event event, cl_int at, void(CL_CALLBACK* notify)(cl_event, cl_int, void*), void* user_data)) {
  if (find(event) == nullptr) return CL_INVALID_EVENT;
  if (notify == nullptr || at < CL_COMPLETE || at > CL_SUBMITTED || (event->is_user() && at != CL_COMPLETE))
    return CL_INVALID_VALUE;
  const auto function = [=](cl_int status) {
    call_program(notify, event, status < 0 ? status : at, user_data);
  };
  expect_calls();
  if (event->status <= at)
    session.call_later([=, status = event->status] { function(status); });
  else
    event->callbacks.push_back({at, function});
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL_MAKE(cl_event, clCreateUserEvent, Other, (cl_context context, cl_int* error)) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  made = make_object<_cl_event>();
  made->context = Ref<_cl_context>(context);
  made->status = CL_SUBMITTED;
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clSetUserEventStatus, Other, (cl_event event, cl_int status)) {
  if (find(event) == nullptr || !event->is_user()) return CL_INVALID_EVENT;
  if (status > CL_COMPLETE) return CL_INVALID_VALUE;
  if (event->ended()) return CL_INVALID_OPERATION;
  session.set_status(*event, status);
  return CL_SUCCESS;
}
DUET_CL_END

namespace {

cl_int enqueue_mark(Session& session, HostThread& host, cl_command_queue queue, cl_command_type type,
                    const Waits& waits, bool is_barrier) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  EnqueueOptions options;
  options.is_barrier = is_barrier;
  options.after_all_if_none = true;
  return enqueue(session, host, *queue, type, waits, options,
                 [&session, queue](HostThread& by, driver::StreamId stream) {
                   return submit_mark(session, by, *queue, stream);
                 });
}

}  // namespace

DUET_CL(clEnqueueMarkerWithWaitList, EventRecord,
        (cl_command_queue queue, cl_uint count, const cl_event* list, cl_event* event)) {
  return enqueue_mark(session, host, queue, CL_COMMAND_MARKER, {count, list, event}, false);
}
DUET_CL_END
DUET_CL(clEnqueueBarrierWithWaitList, EventRecord,
        (cl_command_queue queue, cl_uint count, const cl_event* list, cl_event* event)) {
  return enqueue_mark(session, host, queue, CL_COMMAND_BARRIER, {count, list, event}, true);
}
DUET_CL_END
DUET_CL(clEnqueueMarker, EventRecord, (cl_command_queue queue, cl_event* event)) {
  if (event == nullptr) return CL_INVALID_VALUE;
  return enqueue_mark(session, host, queue, CL_COMMAND_MARKER, {0, nullptr, event}, false);
}
DUET_CL_END
DUET_CL(clEnqueueBarrier, EventRecord, (cl_command_queue queue)) {
  return enqueue_mark(session, host, queue, CL_COMMAND_BARRIER, {0, nullptr, nullptr}, true);
}
DUET_CL_END
DUET_CL(clEnqueueWaitForEvents, StreamWaitEvent,
        (cl_command_queue queue, cl_uint count, const cl_event* list)) {
  if (count == 0 || list == nullptr) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; ++i)
    if (find(list[i]) == nullptr) return CL_INVALID_EVENT;
  return enqueue_mark(session, host, queue, CL_COMMAND_BARRIER, {count, list, nullptr}, true);
}
DUET_CL_END

}  // namespace duet::opencl::api
