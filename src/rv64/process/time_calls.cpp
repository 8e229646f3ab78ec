// System calls on time. It is simulated: an instruction takes 1 ns, and sleeping moves the clock on.
#include <algorithm>
#include <cerrno>
#include <ctime>

#include "rv64/process/linux_constants.h"
#include "rv64/process/system_calls.h"

namespace duet::rv64 {

std::optional<std::int64_t> SystemCalls::clock(std::uint64_t id) {
  switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return kEpoch + now();
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      return kBooted + now();
    case CLOCK_PROCESS_CPUTIME_ID:
      return static_cast<std::int64_t>(threads_.retired());
    case CLOCK_THREAD_CPUTIME_ID:
      return static_cast<std::int64_t>(threads_.current().executed);
    default:
      return std::nullopt;
  }
}

std::int64_t SystemCalls::sleep_until(std::int64_t time, std::int64_t result, std::uint64_t futex,
                                      std::uint32_t bits, std::uint64_t remaining) {
  Thread::Wait wait{futex, bits, time, result, 0};
  wait.remaining = remaining;
  threads_.wait(wait);
  return result;
}

std::int64_t SystemCalls::clock_gettime(const Arguments& a) {
  const auto time = clock(a[0]);
  if (!time) return -EINVAL;
  return put(a[1], timespec_of(*time)) ? 0 : -EFAULT;
}
std::int64_t SystemCalls::clock_getres(const Arguments& a) {
  if (!clock(a[0])) return -EINVAL;
  return a[1] == 0 || put(a[1], Timespec{0, 1}) ? 0 : -EFAULT;
}
std::int64_t SystemCalls::gettimeofday(const Arguments& a) {
  const std::int64_t time = kEpoch + now();
  return a[0] == 0 || put(a[0], Timespec{time / kSecond, time % kSecond / 1000}) ? 0 : -EFAULT;
}
std::int64_t SystemCalls::nanosleep(const Arguments& a) {
  return clock_nanosleep({CLOCK_MONOTONIC, 0, a[0], a[1]});
}
std::int64_t SystemCalls::clock_nanosleep(const Arguments& a) {
  Timespec request;
  const auto begin = clock(a[0]);
  if (!begin) return -EINVAL;
  if (!get(a[2], request)) return -EFAULT;
  const auto time = nanoseconds_of(request);
  if (!time) return -EINVAL;
  if ((a[1] & TIMER_ABSTIME) != 0) return sleep_until(now() + (*time - *begin), 0);
  return sleep_until(now() + *time, 0, 0, 0, a[3]);
}
std::int64_t SystemCalls::times(const Arguments& a) {
  constexpr std::int64_t kTick = kSecond / 100;
  const std::int64_t ticks[4] = {static_cast<std::int64_t>(threads_.retired()) / kTick, 0, 0, 0};
  if (a[0] != 0 && !put(a[0], ticks)) return -EFAULT;
  return (kBooted + now()) / kTick;
}
std::int64_t SystemCalls::getrusage(const Arguments& a) {
  constexpr int kSelf = 0, kChildren = -1, kThread = 1;
  const int whose = static_cast<int>(a[0]);
  if (whose != kSelf && whose != kChildren && whose != kThread) return -EINVAL;
  // User time, system time, and fourteen counts, the first of them memory in KiB.
  std::int64_t usage[18] = {};
  if (whose != kChildren) {  // there are none
    const auto time =
        static_cast<std::int64_t>(whose == kSelf ? threads_.retired() : threads_.current().executed);
    usage[0] = time / kSecond;
    usage[1] = time % kSecond / 1000;
    usage[4] = static_cast<std::int64_t>(space_.memory().resident_bytes() / 1024);
  }
  return put(a[1], usage) ? 0 : -EFAULT;
}

}  // namespace duet::rv64
