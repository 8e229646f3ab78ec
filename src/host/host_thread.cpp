#include "host/host_thread.h"

#include <algorithm>

#include "base/error.h"

namespace duet::host {

bool HostThread::wait_while_not(const std::function<bool()>& done) {
  const Picoseconds since = engine_.now();
  if (!run_while_not(done)) return false;
  if (waited && engine_.now() > since) waited(since);
  return true;
}

void HostThread::enter() {
  clock_ = std::max(clock_, engine_.now());
  run_until(clock_);
}

void HostThread::stage_one(const config::CallLatency& cost) {
  enter();
  clock_ += left_of(cost.call_ns * kPicosecondsPerNanosecond);
  run_until(clock_);
}

void HostThread::wait_for_room(StreamId stream) {
  enter();
  if (!wait_while_not([&] { return driver_.can_submit(stream); }))
    throw Deadlock("the queue of stream " + std::to_string(stream) +
                   " is full and the machine can make no progress: " + standstill());
}

std::string HostThread::standstill() const {
  return watch_ != nullptr ? watch_->standstill() : engine_.waiting_report();
}

CommandId HostThread::submit(Command command) {
  if (command.cost == nullptr) throw Error("host: a command without a cost");
  wait_for_room(command.stream);
  stage_one(*command.cost);
  return enqueue(std::move(command));
}

CommandId HostThread::submit_further(Command command) {
  wait_for_room(command.stream);
  enter();
  return enqueue(std::move(command));
}

CommandId HostThread::enqueue(Command command) {
  command.call = call_;
  if (!config_.profiler.counters || command.kind != CommandKind::Launch)
    return driver_.submit(std::move(command));
  wait([this] { return !driver_.kernel_outstanding(); });
  spend(config_.profiler.setup_ns);
  const CommandId id = driver_.submit(std::move(command));
  wait([this, id] { return driver_.complete(id); });
  spend(config_.profiler.readout_ns);
  return id;
}

void HostThread::spend(std::uint64_t ns) {
  clock_ = std::max(clock_, engine_.now()) + ns * kPicosecondsPerNanosecond;
  run_until(clock_);
}

void HostThread::wait(const config::CallLatency& cost, const std::function<bool()>& done) {
  wait(done);
  spend(cost.finish_ns);
}

void HostThread::wait(const std::function<bool()>& done) {
  enter();
  if (!wait_while_not(done)) throw Deadlock("the machine can make no progress: " + standstill());
}

}  // namespace duet::host
