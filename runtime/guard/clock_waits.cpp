// Waits with a limit, of the simulated clock (guard/clock.h). The wait itself is the host's, as long by the
// host's clock as the limit is away by the thread's: the awaited thread may compute, in the host's time. When
// the time is over, the thread has waited until the limit, unless another thread is inside a CUDA call:
// simulated time passes with the call only, and the limit has not come before the machine has reached it.
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstddef>

#include "guard/clock.h"
#include "guard/library.h"

using namespace duet::guard;

namespace {

constexpr Time kMoment = 1000 * kMicrosecond;

struct Limit {
  explicit Limit(Time until) : time(until) {
    const Time from = now();
    left = time > from ? time - from : 0;
  }
  Time time;
  Time left;  // of the thread's clock
  // The limit by the host's clock; at least a moment later while another thread is inside a call.
  timespec host(clockid_t clock) const {
    const Time wait = left != 0 && busy() ? std::max(left, kMoment) : left;
    timespec end = host_now(clock);
    const timespec add = timespec_of(std::min(wait, kForever));
    end.tv_sec += add.tv_sec;
    end.tv_nsec += add.tv_nsec;
    if (end.tv_nsec >= 1'000'000'000) {
      ++end.tv_sec;
      end.tv_nsec -= 1'000'000'000;
    }
    return end;
  }
  // The host's wait has timed out. True: so has the thread's.
  bool over() const {
    if (left != 0 && busy() && now() < time) return false;
    reach(time);
    return true;
  }
};

// A condition's clock is in its attributes, and only its times are known: dates are far beyond any machine's
// time since its start.
clockid_t clock_of(const timespec& time) {
  constexpr std::int64_t kDates = 500'000'000;
  return time.tv_sec >= kDates ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

// `wait` waits by the host's monotonic clock and returns an error. A wait with spurious ends may miss an
// event between two waits, so it is not repeated.
template <typename Wait>
int wait_until(clockid_t clock, const timespec& end, bool repeat, Wait wait) {
  const Time time = time_of(clock, end);
  while (true) {
    const Limit limit(time);
    const int error = wait(limit.host(CLOCK_MONOTONIC));
    if (error != ETIMEDOUT) return error;
    if (limit.over()) return error;
    if (!repeat) return 0;
  }
}

bool valid(const timespec* time) { return time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000; }

int with_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int thread_result(int error) {
  return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                       const timespec* end) {
  return wait_until(clock, *end, false, [&](const timespec& host_end) {
    return DUET_NEXT(pthread_cond_clockwait)(condition, mutex, CLOCK_MONOTONIC, &host_end);
  });
}

int wait_for_mutex(pthread_mutex_t* mutex, clockid_t clock, const timespec* end) {
  return wait_until(clock, *end, true, [&](const timespec& host_end) {
    return DUET_NEXT(pthread_mutex_clocklock)(mutex, CLOCK_MONOTONIC, &host_end);
  });
}

int wait_for_reading(pthread_rwlock_t* lock, clockid_t clock, const timespec* end) {
  return wait_until(clock, *end, true, [&](const timespec& host_end) {
    return DUET_NEXT(pthread_rwlock_clockrdlock)(lock, CLOCK_MONOTONIC, &host_end);
  });
}

int wait_for_writing(pthread_rwlock_t* lock, clockid_t clock, const timespec* end) {
  return wait_until(clock, *end, true, [&](const timespec& host_end) {
    return DUET_NEXT(pthread_rwlock_clockwrlock)(lock, CLOCK_MONOTONIC, &host_end);
  });
}

int wait_for_semaphore(sem_t* semaphore, clockid_t clock, const timespec* end) {
  return with_errno(wait_until(clock, *end, true, [&](const timespec& host_end) {
    return DUET_NEXT(sem_clockwait)(semaphore, CLOCK_MONOTONIC, &host_end) == 0 ? 0 : errno;
  }));
}

int wait_for_thread(pthread_t thread, void** result, clockid_t clock, const timespec* end) {
  const int error = wait_until(clock, *end, true, [&](const timespec& host_end) {
    return DUET_NEXT(pthread_clockjoin_np)(thread, result, CLOCK_MONOTONIC, &host_end);
  });
  if (error == 0) joined();
  return error;
}

// A wait for files or signals, until `limit` by the host's clock.
template <typename Wait>
int wait_for(Time limit, int timed_out, Wait wait) {
  if (limit == 0 || limit >= kForever || !simulated()) return wait();
  const Time end = now() + limit;
  const int result = wait();
  if (result == timed_out && (result == 0 || errno == EAGAIN)) reach(end);
  return result;
}

// Milliseconds; none are for ever.
Time limit_of(int milliseconds) {
  return milliseconds < 0 ? kForever : static_cast<Time>(milliseconds) * 1000 * kMicrosecond;
}
Time limit_of(const timespec* limit) { return limit == nullptr ? kForever : duration_of(*limit); }

long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  register long sixth asm("r9") = f;
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return result;
}

// The C++ library's futures, latches and atomic waits call futex themselves.
long futex_wait(long address, long operation, long value, long limit, long mask) {
  const auto wait = [&](long to, const timespec& time) {
    return -static_cast<int>(
        system_call(SYS_futex, address, to, value, reinterpret_cast<long>(&time), 0, mask));
  };
  const timespec& time = *reinterpret_cast<const timespec*>(limit);
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT) {
    const Time end = now() + duration_of(time);
    const int error = wait(operation, time);
    if (error == ETIMEDOUT) reach(end);
    return -error;
  }
  const clockid_t clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  return -wait_until(clock, time, true, [&](const timespec& host_end) {
    return wait(operation & ~FUTEX_CLOCK_REALTIME, host_end);
  });
}

}  // namespace

