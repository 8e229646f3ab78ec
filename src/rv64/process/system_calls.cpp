#include "rv64/process/system_calls.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "base/error.h"

namespace duet::rv64 {
namespace {

constexpr std::uint64_t kProcess = Threads::kFirstId, kParent = 1, kUser = 1000;
constexpr std::int64_t kSecond = 1'000'000'000;
// The date, and how long the machine has been on, when the run begins.
constexpr std::int64_t kEpoch = 946'684'800 * kSecond, kBooted = 1000 * kSecond;

struct Timespec {
  std::int64_t seconds, nanoseconds;
};
Timespec timespec_of(std::int64_t time) { return {time / kSecond, time % kSecond}; }
std::optional<std::int64_t> nanoseconds_of(const Timespec& time) {
  if (time.seconds < 0 || time.nanoseconds < 0 || time.nanoseconds >= kSecond) return std::nullopt;
  return std::min<std::int64_t>(time.seconds, 1'000'000'000) * kSecond + time.nanoseconds;
}

constexpr std::uint64_t bit_of(unsigned signal) { return std::uint64_t{1} << (signal - 1); }
constexpr std::uint64_t kNeverBlocked = bit_of(SIGKILL) | bit_of(SIGSTOP);
constexpr std::uint32_t kAnyBits = ~std::uint32_t{0};  // of a futex
constexpr std::uint64_t kDefault = 0, kIgnored = 1;    // handlers

bool is_ignored_by_default(unsigned signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

const char* name_of(std::uint64_t number) {
  switch (number) {
#define NAME(number, name) \
  case number:             \
    return #name;
#include "rv64/process/system_call_names.def"
#undef NAME
    default:
      return nullptr;
  }
}

}  // namespace

struct SystemCalls::Call {
  std::uint64_t number;
  std::int64_t (SystemCalls::*function)(const Arguments&);
};

const SystemCalls::Call* SystemCalls::find(std::uint64_t number) {
  using S = SystemCalls;
  static constexpr Call kCalls[] = {
      {17, &S::getcwd},
      {23, &S::dup},
      {24, &S::dup3},
      {25, &S::fcntl},
      {29, &S::ioctl},
      {34, &S::mkdirat},
      {35, &S::unlinkat},
      {46, &S::ftruncate},
      {48, &S::faccessat},
      {56, &S::openat},
      {57, &S::close},
      {59, &S::pipe2},
      {61, &S::getdents64},
      {62, &S::lseek},
      {63, &S::read},
      {64, &S::write},
      {65, &S::readv},
      {66, &S::writev},
      {67, &S::pread64},
      {68, &S::pwrite64},
      {78, &S::readlinkat},
      {79, &S::newfstatat},
      {80, &S::fstat},
      {82, &S::fsync},
      {83, &S::fsync},
      {93, &S::exit},
      {94, &S::exit_group},
      {96, &S::set_tid_address},
      {98, &S::futex},
      {99, &S::succeed},  // set_robust_list
      {101, &S::nanosleep},
      {113, &S::clock_gettime},
      {114, &S::clock_getres},
      {115, &S::clock_nanosleep},
      {123, &S::sched_getaffinity},
      {124, &S::sched_yield},
      {129, &S::kill},
      {130, &S::tkill},
      {131, &S::tgkill},
      {132, &S::sigaltstack},
      {134, &S::rt_sigaction},
      {135, &S::rt_sigprocmask},
      {153, &S::times},
      {160, &S::uname},
      {165, &S::getrusage},
      {169, &S::gettimeofday},
      {172, &S::process_id},
      {173, &S::parent_id},
      {174, &S::user_id},
      {175, &S::user_id},
      {176, &S::user_id},
      {177, &S::user_id},
      {178, &S::thread_id},
      {179, &S::sysinfo},
      {214, &S::brk},
      {215, &S::munmap},
      {216, &S::mremap},
      {220, &S::clone},
      {222, &S::mmap},
      {226, &S::mprotect},
      {233, &S::madvise},
      {258, &S::absent},
      {259, &S::succeed},
      {261, &S::prlimit64},  // riscv_hwprobe, riscv_flush_icache
      {276, &S::renameat2},
      {278, &S::getrandom},
      {293, &S::absent},  // rseq
      {435, &S::absent},
      {439, &S::faccessat},  // clone3, faccessat2
  };
  const auto* end = std::end(kCalls);
  const auto* at =
      std::lower_bound(std::begin(kCalls), end, number,
                       [](const Call& call, std::uint64_t wanted) { return call.number < wanted; });
  return at != end && at->number == number ? at : nullptr;
}

SystemCalls::SystemCalls(const std::string& program, AddressSpace& space)
    : files_(program), space_(space), program_(program), threads_(space.memory()) {}

void SystemCalls::serve() {
  Hart& hart = threads_.current().hart;
  const std::uint64_t number = hart.x[kSystemCallNumber];
  Arguments arguments;
  std::copy_n(hart.x.begin() + kArgument0, arguments.size(), arguments.begin());
  const std::uint64_t thread = threads_.current().id;
  const Call* call = find(number);
  const std::int64_t result =
      call != nullptr ? (this->*call->function)(arguments) : refuse_unknown(number, hart.pc);
  if (threads_.current().id == thread && result != kAgainLater) {  // unless it has ended
    hart.x[kArgument0] = static_cast<std::uint64_t>(result);
    hart.pc += 4;
  }
  if (!end_) deliver_pending();
}

void SystemCalls::choose_thread() {
  while (!threads_.choose(now())) {
    const auto deadline = threads_.earliest_deadline();
    if (!deadline) {
      std::string message = fmt::format("{}: deadlock: every thread waits for another", program_);
      for (const auto& thread : threads_.all())
        message += fmt::format("\n  thread {} at futex {:#x}, pc {:#x}", thread->id, thread->wait->futex,
                               thread->hart.pc);
      throw Deadlock(message);
    }
    slept_ += *deadline - now();
  }
}

std::int64_t SystemCalls::refuse_unknown(std::uint64_t number, std::uint64_t pc) {
  if (told_.insert(number).second) {
    const char* name = name_of(number);
    fmt::print(stderr, "duet: {}: system call {} ({}) at pc {:#x} is not simulated: it answers ENOSYS\n",
               program_, number, name != nullptr ? name : "of no known name", pc);
  }
  return -ENOSYS;
}

// Whether nothing is there yet, and another thread may be the one that writes it. If all others sleep, time
// passes until one wakes up.
bool SystemCalls::must_wait_to_read(int host) {
  pollfd file{host, POLLIN, 0};
  if (threads_.all().size() == 1 || ::poll(&file, 1, 0) != 0) return false;
  if (threads_.another_can_run()) return true;
  const auto deadline = threads_.earliest_deadline();
  if (deadline) slept_ += std::max<std::int64_t>(0, *deadline - now());
  return deadline.has_value();
}

std::int64_t SystemCalls::absent(const Arguments&) { return -ENOSYS; }
std::int64_t SystemCalls::succeed(const Arguments&) { return 0; }

// ---- memory ----

std::int64_t SystemCalls::brk(const Arguments& a) { return space_.brk(a[0]); }
std::int64_t SystemCalls::munmap(const Arguments& a) { return space_.unmap(a[0], a[1]); }
std::int64_t SystemCalls::mprotect(const Arguments& a) {
  return space_.protect(a[0], a[1], static_cast<int>(a[2]));
}
std::int64_t SystemCalls::mremap(const Arguments& a) {
  return space_.remap(a[0], a[1], a[2], static_cast<int>(a[3]), a[4]);
}
std::int64_t SystemCalls::madvise(const Arguments& a) {
  return space_.advise(a[0], a[1], static_cast<int>(a[2]));
}

std::int64_t SystemCalls::mmap(const Arguments& a) {
  const int protection = static_cast<int>(a[2]), flags = static_cast<int>(a[3]);
  const int kind = flags & MAP_TYPE;
  if (kind != MAP_PRIVATE && kind != MAP_SHARED && kind != MAP_SHARED_VALIDATE) return -EINVAL;
  if ((flags & MAP_ANONYMOUS) != 0) return space_.map(a[0], a[1], protection, flags, nullptr);
  const int host = files_.host(a[4]);
  if (host < 0) return host;
  if (a[5] % kPageBytes != 0) return -EINVAL;
  // Writing into a file by memory is left out.
  if (kind != MAP_PRIVATE && (protection & PROT_WRITE) != 0) return -ENODEV;
  if (a[1] > AddressSpace::kMostMappedBytes) return -ENOMEM;
  std::vector<std::byte> contents;
  constexpr std::size_t kPart = 1_MiB;
  while (contents.size() < a[1]) {
    const std::size_t had = contents.size(), part = std::min<std::size_t>(kPart, a[1] - had);
    contents.resize(had + part);
    const ssize_t count = ::pread(host, contents.data() + had, part, static_cast<off_t>(a[5] + had));
    if (count < 0) return errno == ESPIPE || errno == EISDIR ? -ENODEV : errno == EBADF ? -EACCES : -errno;
    contents.resize(had + static_cast<std::size_t>(count));
    if (count == 0) break;
  }
  const std::span<const std::byte> view(contents);
  return space_.map(a[0], a[1], protection, flags, &view);
}

// ---- the process ----

std::int64_t SystemCalls::exit_group(const Arguments& a) {
  end_ = ProcessEnd{static_cast<int>(a[0] & 255), 0};
  return 0;
}

// Of a thread. The process ends with its last, and the status of its first.
std::int64_t SystemCalls::exit(const Arguments& a) {
  Thread& thread = threads_.current();
  if (thread.id == kProcess) leader_status_ = static_cast<int>(a[0] & 255);
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
  if (a[0] != 0 && a[0] != kProcess) return -ESRCH;
  const std::uint64_t harts = 1;
  if (a[1] < sizeof harts || a[1] % sizeof harts != 0) return -EINVAL;
  return put(a[2], harts) ? static_cast<std::int64_t>(sizeof harts) : -EFAULT;
}

std::int64_t SystemCalls::futex(const Arguments& a) {
  const std::uint64_t operation = a[1] & FUTEX_CMD_MASK;
  const bool with_bits = operation == FUTEX_WAIT_BITSET || operation == FUTEX_WAKE_BITSET;
  const std::uint32_t bits = with_bits ? static_cast<std::uint32_t>(a[5]) : kAnyBits;
  if (a[0] % 4 != 0 || bits == 0) return -EINVAL;
  if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET)
    return threads_.wake(a[0], static_cast<std::uint32_t>(a[2]), bits);
  if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) return -ENOSYS;
  std::uint32_t value = 0;
  if (!get(a[0], value)) return -EFAULT;
  if (value != static_cast<std::uint32_t>(a[2])) return -EAGAIN;
  if (a[3] == 0) {
    threads_.wait({a[0], bits, std::nullopt, 0, 0});
    return 0;
  }
  Timespec timeout;
  if (!get(a[3], timeout)) return -EFAULT;
  const auto time = nanoseconds_of(timeout);
  if (!time) return -EINVAL;
  const std::int64_t origin = (a[1] & FUTEX_CLOCK_REALTIME) != 0 ? kEpoch : kBooted;
  return sleep_until(operation == FUTEX_WAIT ? now() + *time : *time - origin, -ETIMEDOUT, a[0], bits);
}

// ---- signals ----

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

// ---- time ----

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
                                      std::uint32_t bits) {
  threads_.wait({futex, bits, time, result, 0});
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
  return sleep_until((a[1] & TIMER_ABSTIME) != 0 ? now() + (*time - *begin) : now() + *time, 0);
}
std::int64_t SystemCalls::times(const Arguments& a) {
  constexpr std::int64_t kTick = kSecond / 100;
  const std::int64_t ticks[4] = {static_cast<std::int64_t>(threads_.retired()) / kTick, 0, 0, 0};
  if (a[0] != 0 && !put(a[0], ticks)) return -EFAULT;
  return (kBooted + now()) / kTick;
}
std::int64_t SystemCalls::getrusage(const Arguments& a) {
  std::int64_t usage[18] =
      {};  // user time, system time, and fourteen counts, of which the first is memory in KiB
  usage[0] = static_cast<std::int64_t>(threads_.retired()) / kSecond;
  usage[1] = static_cast<std::int64_t>(threads_.retired()) % kSecond / 1000;
  usage[4] = static_cast<std::int64_t>(space_.memory().resident_bytes() / 1024);
  return put(a[1], usage) ? 0 : -EFAULT;
}

}  // namespace duet::rv64
