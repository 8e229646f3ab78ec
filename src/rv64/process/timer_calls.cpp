// System calls on timers. Their signals come when simulated time has come to them.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <sys/time.h>

#include "rv64/process/linux_constants.h"
#include "rv64/process/system_calls.h"

namespace duet::rv64 {
namespace {

struct Timeval {
  std::int64_t seconds, microseconds;
};
struct IntervalTimerValue {
  Timeval interval, value;
};
struct TimerValue {
  Timespec interval, value;
};

// In the guest's sigevent.
struct SignalEvent {
  std::uint64_t value;
  std::int32_t signal, notify, thread;
};

std::optional<std::int64_t> nanoseconds_of(const Timeval& time) {
  if (time.microseconds < 0 || time.microseconds >= 1'000'000) return std::nullopt;
  return nanoseconds_of(Timespec{time.seconds, time.microseconds * 1000});
}
Timeval timeval_of(std::int64_t time) { return {time / kSecond, (time % kSecond + 999) / 1000 % 1'000'000}; }

std::int64_t left(const Timer& timer, const Timers::Now& now) {
  return timer.expiry ? std::max<std::int64_t>(1, *timer.expiry - now.of(timer)) : 0;
}

}  // namespace

void SystemCalls::expire_timers() {
  timers_.expire(times_now(), [this](Timer& timer, std::int64_t expiries) {
    if (timer.signal == 0) return;
    SignalInfo info;
    info.signal = static_cast<std::int32_t>(timer.signal);
    if (timer.id < 0) {
      info.code = SI_KERNEL;
      send_to_process(info);
      return;
    }
    Thread* thread = timer.thread == 0 ? nullptr : threads_.find(timer.thread);
    if (timer.thread != 0 && thread == nullptr) return;  // it has ended
    const PendingSignals& pending = thread != nullptr ? thread->pending : pending_;
    const bool still_there = (pending.bits() & bit_of(timer.signal)) != 0;
    timer.overruns = still_there ? timer.overruns + expiries : expiries - 1;
    if (still_there) return;
    info.code = SI_TIMER;
    info.fields[0] = static_cast<std::uint32_t>(timer.id) | static_cast<std::uint64_t>(timer.overruns) << 32;
    info.fields[1] = timer.value;
    thread != nullptr ? send(thread, info) : send_to_process(info);
  });
}

std::int64_t SystemCalls::getitimer(const Arguments& a) {
  if (a[0] > ITIMER_PROF) return -EINVAL;
  const Timer& timer = timers_.interval_timer(static_cast<unsigned>(a[0]));
  const IntervalTimerValue value{timeval_of(timer.interval), timeval_of(left(timer, times_now()))};
  return put(a[1], value) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::setitimer(const Arguments& a) {
  if (a[0] > ITIMER_PROF) return -EINVAL;
  IntervalTimerValue wanted{};
  if (a[1] != 0 && !get(a[1], wanted)) return -EFAULT;
  const auto value = nanoseconds_of(wanted.value), interval = nanoseconds_of(wanted.interval);
  if (!value || !interval) return -EINVAL;
  if (a[2] != 0)
    if (const std::int64_t error = getitimer({a[0], a[2]})) return error;
  constexpr unsigned kSignalOf[] = {SIGALRM, SIGVTALRM, SIGPROF};
  Timer& timer = timers_.interval_timer(static_cast<unsigned>(a[0]));
  timer.clock = a[0] == ITIMER_REAL ? Timer::Clock::Elapsed : Timer::Clock::Executed;
  timer.signal = kSignalOf[a[0]];
  timer.interval = *interval;
  timer.expiry.reset();
  if (*value != 0) timer.expiry = times_now().of(timer) + *value;
  return 0;
}

std::int64_t SystemCalls::timer_create(const Arguments& a) {
  constexpr std::int32_t kSignal = 0, kNone = 1, kThread = 4;  // SIGEV_
  const auto clock_now = clock(a[0]);
  if (!clock_now || a[0] == CLOCK_THREAD_CPUTIME_ID) return -EINVAL;
  SignalEvent event{0, SIGALRM, kSignal, 0};
  if (a[1] != 0 && !get(a[1], event)) return -EFAULT;
  const bool sends = event.notify != kNone;
  if (sends && event.notify != kSignal && event.notify != kThread) return -EINVAL;
  if (sends && (event.signal < 1 || event.signal > static_cast<int>(kSignals))) return -EINVAL;
  if (event.notify == kThread && threads_.find(static_cast<std::uint32_t>(event.thread)) == nullptr)
    return -EINVAL;
  Timer* timer = timers_.create();
  if (timer == nullptr) return -EAGAIN;
  timer->clock = a[0] == CLOCK_PROCESS_CPUTIME_ID ? Timer::Clock::Executed : Timer::Clock::Elapsed;
  timer->clock_origin = *clock_now - times_now().of(*timer);
  timer->signal = sends ? static_cast<unsigned>(event.signal) : 0;
  timer->value = a[1] == 0 ? static_cast<std::uint64_t>(timer->id) : event.value;
  timer->thread = event.notify == kThread ? static_cast<std::uint32_t>(event.thread) : 0;
  if (put(a[2], static_cast<std::int32_t>(timer->id))) return 0;
  timers_.remove(static_cast<std::uint64_t>(timer->id));
  return -EFAULT;
}

std::int64_t SystemCalls::timer_gettime(const Arguments& a) {
  const Timer* timer = timers_.find(a[0]);
  if (timer == nullptr) return -EINVAL;
  const TimerValue value{timespec_of(timer->interval), timespec_of(left(*timer, times_now()))};
  return put(a[1], value) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::timer_settime(const Arguments& a) {
  Timer* timer = timers_.find(a[0]);
  TimerValue wanted;
  if (timer == nullptr) return -EINVAL;
  if (!get(a[2], wanted)) return -EFAULT;
  const auto value = nanoseconds_of(wanted.value), interval = nanoseconds_of(wanted.interval);
  if (!value || !interval) return -EINVAL;
  if (a[3] != 0)
    if (const std::int64_t error = timer_gettime({a[0], a[3]})) return error;
  const bool absolute = (a[1] & TIMER_ABSTIME) != 0;
  timer->interval = *interval;
  timer->overruns = 0;
  timer->expiry.reset();
  if (*value != 0) timer->expiry = *value + (absolute ? -timer->clock_origin : times_now().of(*timer));
  return 0;
}

std::int64_t SystemCalls::timer_getoverrun(const Arguments& a) {
  const Timer* timer = timers_.find(a[0]);
  return timer == nullptr ? -EINVAL : timer->overruns;
}
std::int64_t SystemCalls::timer_delete(const Arguments& a) { return timers_.remove(a[0]) ? 0 : -EINVAL; }

}  // namespace duet::rv64