DUET_INTERPOSED int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           const timespec* end) {
  using Function = int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*);
  // The oldest of the C library's two has another layout of conditions.
  static const auto next = reinterpret_cast<Function>(next_function("pthread_cond_timedwait", "GLIBC_2.3.2"));
  if (!simulated() || !valid(end)) return next(condition, mutex, end);
  return wait_for_condition(condition, mutex, clock_of(*end), end);
}
DUET_INTERPOSED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                           const timespec* end) {
  if (!is_simulated(clock) || !valid(end))
    return DUET_NEXT(pthread_cond_clockwait)(condition, mutex, clock, end);
  return wait_for_condition(condition, mutex, clock, end);
}
DUET_INTERPOSED int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* end) {
  if (!simulated() || !valid(end)) return DUET_NEXT(cnd_timedwait)(condition, mutex, end);
  // The C library's own are POSIX's.
  return thread_result(wait_for_condition(reinterpret_cast<pthread_cond_t*>(condition),
                                          reinterpret_cast<pthread_mutex_t*>(mutex), CLOCK_REALTIME, end));
}

DUET_INTERPOSED int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* end) noexcept {
  if (!simulated() || !valid(end)) return DUET_NEXT(pthread_mutex_timedlock)(mutex, end);
  return wait_for_mutex(mutex, CLOCK_REALTIME, end);
}
DUET_INTERPOSED int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                            const timespec* end) noexcept {
  if (!is_simulated(clock) || !valid(end)) return DUET_NEXT(pthread_mutex_clocklock)(mutex, clock, end);
  return wait_for_mutex(mutex, clock, end);
}
DUET_INTERPOSED int mtx_timedlock(mtx_t* mutex, const timespec* end) {
  if (!simulated() || !valid(end)) return DUET_NEXT(mtx_timedlock)(mutex, end);
  return thread_result(wait_for_mutex(reinterpret_cast<pthread_mutex_t*>(mutex), CLOCK_REALTIME, end));
}

DUET_INTERPOSED int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* end) noexcept {
  if (!simulated() || !valid(end)) return DUET_NEXT(pthread_rwlock_timedrdlock)(lock, end);
  return wait_for_reading(lock, CLOCK_REALTIME, end);
}
DUET_INTERPOSED int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                               const timespec* end) noexcept {
  if (!is_simulated(clock) || !valid(end)) return DUET_NEXT(pthread_rwlock_clockrdlock)(lock, clock, end);
  return wait_for_reading(lock, clock, end);
}
DUET_INTERPOSED int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* end) noexcept {
  if (!simulated() || !valid(end)) return DUET_NEXT(pthread_rwlock_timedwrlock)(lock, end);
  return wait_for_writing(lock, CLOCK_REALTIME, end);
}
DUET_INTERPOSED int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                               const timespec* end) noexcept {
  if (!is_simulated(clock) || !valid(end)) return DUET_NEXT(pthread_rwlock_clockwrlock)(lock, clock, end);
  return wait_for_writing(lock, clock, end);
}

DUET_INTERPOSED int sem_timedwait(sem_t* semaphore, const timespec* end) {
  if (!simulated() || !valid(end)) return DUET_NEXT(sem_timedwait)(semaphore, end);
  return wait_for_semaphore(semaphore, CLOCK_REALTIME, end);
}
DUET_INTERPOSED int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* end) {
  if (!is_simulated(clock) || !valid(end)) return DUET_NEXT(sem_clockwait)(semaphore, clock, end);
  return wait_for_semaphore(semaphore, clock, end);
}

