#include "rv64/process/system_calls.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace duet::rv64 {
namespace {

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

  using S = SystemCalls;
  static const Call kAll[];
};

// By number.
const SystemCalls::Call SystemCalls::Call::kAll[] = {
    {17, &S::getcwd},
    {23, &S::dup},
    {24, &S::dup3},
    {25, &S::fcntl},
    {29, &S::ioctl},
    {34, &S::mkdirat},
    {35, &S::unlinkat},
    {46, &S::ftruncate},
    {48, &S::faccessat},
    {49, &S::chdir},
    {50, &S::fchdir},
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
    {69, &S::preadv},
    {70, &S::pwritev},
    {72, &S::pselect6},
    {73, &S::ppoll},
    {78, &S::readlinkat},
    {79, &S::newfstatat},
    {80, &S::fstat},
    {82, &S::fsync},
    {83, &S::fsync},  // fdatasync
    {93, &S::exit},
    {94, &S::exit_group},
    {96, &S::set_tid_address},
    {98, &S::futex},
    {99, &S::set_robust_list},
    {101, &S::nanosleep},
    {102, &S::getitimer},
    {103, &S::setitimer},
    {107, &S::timer_create},
    {108, &S::timer_gettime},
    {109, &S::timer_getoverrun},
    {110, &S::timer_settime},
    {111, &S::timer_delete},
    {113, &S::clock_gettime},
    {114, &S::clock_getres},
    {115, &S::clock_nanosleep},
    {118, &S::succeed},  // sched_setparam
    {119, &S::sched_setscheduler},
    {120, &S::sched_getscheduler},
    {121, &S::sched_getparam},
    {122, &S::sched_setaffinity},
    {123, &S::sched_getaffinity},
    {124, &S::sched_yield},
    {125, &S::sched_priority},  // sched_get_priority_max
    {126, &S::sched_priority},  // sched_get_priority_min
    {127, &S::sched_rr_get_interval},
    {129, &S::kill},
    {130, &S::tkill},
    {131, &S::tgkill},
    {132, &S::sigaltstack},
    {133, &S::rt_sigsuspend},
    {134, &S::rt_sigaction},
    {135, &S::rt_sigprocmask},
    {136, &S::rt_sigpending},
    {137, &S::rt_sigtimedwait},
    {138, &S::rt_sigqueueinfo},
    {139, &S::rt_sigreturn},
    {153, &S::times},
    {160, &S::uname},
    {165, &S::getrusage},
    {167, &S::prctl},
    {168, &S::getcpu},
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
    {227, &S::msync},
    {233, &S::madvise},
    {240, &S::rt_tgsigqueueinfo},
    {258, &S::absent},   // riscv_hwprobe
    {259, &S::succeed},  // riscv_flush_icache
    {261, &S::prlimit64},
    {276, &S::renameat2},
    {278, &S::getrandom},
    {291, &S::statx},
    {293, &S::absent},  // rseq
    {435, &S::absent},  // clone3
    {439, &S::faccessat2},
};

const SystemCalls::Call* SystemCalls::find(std::uint64_t number) {
  const Call* end = std::end(Call::kAll);
  const Call* at =
      std::lower_bound(std::begin(Call::kAll), end, number,
                       [](const Call& call, std::uint64_t wanted) { return call.number < wanted; });
  return at != end && at->number == number ? at : nullptr;
}

SystemCalls::SystemCalls(const std::string& program, AddressSpace& space, const FileOptions& files)
    : files_(program, files), space_(space), program_(program), threads_(space.memory()) {
  const std::string name = std::filesystem::path(program).filename().string();
  name.copy(threads_.current().name.data(), Thread::kNameBytes - 1);
}

void SystemCalls::serve() {
  Hart& hart = threads_.current().hart;
  const std::uint64_t number = hart.x[kSystemCallNumber];
  Arguments arguments;
  std::copy_n(hart.x.begin() + kArgument0, arguments.size(), arguments.begin());
  const std::uint64_t id = threads_.current().id;
  const Call* call = find(number);
  const std::int64_t result =
      call != nullptr ? (this->*call->function)(arguments) : refuse_unknown(number, hart.pc);
  if (threads_.current().id != id) return;  // it has ended
  Thread& thread = threads_.current();
  if (result != kAgainLater) {
    thread.progress = {};
    if (thread.wait) thread.wait->argument0 = arguments[0];
    if (result != kRegistersSet) return_from_wait(thread, result);
  }
  if (thread.wait && deliverable(thread) != 0) interrupt(thread);
  if (!thread.wait) deliver(thread);
}

