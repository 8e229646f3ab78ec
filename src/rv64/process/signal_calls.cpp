// Signals: the system calls, and what a signal does that is sent.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"
#include "rv64/process/linux_constants.h"
#include "rv64/process/system_calls.h"

namespace duet::rv64 {

namespace {

bool is_ignored_by_default(unsigned signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

}  // namespace

std::int64_t SystemCalls::rt_sigaction(const Arguments& a) {
  if (a[0] == 0 || a[0] > kSignals || a[3] != sizeof(std::uint64_t)) return -EINVAL;
  Action& action = actions_[a[0]];
  const Action old = action;
  if (a[1] != 0) {
    if (a[0] == SIGKILL || a[0] == SIGSTOP) return -EINVAL;
    if (!get(a[1], action)) return -EFAULT;
  }
  return a[2] == 0 || put(a[2], old) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::rt_sigprocmask(const Arguments& a) {
  if (a[3] != sizeof(std::uint64_t)) return -EINVAL;
  std::uint64_t& mask = threads_.current().mask;
  const std::uint64_t old = mask;
  if (a[1] != 0) {
    std::uint64_t set = 0;
    if (!get(a[1], set)) return -EFAULT;
    switch (a[0]) {
      case SIG_BLOCK:
        mask |= set;
        break;
      case SIG_UNBLOCK:
        mask &= ~set;
        break;
      case SIG_SETMASK:
        mask = set;
        break;
      default:
        return -EINVAL;
    }
    mask &= ~kNeverBlocked;
  }
  return a[2] == 0 || put(a[2], old) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::sigaltstack(const Arguments& a) {
  Thread::AlternateStack& stack = threads_.current().alternate_stack;
  const Thread::AlternateStack old = stack;
  if (a[0] != 0 && !get(a[0], stack)) return -EFAULT;
  return a[1] == 0 || put(a[1], old) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::send(Thread* thread, std::uint64_t signal) {
  if (signal > kSignals) return -EINVAL;
  if (thread == nullptr) return -ESRCH;
  if (signal != 0) thread->pending |= bit_of(static_cast<unsigned>(signal));
  return 0;
}
std::int64_t SystemCalls::kill(const Arguments& a) {
  const auto target = static_cast<std::uint32_t>(a[0]);
  return send(target == kProcess || target == 0 ? &threads_.current() : nullptr, a[1]);
}
std::int64_t SystemCalls::tkill(const Arguments& a) { return send(threads_.find(a[0]), a[1]); }
std::int64_t SystemCalls::tgkill(const Arguments& a) {
  return a[0] != kProcess ? -ESRCH : send(threads_.find(a[1]), a[2]);
}

void SystemCalls::deliver_pending() {
  for (const auto& thread : threads_.all())
    for (unsigned signal = 1; signal <= kSignals && !end_; ++signal) {
      if ((thread->pending & ~thread->mask & bit_of(signal)) == 0) continue;
      thread->pending &= ~bit_of(signal);
      const std::uint64_t handler = actions_[signal].handler;
      if (handler == kIgnored || (handler == kDefault && is_ignored_by_default(signal))) continue;
      if (handler != kDefault)
        throw Error(fmt::format(
            "{}: it has sent itself signal {} ({}), for which it has a handler: handlers of signals "
            "are not simulated",
            program_, signal, ::strsignal(static_cast<int>(signal))));
      end_ = ProcessEnd{0, static_cast<int>(signal)};
    }
}

}  // namespace duet::rv64
