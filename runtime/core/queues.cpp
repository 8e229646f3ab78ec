#include "core/queues.h"

#include "core/memory_pool.h"
#include "machine/watch/host_pages.h"

namespace duet::core {

namespace {

driver::Command event_command(Runtime& runtime, driver::CommandKind kind, CallKind cost,
                              driver::EventId event, driver::StreamId stream) {
  driver::Command command;
  command.kind = kind;
  command.cost = &runtime.cost(cost);
  command.stream = stream;
  command.event = event;
  return command;
}

template <typename Done>
void wait(Runtime& runtime, host::HostThread& host, CallKind kind, Done&& done) {
  host.stage_one(runtime.cost(kind));
  host.wait(runtime.cost(kind), std::forward<Done>(done));
  trim_pools(runtime);
}

}  // namespace

driver::StreamId create_stream(Runtime& runtime, const driver::StreamRules& rules) {
  const driver::StreamId stream = runtime.driver().create_stream(rules);
  runtime.process().resource_changed("stream", stream, true);
  return stream;
}

void destroy_stream(Runtime& runtime, driver::StreamId stream) {
  runtime.process().resource_changed("stream", stream, false);
  runtime.driver().destroy_stream(stream);
}

driver::EventId create_event(Runtime& runtime) {
  const driver::EventId event = runtime.driver().create_event();
  runtime.process().resource_changed("event", event, true);
  return event;
}

void destroy_event(Runtime& runtime, driver::EventId event) {
  runtime.process().resource_changed("event", event, false);
  runtime.driver().destroy_event(event);
}

void record_event(Runtime& runtime, host::HostThread& host, driver::EventId event, driver::StreamId stream) {
  host.submit(event_command(runtime, driver::CommandKind::EventRecord, CallKind::EventRecord, event, stream));
}

void hold_stream(Runtime& runtime, host::HostThread& host, driver::StreamId stream, driver::EventId event) {
  host.submit(
      event_command(runtime, driver::CommandKind::StreamWaitEvent, CallKind::StreamWaitEvent, event, stream));
}

void wait_for_stream(Runtime& runtime, host::HostThread& host, driver::StreamId stream) {
  wait(runtime, host, CallKind::StreamSynchronize, [&] { return runtime.driver().stream_idle(stream); });
}

void wait_for_event(Runtime& runtime, host::HostThread& host, driver::EventId event) {
  wait(runtime, host, CallKind::EventSynchronize, [&] { return runtime.driver().event_complete(event); });
}

void wait_for_device(Runtime& runtime, host::HostThread& host) {
  wait(runtime, host, CallKind::DeviceSynchronize, [&] { return runtime.driver().all_idle(); });
}

Status query_stream(Runtime& runtime, driver::StreamId stream) {
  return runtime.driver().stream_idle(stream) ? Reason::Success : Reason::NotReady;
}

Status query_event(Runtime& runtime, driver::EventId event) {
  return runtime.driver().event_complete(event) ? Reason::Success : Reason::NotReady;
}

Status time_between(Runtime& runtime, driver::EventId start, driver::EventId end, double& picoseconds) {
  auto& driver = runtime.driver();
  if (!driver.event_recorded(start) || !driver.event_recorded(end)) return Reason::InvalidValue;
  const auto from = driver.event_time(start), to = driver.event_time(end);
  if (!from || !to) return Reason::NotReady;
  picoseconds = static_cast<double>(*to) - static_cast<double>(*from);
  return {};
}

driver::Command host_function_command(Runtime& runtime, HostFunction function) {
  driver::Command command;
  command.kind = driver::CommandKind::HostFunction;
  command.cost = &runtime.cost(CallKind::HostFunction);
  if (process::ProgramSide* const side = runtime.program().side()) {
    command.begin_host_function = [&runtime, side, there = std::move(function.there)](driver::CommandId id) {
      ManagedGuard* const guard = runtime.managed_guard();
      if (guard != nullptr)
        runtime.process().engine().between_ticks([guard] { guard->host_function_begins(); });
      side->begin(there(), [&runtime, id, guard] {
        if (guard != nullptr) guard->host_function_ended();
        runtime.driver().host_function_ended(id);
      });
    };
    return command;
  }
  command.host_function = [&runtime, here = std::move(function.here)] {
    runtime.in_host_function = true;
    const process::ProgramTime program_time;
    const auto guarded = [&] {
      if (ManagedGuard* guard = runtime.managed_guard())
        guard->around_host_function(here);
      else
        here();
    };
    if (machine::HostPages* pages = runtime.process().host_pages())
      pages->around_host_function(guarded);
    else
      guarded();
    runtime.in_host_function = false;
  };
  return command;
}

}  // namespace duet::core
