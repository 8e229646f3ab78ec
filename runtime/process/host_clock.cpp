#include "process/host_clock.h"

#include <algorithm>
#include <mutex>

#include "guard/clock_protocol.h"
#include "process/program.h"

namespace duet::process {

namespace {

HostClock* the_clock = nullptr;

// Signal handlers may ask for the time while it is being worked out.
struct InsideCall {
  explicit InsideCall(Thread& thread) : thread_(thread) { ++thread_.calls_inside; }
  ~InsideCall() { --thread_.calls_inside; }
  Thread& thread_;
};

__attribute__((constructor)) void library_is_loaded() {
  if (duet_clock_join != nullptr) duet_clock_join();
}

}  // namespace

int HostTime::set_level(int level) {
  return duet_clock_host_level != nullptr ? duet_clock_host_level(level) : 0;
}

void HostClock::begin(Program& program) {
  if (duet_clock_begin == nullptr) return;
  program_ = &program;
  the_clock = this;
  static constexpr duet_clock_session kSession{spend, reach, busy};
  begin_ps_ = duet_clock_begin(&kSession);
}

void HostClock::first_call(Thread& thread) const {
  if (program_ == nullptr) return;
  const Picoseconds own = duet_clock_own();
  if (own > begin_ps_) thread.host->work(own - begin_ps_);
}

Picoseconds HostClock::known(Picoseconds own) const {
  Picoseconds time = std::max(own, begin_ps_ + machine_ps_.load(std::memory_order_relaxed));
  if (const Thread* thread = Program::known_thread())
    time = std::max(time, begin_ps_ + thread->host->clock());
  return time;
}

// `move(time)` is the position of a thread at `time`.
template <typename Move>
Picoseconds HostClock::move(Picoseconds own, Move move) {
  if (Program::forked()) return move(known(own));
  Thread* const thread = Program::known_thread();
  // Inside a call, in a function of the program called from there, the machine's time is not the thread's.
  if (thread != nullptr && thread->calls_inside != 0)
    return std::max(known(own), begin_ps_ + program_->machine().engine().now());
  const auto lock = program_->try_lock();
  if (!lock.owns_lock()) return known(own);
  if (thread == nullptr) return move(known(own));
  const HostTime host_time;
  const InsideCall inside(*thread);
  program_->pass_real_time(*thread);
  host::HostThread& host = *thread->host;
  const Picoseconds from = std::max(host.clock(), program_->machine().engine().now());
  const Picoseconds to = move(std::max(own, begin_ps_ + from)) - begin_ps_;
  if (to > host.clock()) host.work(to - host.clock());
  if (program_->driver().outstanding() == 0) return begin_ps_ + to;
  return or_end("a function of the host's clock", [&] {
    program_->simulate_to(host);
    return begin_ps_ + host.clock();
  });
}

Picoseconds HostClock::spend(Picoseconds own, Picoseconds cost) {
  return the_clock->move(own, [cost](Picoseconds time) { return time + cost; });
}

Picoseconds HostClock::reach(Picoseconds own, Picoseconds until) {
  const Picoseconds time = the_clock->move(own, [until](Picoseconds time) { return std::max(time, until); });
  if (time >= until) return time;
  // Another thread is inside a call, or this one is. It has waited all the same.
  const Picoseconds to = until - the_clock->begin_ps_;
  if (Thread* const thread = Program::known_thread();
      thread != nullptr && thread->calls_inside == 0 && to > thread->host->clock())
    thread->host->work(to - thread->host->clock());
  return until;
}

bool HostClock::busy() {
  if (Program::forked()) return false;
  return !the_clock->program_->try_lock().owns_lock();
}

}  // namespace duet::process
