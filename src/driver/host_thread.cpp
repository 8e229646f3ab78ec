#include "driver/host_thread.h"

#include <algorithm>

#include "base/error.h"

namespace duet::driver {

void HostThread::enter() {
  clock_ = std::max(clock_, engine_.now());
  engine_.run_until(clock_);
}

void HostThread::stage_one(CallKind kind) {
  enter();
  clock_ += latency_of(config_, kind).call_ns * kPicosecondsPerNanosecond;
  engine_.run_until(clock_);
}

CommandId HostThread::submit(Command command) {
  enter();
  const StreamId stream = command.stream;
  const auto room = [&] { return driver_.can_submit(stream); };
  if (!engine_.run_while_not(room))
    throw Deadlock("the queue of stream " + std::to_string(stream) +
                   " is full and the machine can make no progress: " + engine_.waiting_report());
  stage_one(command.call);
  return driver_.submit(std::move(command));
}

void HostThread::wait(CallKind kind, const std::function<bool()>& done) {
  enter();
  if (!engine_.run_while_not(done))
    throw Deadlock("the host waits and the machine can make no progress: " + engine_.waiting_report());
  clock_ = std::max(clock_, engine_.now()) + latency_of(config_, kind).finish_ns * kPicosecondsPerNanosecond;
  engine_.run_until(clock_);
}

}  // namespace duet::driver
