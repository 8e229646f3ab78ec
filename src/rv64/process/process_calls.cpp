// System calls on the process, its threads, and the machine.
#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "rv64/process/linux_constants.h"
#include "rv64/process/system_calls.h"

namespace duet::rv64 {

std::int64_t SystemCalls::exit_group(const Arguments& a) {
  end_ = ProcessEnd{static_cast<int>(a[0] & 255), 0};
  return 0;
}

std::int64_t SystemCalls::set_robust_list(const Arguments& a) {
  constexpr std::uint64_t kHeadBytes = 24;
  if (a[1] != kHeadBytes) return -EINVAL;
  threads_.current().robust_list = a[0];
  return 0;
}

// A lock that the current thread leaves behind; its next owner sees the death of the old one.
void SystemCalls::leave_lock(std::uint64_t address) {
  std::uint32_t word = 0;
  if (address % sizeof word != 0 || !get(address, word)) return;
  if ((word & FUTEX_TID_MASK) != threads_.current().id) return;
  if (put(address, (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED) && (word & FUTEX_WAITERS) != 0)
    threads_.wake(address, 1, kAnyBits);
}

// The list is the program's, and may be nonsense.
void SystemCalls::leave_locks() {
  struct {
    std::uint64_t next, offset, pending;
  } head;
  const std::uint64_t list = threads_.current().robust_list;
  if (list == 0 || !get(list, head)) return;
  std::uint64_t entry = head.next;
  for (unsigned i = 0; i < ROBUST_LIST_LIMIT && entry != list; ++i) {
    std::uint64_t next = 0;
    const std::uint64_t at = entry & ~std::uint64_t{1};  // bit 0: a lock with priority inheritance
    if (!get(at, next)) return;
    if (at != (head.pending & ~std::uint64_t{1})) leave_lock(at + head.offset);
    entry = next;
  }
  if (head.pending != 0) leave_lock((head.pending & ~std::uint64_t{1}) + head.offset);
}

// Of a thread. The process ends with its last, and the status of its first.
std::int64_t SystemCalls::exit(const Arguments& a) {
  Thread& thread = threads_.current();
  if (thread.id == kProcess) leader_status_ = static_cast<int>(a[0] & 255);
  leave_locks();
  if (thread.clear_at_exit != 0 && put(thread.clear_at_exit, std::uint32_t{0}))
    threads_.wake(thread.clear_at_exit, 1, kAnyBits);
  if (threads_.all().size() == 1)
    end_ = ProcessEnd{leader_status_, 0};
  else
    threads_.exit_current();
  return 0;
}

std::int64_t SystemCalls::clone(const Arguments& a) {
  constexpr std::uint64_t kShared = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
  if ((a[0] & kShared) != kShared) {
    if (told_.insert(220).second)
      fmt::print(stderr, "duet: {}: child processes are not simulated: clone answers ENOSYS (pc {:#x})\n",
                 program_, threads_.current().hart.pc);
    return -ENOSYS;
  }
  Thread* made = threads_.create();
  if (made == nullptr) return -EAGAIN;
  const auto id = static_cast<std::uint32_t>(made->id);
  made->hart.pc += 4;
  made->hart.x[kArgument0] = 0;
  if (a[1] != 0) made->hart.x[kStackPointer] = a[1];
  if ((a[0] & CLONE_SETTLS) != 0) made->hart.x[kThreadPointer] = a[3];
  if ((a[0] & CLONE_CHILD_CLEARTID) != 0) made->clear_at_exit = a[4];
  if ((a[0] & CLONE_PARENT_SETTID) != 0) put(a[2], id);
  if ((a[0] & CLONE_CHILD_SETTID) != 0) put(a[4], id);
  return id;
}

std::int64_t SystemCalls::process_id(const Arguments&) { return kProcess; }
std::int64_t SystemCalls::thread_id(const Arguments&) {
  return static_cast<std::int64_t>(threads_.current().id);
}
std::int64_t SystemCalls::parent_id(const Arguments&) { return kParent; }
std::int64_t SystemCalls::user_id(const Arguments&) { return kUser; }
std::int64_t SystemCalls::set_tid_address(const Arguments& a) {
  threads_.current().clear_at_exit = a[0];
  return thread_id(a);
}
std::int64_t SystemCalls::sched_yield(const Arguments&) {
  threads_.yield();
  return 0;
}

std::int64_t SystemCalls::uname(const Arguments& a) {
  struct utsname names {};
  std::strcpy(names.sysname, "Linux");
  std::strcpy(names.nodename, "duet");
  std::strcpy(names.release, "6.1.0");
  std::strcpy(names.version, "#1 Duet");
  std::strcpy(names.machine, "riscv64");
  std::strcpy(names.domainname, "(none)");
  return put(a[0], names) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::prlimit64(const Arguments& a) {
  if (a[0] != 0 && a[0] != kProcess) return -ESRCH;
  if (a[1] >= RLIM_NLIMITS) return -EINVAL;
  if (a[2] != 0) return -EPERM;  // the limits are fixed
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t limit = kNone;
  if (a[1] == RLIMIT_STACK) limit = AddressSpace::kStackBytes;
  if (a[1] == RLIMIT_NOFILE) limit = 1024;
  if (a[1] == RLIMIT_AS) limit = AddressSpace::kMostMappedBytes;
  if (a[1] == RLIMIT_CORE) limit = 0;
  const std::uint64_t both[2] = {limit, limit};
  return a[3] == 0 || put(a[3], both) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::sysinfo(const Arguments& a) {
  struct {
    std::int64_t uptime;
    std::uint64_t loads[3], total_ram, free_ram, shared_ram, buffer_ram, total_swap, free_swap;
    std::uint16_t processes, padding;
    std::uint64_t total_high, free_high;
    std::uint32_t unit;
  } info{};
  info.uptime = (kBooted + now()) / kSecond;
  info.total_ram = AddressSpace::kMostMappedBytes;
  info.free_ram = info.total_ram - space_.memory().resident_bytes();
  info.processes = 1;
  info.unit = 1;
  return put(a[0], info) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::getrandom(const Arguments& a) {
  constexpr std::uint64_t kMost = 33'554'431;  // as Linux has it
  std::vector<std::byte> bytes(std::min(a[1], kMost));
  random_.fill(bytes);
  if (space_.memory().write(VirtualAddress(a[0]), bytes)) return -EFAULT;
  return static_cast<std::int64_t>(bytes.size());
}

std::int64_t SystemCalls::sched_getaffinity(const Arguments& a) {
  if (a[0] != 0 && threads_.find(a[0]) == nullptr) return -ESRCH;
  const std::uint64_t harts = 1;
  if (a[1] < sizeof harts || a[1] % sizeof harts != 0) return -EINVAL;
  return put(a[2], harts) ? static_cast<std::int64_t>(sizeof harts) : -EFAULT;
}

std::int64_t SystemCalls::sched_setaffinity(const Arguments& a) {
  if (a[0] != 0 && threads_.find(a[0]) == nullptr) return -ESRCH;
  std::uint8_t harts = 0;
  if (a[1] != 0 && !get(a[2], harts)) return -EFAULT;
  return (harts & 1) != 0 ? 0 : -EINVAL;  // there is one
}
// All threads take turns (SCHED_OTHER), whatever is asked for.
std::int64_t SystemCalls::sched_getscheduler(const Arguments& a) {
  return a[0] == 0 || threads_.find(a[0]) != nullptr ? SCHED_OTHER : -ESRCH;
}
std::int64_t SystemCalls::sched_setscheduler(const Arguments& a) {
  if (a[0] != 0 && threads_.find(a[0]) == nullptr) return -ESRCH;
  constexpr std::uint64_t kBatch = 3, kIdle = 5;
  return a[1] == SCHED_OTHER || a[1] == kBatch || a[1] == kIdle ? 0 : -EPERM;
}
std::int64_t SystemCalls::sched_getparam(const Arguments& a) {
  if (a[0] != 0 && threads_.find(a[0]) == nullptr) return -ESRCH;
  return put(a[1], std::int32_t{0}) ? 0 : -EFAULT;
}
std::int64_t SystemCalls::sched_priority(const Arguments& a) {
  const bool most = threads_.current().hart.x[kSystemCallNumber] == 125;
  if (a[0] == SCHED_FIFO || a[0] == SCHED_RR) return most ? 99 : 1;
  return a[0] <= 6 && a[0] != 4 ? 0 : -EINVAL;
}
std::int64_t SystemCalls::sched_rr_get_interval(const Arguments& a) {
  if (a[0] != 0 && threads_.find(a[0]) == nullptr) return -ESRCH;
  return put(a[1], timespec_of(Threads::kTurn)) ? 0 : -EFAULT;
}
std::int64_t SystemCalls::getcpu(const Arguments& a) {
  const std::uint32_t first = 0;
  return (a[0] == 0 || put(a[0], first)) && (a[1] == 0 || put(a[1], first)) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::prctl(const Arguments& a) {
  Thread& thread = threads_.current();
  switch (static_cast<int>(a[0])) {
    case PR_SET_NAME: {
      std::array<char, Thread::kNameBytes> name{};
      for (std::size_t i = 0; i + 1 < name.size(); ++i) {
        if (!get(a[1] + i, name[i])) return -EFAULT;
        if (name[i] == 0) break;
      }
      thread.name = name;
      return 0;
    }
    case PR_GET_NAME:
      return put(a[1], thread.name) ? 0 : -EFAULT;
    case PR_GET_DUMPABLE:
      return 0;  // there are no core files
    case PR_GET_NO_NEW_PRIVS:
      return 1;  // nothing is ever executed
    default:
      return -EINVAL;
  }
}

std::int64_t SystemCalls::futex(const Arguments& a) {
  const std::uint64_t operation = a[1] & FUTEX_CMD_MASK;
  const bool with_bits = operation == FUTEX_WAIT_BITSET || operation == FUTEX_WAKE_BITSET;
  const std::uint32_t bits = with_bits ? static_cast<std::uint32_t>(a[5]) : kAnyBits;
  if (a[0] % 4 != 0 || bits == 0) return -EINVAL;
  if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET)
    return threads_.wake(a[0], static_cast<std::uint32_t>(a[2]), bits);
  if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) {
    constexpr std::uint64_t kFutexes = std::uint64_t{1} << 32;  // beside the calls
    if (told_.insert(kFutexes + operation).second)
      fmt::print(stderr, "duet: {}: futex operation {} at pc {:#x} is not simulated: it answers ENOSYS\n",
                 program_, operation, threads_.current().hart.pc);
    return -ENOSYS;
  }
  std::uint32_t value = 0;
  if (!get(a[0], value)) return -EFAULT;
  if (value != static_cast<std::uint32_t>(a[2])) return -EAGAIN;
  if (a[3] == 0) {
    Thread::Wait wait{a[0], bits, std::nullopt, 0, 0};
    wait.restart = Thread::Restart::IfAsked;
    threads_.wait(wait);
    return 0;
  }
  Timespec timeout;
  if (!get(a[3], timeout)) return -EFAULT;
  const auto time = nanoseconds_of(timeout);
  if (!time) return -EINVAL;
  const std::int64_t origin = (a[1] & FUTEX_CLOCK_REALTIME) != 0 ? kEpoch : kBooted;
  return sleep_until(operation == FUTEX_WAIT ? now() + *time : *time - origin, -ETIMEDOUT, a[0], bits);
}

}  // namespace duet::rv64
