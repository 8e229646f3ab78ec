// Streams, events and host functions, by the driver's numbers. An API's handles hold them.
//
//   const driver::StreamId stream = create_stream(runtime, {driver::StreamOrder::Alone, 0});
//   record_event(runtime, host, event, stream);
//   wait_for_event(runtime, host, event);
//
// Waiting charges the call's latency, and gives back the pools' memory. Left out: default streams, because
// their rules are an API's (driver::StreamRules).
#pragma once

#include <functional>

#include "core/runtime.h"

namespace duet::core {

driver::StreamId create_stream(Runtime& runtime, const driver::StreamRules& rules);
// Its commands still run.
void destroy_stream(Runtime& runtime, driver::StreamId stream);
driver::EventId create_event(Runtime& runtime);
void destroy_event(Runtime& runtime, driver::EventId event);

// An event happens when the stream comes to its record.
void record_event(Runtime& runtime, host::HostThread& host, driver::EventId event, driver::StreamId stream);
// Later commands of the stream wait for the event's latest record.
void hold_stream(Runtime& runtime, host::HostThread& host, driver::StreamId stream, driver::EventId event);

// The thread waits.
void wait_for_stream(Runtime& runtime, host::HostThread& host, driver::StreamId stream);
void wait_for_event(Runtime& runtime, host::HostThread& host, driver::EventId event);
void wait_for_device(Runtime& runtime, host::HostThread& host);
// Success or NotReady.
Status query_stream(Runtime& runtime, driver::StreamId stream);
Status query_event(Runtime& runtime, driver::EventId event);
// Picoseconds from one event to the other, negative where it is the later one. InvalidValue: one has never
// been recorded. NotReady: one has not happened.
Status time_between(Runtime& runtime, driver::EventId start, driver::EventId end, double& picoseconds);

// A function of the program in a stream. It runs in simulated time, and its calls are refused.
struct HostFunction {
  std::function<void()> here;
  // The same in a program outside this process; asked when the stream comes to it.
  std::function<process::ProgramSide::Function()> there;
};
// All of the command but its stream.
driver::Command host_function_command(Runtime& runtime, HostFunction function);

}  // namespace duet::core
