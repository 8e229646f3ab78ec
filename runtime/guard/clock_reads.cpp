// The C library's functions for the time and for sleeps, with the simulated clock (guard/clock.h).
#include <sys/resource.h>
#include <sys/times.h>
#include <threads.h>
#include <unistd.h>

#include "guard/clock.h"
#include "guard/library.h"

using namespace duet::guard;

namespace {

// The processor time of a process is its clock's: a host waits for the GPU by polling.
timeval timeval_of(Time time) {
  const timespec parts = timespec_of(time);
  return {parts.tv_sec, parts.tv_nsec / 1000};
}

int fail(int error) {
  errno = error;
  return -1;
}

bool valid(const timespec& time) {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000;
}

}  // namespace

DUET_INTERPOSED int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!is_simulated(clock)) return DUET_NEXT(clock_gettime)(clock, time);
  *time = shown(clock, read_clock());
  return 0;
}

DUET_INTERPOSED int gettimeofday(timeval* time, void* zone) noexcept {
  if (!simulated() || zone != nullptr) return DUET_NEXT(gettimeofday)(time, zone);
  const timespec parts = shown(CLOCK_REALTIME, read_clock());
  *time = {parts.tv_sec, parts.tv_nsec / 1000};
  return 0;
}

DUET_INTERPOSED time_t time(time_t* seconds) noexcept {
  if (!simulated()) return DUET_NEXT(time)(seconds);
  const time_t result = shown(CLOCK_REALTIME, read_clock()).tv_sec;
  if (seconds != nullptr) *seconds = result;
  return result;
}

DUET_INTERPOSED int timespec_get(timespec* time, int base) noexcept {
  if (!simulated() || base != TIME_UTC) return DUET_NEXT(timespec_get)(time, base);
  *time = shown(CLOCK_REALTIME, read_clock());
  return base;
}

DUET_INTERPOSED clock_t clock() noexcept {
  if (!simulated()) return DUET_NEXT(clock)();
  return static_cast<clock_t>(read_clock() / (kSecond / CLOCKS_PER_SEC));
}

DUET_INTERPOSED clock_t times(tms* used) noexcept {
  if (!simulated()) return DUET_NEXT(times)(used);
  const auto ticks = static_cast<clock_t>(read_clock() / (kSecond / static_cast<Time>(sysconf(_SC_CLK_TCK))));
  if (used != nullptr) *used = {ticks, 0, 0, 0};
  return ticks;
}

DUET_INTERPOSED int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  const int result = DUET_NEXT(getrusage)(who, usage);
  if (result != 0 || who == RUSAGE_CHILDREN || !simulated()) return result;
  usage->ru_utime = timeval_of(read_clock());
  usage->ru_stime = {0, 0};
  return 0;
}

DUET_INTERPOSED int nanosleep(const timespec* duration, timespec* left) {
  if (!simulated()) return DUET_NEXT(nanosleep)(duration, left);
  if (!valid(*duration)) return fail(EINVAL);
  sleep_for(duration_of(*duration));
  if (left != nullptr) *left = {0, 0};
  return 0;
}

DUET_INTERPOSED int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!is_simulated(clock)) return DUET_NEXT(clock_nanosleep)(clock, flags, time, left);
  if (!valid(*time)) return EINVAL;
  Time duration = duration_of(*time);
  if ((flags & TIMER_ABSTIME) != 0) {
    const Time end = time_of(clock, *time), begin = now();
    duration = end > begin ? end - begin : 0;
  } else if (left != nullptr) {
    *left = {0, 0};
  }
  sleep_for(duration);
  return 0;
}

DUET_INTERPOSED int usleep(useconds_t duration) {
  if (!simulated()) return DUET_NEXT(usleep)(duration);
  sleep_for(duration * kMicrosecond);
  return 0;
}

DUET_INTERPOSED unsigned sleep(unsigned seconds) {
  if (!simulated()) return DUET_NEXT(sleep)(seconds);
  sleep_for(seconds * kSecond);
  return 0;
}

DUET_INTERPOSED int thrd_sleep(const timespec* duration, timespec* left) {
  if (!simulated()) return DUET_NEXT(thrd_sleep)(duration, left);
  return nanosleep(duration, left);
}
