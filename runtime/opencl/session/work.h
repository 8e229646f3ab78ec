// A command of a queue: from the call that enqueues it to the driver.
//
//   return enqueue(session, host, *queue, CL_COMMAND_FILL_BUFFER, {count, list, event}, false,
//                  [=](HostThread& host, driver::StreamId stream) { ...submit to the stream...; return
//                  CL_SUCCESS; });
//
// The driver orders a command behind others of its stream, and behind events of other streams. What waits
// for a user event is held here, with everything behind it in its queue, until the program sets the event:
// a hardware channel that waited for it would hold up other queues. So a call may fail later: then its event
// has the error.
#pragma once

#include <functional>

#include "opencl/session/session.h"

// The last three parameters of a function that enqueues.
struct duet_cl_waits {
  cl_uint count;
  const cl_event* events;
  cl_event* event;
};

struct duet_cl_work {
  duet::opencl::Ref<_cl_event> event;
  std::vector<duet::opencl::Ref<_cl_event>> after;
  bool is_barrier = false;
  std::function<cl_int(duet::opencl::HostThread&, duet::driver::StreamId)> submit;
};

namespace duet::opencl {

using Waits = duet_cl_waits;
using Submit = std::function<cl_int(HostThread&, driver::StreamId)>;

struct EnqueueOptions {
  bool blocking = false;
  bool is_barrier = false;           // later commands of its queue come behind it
  bool after_all_if_none = false;    // without a list it comes behind all that the queue has
  std::vector<Ref<_cl_mem>> uses{};  // kept until it has ended
};

// The checks of the list, then the command. `queue` is valid.
cl_int enqueue(Session& session, HostThread& host, _cl_command_queue& queue, cl_command_type type,
               const Waits& waits, const EnqueueOptions& options, Submit submit);
// A command that does nothing but come after others.
cl_int submit_mark(Session& session, HostThread& host, _cl_command_queue& queue, driver::StreamId stream);

// Commands that may be given to the driver now are.
void go_on(Session& session, HostThread& host);
// The thread waits until the event has ended, or all of the queue has.
void wait_for(Session& session, HostThread& host, _cl_event& event);
void finish(Session& session, HostThread& host, _cl_command_queue& queue);

}  // namespace duet::opencl