DUET_INTERPOSED int pthread_join(pthread_t thread, void** result) {
  const int error = DUET_NEXT(pthread_join)(thread, result);
  if (error == 0 && simulated()) joined();
  return error;
}
DUET_INTERPOSED int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* end) {
  if (!simulated() || end == nullptr || !valid(end))
    return DUET_NEXT(pthread_timedjoin_np)(thread, result, end);
  return wait_for_thread(thread, result, CLOCK_REALTIME, end);
}
DUET_INTERPOSED int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                         const timespec* end) {
  if (!is_simulated(clock) || end == nullptr || !valid(end))
    return DUET_NEXT(pthread_clockjoin_np)(thread, result, clock, end);
  return wait_for_thread(thread, result, clock, end);
}

DUET_INTERPOSED int poll(pollfd* files, nfds_t count, int limit) {
  if (count == 0 && limit > 0 && simulated()) {
    sleep_for(limit_of(limit));
    return 0;
  }
  return wait_for(limit_of(limit), 0, [&] { return DUET_NEXT(poll)(files, count, limit); });
}
DUET_INTERPOSED int ppoll(pollfd* files, nfds_t count, const timespec* limit, const sigset_t* mask) {
  return wait_for(limit_of(limit), 0, [&] { return DUET_NEXT(ppoll)(files, count, limit, mask); });
}
// poll and ppoll with _FORTIFY_SOURCE.
extern "C" {
int __poll_chk(pollfd*, nfds_t, int, std::size_t);
int __ppoll_chk(pollfd*, nfds_t, const timespec*, const sigset_t*, std::size_t);
}
DUET_INTERPOSED int __poll_chk(pollfd* files, nfds_t count, int limit, std::size_t bytes) {
  return wait_for(limit_of(limit), 0, [&] { return DUET_NEXT(__poll_chk)(files, count, limit, bytes); });
}
DUET_INTERPOSED int __ppoll_chk(pollfd* files, nfds_t count, const timespec* limit, const sigset_t* mask,
                                std::size_t bytes) {
  return wait_for(limit_of(limit), 0,
                  [&] { return DUET_NEXT(__ppoll_chk)(files, count, limit, mask, bytes); });
}

DUET_INTERPOSED int select(int count, fd_set* read, fd_set* write, fd_set* other, timeval* limit) {
  const Time time = limit == nullptr ? kForever : duration_of({limit->tv_sec, limit->tv_usec * 1000});
  if (count == 0 && limit != nullptr && simulated()) {
    sleep_for(time);
    *limit = {0, 0};
    return 0;
  }
  return wait_for(time, 0, [&] { return DUET_NEXT(select)(count, read, write, other, limit); });
}
DUET_INTERPOSED int pselect(int count, fd_set* read, fd_set* write, fd_set* other, const timespec* limit,
                            const sigset_t* mask) {
  return wait_for(limit_of(limit), 0,
                  [&] { return DUET_NEXT(pselect)(count, read, write, other, limit, mask); });
}

DUET_INTERPOSED int epoll_wait(int set, epoll_event* events, int count, int limit) {
  return wait_for(limit_of(limit), 0, [&] { return DUET_NEXT(epoll_wait)(set, events, count, limit); });
}
DUET_INTERPOSED int epoll_pwait(int set, epoll_event* events, int count, int limit, const sigset_t* mask) {
  return wait_for(limit_of(limit), 0,
                  [&] { return DUET_NEXT(epoll_pwait)(set, events, count, limit, mask); });
}
DUET_INTERPOSED int epoll_pwait2(int set, epoll_event* events, int count, const timespec* limit,
                                 const sigset_t* mask) {
  return wait_for(limit_of(limit), 0,
                  [&] { return DUET_NEXT(epoll_pwait2)(set, events, count, limit, mask); });
}

DUET_INTERPOSED int sigtimedwait(const sigset_t* signals, siginfo_t* info, const timespec* limit) {
  return wait_for(limit_of(limit), -1, [&] { return DUET_NEXT(sigtimedwait)(signals, info, limit); });
}

DUET_INTERPOSED long syscall(long number, ...) noexcept {
  std::va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  const long operation = a[1] & FUTEX_CMD_MASK;
  const bool limited =
      number == SYS_futex && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && a[3] != 0;
  const long result = limited && simulated() ? futex_wait(a[0], a[1], a[2], a[3], a[5])
                                             : system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}
