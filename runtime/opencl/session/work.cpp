#include "opencl/session/work.h"

#include <algorithm>

#include "core/queues.h"

namespace duet::opencl {

namespace {

// Calls functions of the program that are due, outside of Duet's state; they may make calls.
void call_due(Session& session) {
  for (const auto& one : session.take_due()) one();
}

bool has_ended(Session& session, const _cl_event& event) {
  // Asking is how the host learns of it.
  return event.ended() && (event.last == 0 || session.driver().complete(event.last));
}

bool ready(const Work& work) {
  return std::none_of(work.after.begin(), work.after.end(),
                      [](const Ref<_cl_event>& one) { return one->open(); });
}

driver::StreamId stream_for(Session& session, _cl_command_queue& queue) {
  if (!queue.in_order())
    for (const driver::StreamId stream : queue.streams)
      if (session.driver().has_completed(session.driver().last_submitted(stream))) return stream;
  if (!queue.in_order() || queue.streams.empty())
    queue.streams.push_back(
        core::create_stream(session.core(), {driver::StreamOrder::Alone, queue.priority}));
  return queue.streams.back();
}

void wait_in_stream(Session& session, HostThread& host, const _cl_event& event, driver::StreamId stream) {
  if (event.last == 0 || event.stream == stream || has_ended(session, event)) return;
  driver::Command command;
  command.kind = driver::CommandKind::StreamWaitEvent;
  command.cost = &session.core().cost(CallKind::StreamWaitEvent);
  command.stream = stream;
  command.after = event.last;
  host.submit_further(std::move(command));
}

// Gives it to the driver; everything before it is there.
cl_int give(Session& session, HostThread& host, _cl_command_queue& queue, const Work& work) {
  _cl_event& event = *work.event;
  const auto failed = std::find_if(work.after.begin(), work.after.end(),
                                   [](const Ref<_cl_event>& one) { return one->status < 0; });
  if (failed != work.after.end()) {
    session.set_status(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return CL_SUCCESS;
  }
  const driver::StreamId stream = stream_for(session, queue);
  for (const Ref<_cl_event>& one : work.after) wait_in_stream(session, host, *one, stream);
  session.set_status(event, CL_SUBMITTED);
  session.commands_of(host.call(), &event);
  cl_int error = work.submit(host, stream);
  if (error == CL_SUCCESS && event.last == 0) error = submit_mark(session, host, queue, stream);
  session.commands_of(host.call(), nullptr);
  event.all_submitted = true;
  if (error != CL_SUCCESS)
    session.set_status(event, error);
  else if (event.commands == 0 && !event.ended())
    session.set_status(event, session.driver().fault() ? CL_OUT_OF_RESOURCES : CL_COMPLETE);
  return error;
}

// Meanwhile functions of the program that are due are called: what it waits for may depend on them.
void wait_until(Session& session, HostThread& host, CallKind kind, const std::function<bool()>& ended) {
  const config::CallLatency& cost = session.core().cost(kind);
  while (!ended()) {
    const bool sleeps = !session.any_due();
    host.wait(cost, [&] { return ended() || session.any_due(); });
    if (sleeps) session.core().driver_work().interrupt(host);
    if (ended()) break;
    call_due(session);
    go_on(session, host);
  }
  session.core().program().flush_print();
  session.core().synchronized(host);
}

void forget_ended(_cl_command_queue& queue) {
  std::erase_if(queue.outstanding, [](const Ref<_cl_event>& one) { return one->ended(); });
  queue.looked_through_at = std::max<std::size_t>(64, 2 * queue.outstanding.size());
}

}  // namespace

cl_int submit_mark(Session& session, HostThread& host, _cl_command_queue& queue, driver::StreamId stream) {
  if (queue.marker == 0) queue.marker = core::create_event(session.core());
  core::record_event(session.core(), host, queue.marker, stream);
  return CL_SUCCESS;
}

cl_int enqueue(Session& session, HostThread& host, _cl_command_queue& queue, cl_command_type type,
               const Waits& waits, const EnqueueOptions& options, Submit submit) {
  if ((waits.count == 0) != (waits.events == nullptr)) return CL_INVALID_EVENT_WAIT_LIST;
  const auto work = std::make_shared<Work>();
  for (cl_uint i = 0; i < waits.count; ++i) {
    _cl_event* const one = find(waits.events[i]);
    if (one == nullptr) return CL_INVALID_EVENT_WAIT_LIST;
    if (one->context.get() != queue.context.get()) return CL_INVALID_CONTEXT;
    work->after.emplace_back(one);
  }
  if (options.blocking)
    for (const Ref<_cl_event>& one : work->after)
      if (one->status < 0) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (!queue.in_order()) {
    if (queue.outstanding.size() >= queue.looked_through_at) forget_ended(queue);
    if (queue.barrier && !queue.barrier->ended()) work->after.push_back(queue.barrier);
    if (options.after_all_if_none && waits.count == 0)
      work->after.insert(work->after.end(), queue.outstanding.begin(), queue.outstanding.end());
  }
  auto* const event = new _cl_event;
  work->event = Ref<_cl_event>(event);
  event->context = queue.context;
  event->queue = Ref<_cl_command_queue>(&queue);
  event->type = type;
  event->uses = options.uses;
  event->queued_ps = std::max(host.clock(), session.core().process().engine().now());
  work->submit = std::move(submit);

  cl_int error = CL_SUCCESS;
  if ((queue.in_order() && !queue.held.empty()) || !ready(*work)) {
    if (queue.held.empty()) session.holding.push_back(&queue), ++queue.holders;
    queue.held.push_back(work);
  } else {
    error = give(session, host, queue, *work);
  }
  if (error == CL_SUCCESS) {
    if (!queue.in_order()) {
      if (options.is_barrier) queue.barrier = work->event;
      queue.outstanding.push_back(work->event);
    }
    if (options.blocking) {
      wait_for(session, host, {work->event});
      if (event->status < 0) error = event->status;
    }
  }
  // One count is of Ref `work->event`, and one is the program's.
  if (waits.event != nullptr && error == CL_SUCCESS) {
    object_made(event);
    *waits.event = event;
  } else {
    event->references = 0;
    let_go(event);
  }
  return error;
}

void go_on(Session& session, HostThread& host) {
  if (session.holding.empty()) return;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t q = 0; q < session.holding.size(); ++q) {
      _cl_command_queue& queue = *session.holding[q];
      for (std::size_t i = 0; i < queue.held.size();) {
        const std::shared_ptr<Work> work = queue.held[i];
        if (!ready(*work)) {
          if (queue.in_order()) break;
          ++i;
          continue;
        }
        queue.held.erase(queue.held.begin() + static_cast<std::ptrdiff_t>(i));
        static_cast<void>(give(session, host, queue, *work));
        changed = true;
      }
    }
  }
  std::vector<_cl_command_queue*> done;
  std::erase_if(session.holding, [&](_cl_command_queue* queue) {
    if (queue->held.empty()) done.push_back(queue);
    return queue->held.empty();
  });
  for (_cl_command_queue* queue : done) let_go(queue);
}

void wait_for(Session& session, HostThread& host, const std::vector<Ref<_cl_event>>& events) {
  wait_until(session, host, CallKind::EventSynchronize, [&] {
    return std::all_of(events.begin(), events.end(),
                       [&](const Ref<_cl_event>& one) { return has_ended(session, *one); });
  });
}

void finish(Session& session, HostThread& host, _cl_command_queue& queue) {
  host.stage_one(session.core().cost(CallKind::StreamSynchronize));
  wait_until(session, host, CallKind::StreamSynchronize, [&] {
    return queue.held.empty() &&
           std::all_of(queue.streams.begin(), queue.streams.end(),
                       [&](driver::StreamId stream) { return session.driver().stream_idle(stream); });
  });
  forget_ended(queue);
}

}  // namespace duet::opencl