// From a call at whose ecall the thread stands.
void SystemCalls::return_from_wait(Thread& thread, std::int64_t result) {
  thread.progress = {};
  thread.hart.x[kArgument0] = static_cast<std::uint64_t>(result);
  thread.hart.pc += 4;
}

void SystemCalls::choose_thread() {
  expire_timers();
  if (threads_.turn_ends()) wake_for_files();
  while (!end_ && !threads_.choose(now())) {
    auto deadline = threads_.earliest_deadline();
    if (const auto timer = timers_.until_next(times_now(), false))
      deadline = std::min(deadline.value_or(now() + *timer), now() + *timer);
    if (!deadline) throw Deadlock(describe_deadlock());
    slept_ += std::max<std::int64_t>(0, *deadline - now());
    expire_timers();
  }
  if (!end_) deliver(threads_.current());
}

void SystemCalls::advance_to(std::int64_t now) {
  slept_ = now - static_cast<std::int64_t>(threads_.retired());
  expire_timers();
  wake_for_files();
  threads_.expire(now);
}

std::optional<std::int64_t> SystemCalls::next_time(bool executing) const {
  auto next = threads_.earliest_deadline();
  if (const auto timer = timers_.until_next(times_now(), executing))
    next = std::min(next.value_or(now() + *timer), now() + *timer);
  return next;
}

void SystemCalls::resume(Thread& thread) {
  threads_.make_current(thread);
  deliver(thread);
}

std::uint64_t SystemCalls::budget() const {
  const auto timer = timers_.until_next(times_now(), true);
  const std::uint64_t turn = threads_.turn_left();
  return timer ? std::clamp<std::uint64_t>(static_cast<std::uint64_t>(*timer), 1, turn) : turn;
}

std::string SystemCalls::describe_deadlock() const {
  std::string message = fmt::format("{}: deadlock: every thread waits for another", program_);
  for (const auto& thread : threads_.all()) {
    if (!thread->wait) continue;
    const Thread::Wait& wait = *thread->wait;
    message += fmt::format("\n  thread {} at {}, pc {:#x}", thread->id,
                           wait.futex != 0      ? fmt::format("futex {:#x}", wait.futex)
                           : wait.outside       ? "a call that is served outside of Linux"
                           : wait.signals != 0  ? fmt::format("a wait for signals {:#x}", wait.signals)
                           : wait.files.empty() ? "a wait for a signal"
                                                : "a pipe",
                           thread->hart.pc);
  }
  return message;
}

std::int64_t SystemCalls::refuse_unknown(std::uint64_t number, std::uint64_t pc) {
  if (number == kGpuCallNumber)
    throw Error(fmt::format(
        "{}: this program makes CUDA, OpenCL or HSA calls, and there is no GPU to serve them: run it on "
        "a machine with [cpu] and [gpu], such as lustig2013",
        program_));
  if (told_.insert(number).second) {
    const char* name = name_of(number);
    fmt::print(stderr, "duet: {}: system call {} ({}) at pc {:#x} is not simulated: it answers ENOSYS\n",
               program_, number, name != nullptr ? name : "of no known name", pc);
  }
  return -ENOSYS;
}

// Whatever the program does to a pipe it does in its turns, so this is the same in every run.
void SystemCalls::wake_for_files() {
  for (const auto& thread : threads_.all()) {
    if (!thread->wait || thread->wait->files.empty()) continue;
    std::vector<pollfd> files;
    for (const Thread::FileWait& file : thread->wait->files) files.push_back({file.host, file.events, 0});
    if (::poll(files.data(), files.size(), 0) > 0) thread->wait.reset();
  }
}

std::int64_t SystemCalls::wait_for_file(std::uint64_t descriptor, short events) {
  if (!files_.may_wait(descriptor)) return -EAGAIN;
  Thread::Wait wait;
  wait.repeats = true;
  wait.restart = Thread::Restart::IfAsked;
  wait.files = {{files_.host(descriptor), events}};
  threads_.wait(wait);
  return kAgainLater;
}

std::int64_t SystemCalls::absent(const Arguments&) { return -ENOSYS; }
std::int64_t SystemCalls::succeed(const Arguments&) { return 0; }

}  // namespace duet::rv64
