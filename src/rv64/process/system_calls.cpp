#include "rv64/process/system_calls.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

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

}  // namespace duet::rv64
