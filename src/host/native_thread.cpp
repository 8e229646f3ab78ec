#include "host/native_thread.h"

#include <algorithm>

#include "base/error.h"

namespace duet::host {

// The watch looks at fixed points of simulated time, so what it counts is the same in every run.
void NativeThread::run_until(Picoseconds time) {
  if (watch_ == nullptr) return engine_.run_until(time);
  while (engine_.now() < time) {
    engine_.run_until(std::min(time, watch_->horizon(engine_.now(), engine_.next_time())));
    watch_->look(engine_.now());
  }
  engine_.run_until(time);
}

bool NativeThread::run_while_not(const std::function<bool()>& done) {
  if (watch_ == nullptr) return engine_.run_while_not(done);
  while (true) {
    const Picoseconds next = engine_.next_time();
    if (next == kNever) return done();
    const Picoseconds limit = watch_->horizon(engine_.now(), next);
    if (engine_.run_while_not(done, limit)) return true;
    if (engine_.next_time() != kNever) engine_.run_until(limit);
    watch_->look(engine_.now());
  }
}

// Other threads of the program go on while this one waits, and what they submit may be what it waits for.
bool NativeThread::wait_while_not(const std::function<bool()>& done) {
  const Picoseconds since = engine_.now();
  while (!run_while_not(done)) {
    if (!wait_for_another || !wait_for_another()) return false;
    if (watch_ != nullptr) watch_->look(engine_.now());
  }
  if (waited && engine_.now() > since) waited(since);
  return true;
}

void NativeThread::enter() {
  clock_ = std::max(clock_, engine_.now());
  run_until(clock_);
}

void NativeThread::stage_one(const config::CallLatency& cost) {
  enter();
  clock_ += cost.call_ns * kPicosecondsPerNanosecond;
  run_until(clock_);
}

void NativeThread::wait_for_room(StreamId stream) {
  enter();
  if (!wait_while_not([&] { return driver_.can_submit(stream); }))
    throw Deadlock("the queue of stream " + std::to_string(stream) +
                   " is full and the machine can make no progress: " + standstill());
}

std::string NativeThread::standstill() const {
  return watch_ != nullptr ? watch_->standstill() : engine_.waiting_report();
}

CommandId NativeThread::submit(Command command) {
  if (command.cost == nullptr) throw Error("host: a command without a cost");
  wait_for_room(command.stream);
  stage_one(*command.cost);
  return enqueue(std::move(command));
}

CommandId NativeThread::submit_further(Command command) {
  wait_for_room(command.stream);
  enter();
  return enqueue(std::move(command));
}

CommandId NativeThread::enqueue(Command command) {
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

void NativeThread::spend(std::uint64_t ns) {
  clock_ = std::max(clock_, engine_.now()) + ns * kPicosecondsPerNanosecond;
  run_until(clock_);
}

void NativeThread::wait(const config::CallLatency& cost, const std::function<bool()>& done) {
  wait(done);
  spend(cost.finish_ns);
}

void NativeThread::wait(const std::function<bool()>& done) {
  enter();
  if (!wait_while_not(done)) throw Deadlock("the machine can make no progress: " + standstill());
}

}  // namespace duet::host
