// System calls on signals.
#include <cerrno>
#include <csignal>

#include "rv64/process/linux_constants.h"
#include "rv64/process/system_calls.h"

namespace duet::rv64 {

std::int64_t SystemCalls::rt_sigaction(const Arguments& a) {
  if (a[0] == 0 || a[0] > kSignals || a[3] != sizeof(std::uint64_t)) return -EINVAL;
  const auto signal = static_cast<unsigned>(a[0]);
  const Action old = actions_[signal];
  if (a[1] != 0) {
    Action action;
    if (signal == SIGKILL || signal == SIGSTOP) return -EINVAL;
    if (!get(a[1], action)) return -EFAULT;
    action.mask &= ~kNeverBlocked;
    actions_[signal] = action;
    if (is_ignored(signal)) {
      pending_.drop(signal);
      for (const auto& thread : threads_.all()) thread->pending.drop(signal);
    }
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
  constexpr std::uint32_t kOnStack = 1, kDisable = 2, kAutoDisarm = 1u << 31;
  constexpr std::uint64_t kLeastBytes = 2048;  // MINSIGSTKSZ
  Thread& thread = threads_.current();
  Thread::AlternateStack& stack = thread.alternate_stack;
  const bool in_use = stack.holds(thread.hart.x[kStackPointer]);
  Thread::AlternateStack old = stack;
  old.flags = (stack.flags & kAutoDisarm) | (stack.bytes == 0 ? kDisable : in_use ? kOnStack : 0);
  if (a[0] != 0) {
    Thread::AlternateStack made;
    if (!get(a[0], made)) return -EFAULT;
    if (in_use) return -EPERM;
    const std::uint32_t mode = made.flags & ~kAutoDisarm;
    if (mode != 0 && mode != kOnStack && mode != kDisable) return -EINVAL;
    if (mode == kDisable)
      made.address = made.bytes = 0;
    else if (made.bytes < kLeastBytes)
      return -ENOMEM;
    stack = made;
  }
  return a[1] == 0 || put(a[1], old) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::rt_sigpending(const Arguments& a) {
  if (a[1] > sizeof(std::uint64_t)) return -EINVAL;
  const Thread& thread = threads_.current();
  const std::uint64_t pending = (thread.pending.bits() | pending_.bits()) & thread.mask;
  return put(a[0], pending) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::rt_sigsuspend(const Arguments& a) {
  std::uint64_t mask = 0;
  if (a[1] != sizeof mask) return -EINVAL;
  if (!get(a[0], mask)) return -EFAULT;
  Thread& thread = threads_.current();
  if (!thread.saved_mask) thread.saved_mask = thread.mask;
  thread.mask = mask & ~kNeverBlocked;
  Thread::Wait wait;
  wait.repeats = true;
  threads_.wait(wait);
  return kAgainLater;
}

std::int64_t SystemCalls::rt_sigtimedwait(const Arguments& a) {
  std::uint64_t wanted = 0;
  if (a[3] != sizeof wanted) return -EINVAL;
  if (!get(a[0], wanted)) return -EFAULT;
  wanted &= ~kNeverBlocked;
  Thread& thread = threads_.current();
  if (!thread.progress.began && a[2] != 0) {
    Timespec timeout;
    if (!get(a[2], timeout)) return -EFAULT;
    const auto time = nanoseconds_of(timeout);
    if (!time) return -EINVAL;
    thread.progress.deadline = now() + *time;
  }
  thread.progress.began = true;
  auto info = thread.pending.take(wanted);
  if (!info) info = pending_.take(wanted);
  if (info) return a[1] == 0 || put(a[1], *info) ? info->signal : -EFAULT;
  if (thread.progress.deadline && *thread.progress.deadline <= now()) return -EAGAIN;
  Thread::Wait wait;
  wait.repeats = true;
  wait.deadline = thread.progress.deadline;
  wait.signals = wanted;
  threads_.wait(wait);
  return kAgainLater;
}

std::int64_t SystemCalls::send_if_valid(Thread* thread, std::uint64_t signal, const SignalInfo& info) {
  if (signal > kSignals) return -EINVAL;
  if (thread == nullptr) return -ESRCH;
  return signal == 0 ? 0 : send(thread, info);
}
std::int64_t SystemCalls::kill(const Arguments& a) {
  const auto target = static_cast<std::int32_t>(a[0]);
  const auto self = static_cast<std::int32_t>(kProcess);
  if (a[1] > kSignals) return -EINVAL;
  if (target != self && target != 0 && target != -self) return -ESRCH;
  return a[1] == 0 ? 0 : send_to_process(from_this_process(static_cast<unsigned>(a[1]), SI_USER));
}
std::int64_t SystemCalls::tkill(const Arguments& a) { return tgkill({kProcess, a[0], a[1]}); }
std::int64_t SystemCalls::tgkill(const Arguments& a) {
  return send_if_valid(a[0] == kProcess ? threads_.find(a[1]) : nullptr, a[2],
                       from_this_process(static_cast<unsigned>(a[2]), SI_TKILL));
}
std::int64_t SystemCalls::rt_sigqueueinfo(const Arguments& a) {
  SignalInfo info;
  if (!get(a[2], info)) return -EFAULT;
  if (a[1] > kSignals) return -EINVAL;
  if (static_cast<std::uint32_t>(a[0]) != kProcess) return -ESRCH;
  info.signal = static_cast<std::int32_t>(a[1]);
  return a[1] == 0 ? 0 : send_to_process(info);
}
std::int64_t SystemCalls::rt_tgsigqueueinfo(const Arguments& a) {
  SignalInfo info;
  if (!get(a[3], info)) return -EFAULT;
  info.signal = static_cast<std::int32_t>(a[2]);
  return send_if_valid(a[0] == kProcess ? threads_.find(a[1]) : nullptr, a[2], info);
}

}  // namespace duet::rv64
