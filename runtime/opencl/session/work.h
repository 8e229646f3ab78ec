// A command of a queue: from the call that enqueues it to the driver.
//
//   return enqueue(session, host, *queue, CL_COMMAND_FILL_BUFFER, {count, list, event}, {},
//                  [&session, to, words, bytes](HostThread& by, driver::StreamId stream) {
//                    return submit_pattern(session, by, stream, to, words, bytes);
//                  });
//
// The driver orders a command behind others of its stream, and behind events of other streams. What waits
// for a user event is held here, with everything behind it in its queue, until the program sets the event:
// a hardware channel that waited for it would hold up other queues. So a call may fail later: then its event
// has the error.
#pragma once

#include <functional>

#include "opencl/session/session.h"

namespace duet::opencl {

// The last three parameters of a function that enqueues.
struct Waits {
  cl_uint count;
  const cl_event* events;
  cl_event* event;
};

using Submit = std::function<cl_int(HostThread&, driver::StreamId)>;

struct Work {
  Ref<_cl_event> event;
  std::vector<Ref<_cl_event>> after;
  Submit submit;
};

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
// The thread waits until the events have ended, or all of the queue has; then output of kernels appears.
void wait_for(Session& session, HostThread& host, const std::vector<Ref<_cl_event>>& events);
void finish(Session& session, HostThread& host, _cl_command_queue& queue);

}  // namespace duet::opencl
