// Linux for one process: its data of the process, and its system calls. Source: Linux 6.1,
// include/uapi/asm-generic; its man pages, section 2.
#pragma once

#include <poll.h>

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "rv64/hart.h"
#include "rv64/interpreter.h"
#include "rv64/process/address_space.h"
#include "rv64/process/files.h"
#include "rv64/process/process.h"
#include "rv64/process/random.h"
#include "rv64/process/shared_mappings.h"
#include "rv64/process/signals.h"
#include "rv64/process/threads.h"
#include "rv64/process/timers.h"

namespace duet::rv64 {

// The number of the call of CUDA programs from `duet cc --host riscv64`, outside of Linux's. A machine with a
// GPU serves it before it comes here.
inline constexpr std::uint64_t kGpuCallNumber = 0x44554554;

class SystemCalls {
 public:
  using Arguments = std::array<std::uint64_t, 6>;
  static constexpr unsigned kSignals = 64;

  SystemCalls(const std::string& program, AddressSpace& space, const FileOptions& files = {});

  Threads& threads() { return threads_; }
  // Makes a runnable thread current; time passes until there is one. Deadlock where there never will be one.
  // Signals may have ended the process instead, or have sent the thread into a handler.
  void choose_thread();
  // How many instructions the current thread may execute until the next choose_thread().
  std::uint64_t budget() const;

  // For callers with cores and a clock of their own, instead of the two above. The time is now, in ns since
  // the run began; threads whose wait is over run on.
  void advance_to(std::int64_t now);
  // When advance_to() is to be called next, while threads execute or only wait; nothing: no thread waits for
  // a time.
  std::optional<std::int64_t> next_time(bool executing) const;
  // Makes the thread the current one, and lets it go on: into a handler, where a signal is pending for it.
  void resume(Thread& thread);
  bool has_signal(const Thread& thread) const { return deliverable(thread) != 0; }
  // Why no thread can run.
  std::string describe_deadlock() const;

  // Serves the current thread's ecall, and steps over it.
  void serve();
  // Sends the faulting current thread into its handler. False: it has none, the process ends.
  bool enter_fault_handler(const Trap& trap);
  // The signal of a fault.
  static int signal_of(const Trap& trap);
  const std::optional<ProcessEnd>& end() const { return end_; }

 private:
  // Answers: the call is to be made again after the thread's wait; and, the call has set the registers
  // itself.
  static constexpr std::int64_t kAgainLater = -4096, kRegistersSet = -4097;

  struct Call;  // a row of the table: number and function
  static const Call* find(std::uint64_t number);
  std::int64_t refuse_unknown(std::uint64_t number, std::uint64_t pc);

  // Guest memory.
  template <typename T>
  bool get(std::uint64_t address, T& value);
  template <typename T>
  bool put(std::uint64_t address, const T& value);
  // A string with a final 0, of at most 4095 bytes: -EFAULT, -ENAMETOOLONG, or 0.
  std::int64_t get_path(std::uint64_t address, std::string& path);
  std::int64_t put_text(std::uint64_t address, std::uint64_t bytes, const std::string& text);

  // Files (file_calls.cpp).
  std::int64_t put_stat(std::uint64_t address, int host, const std::string& path, int flags);
  std::int64_t read(const Arguments& a);
  std::int64_t write(const Arguments& a);
  std::int64_t pread64(const Arguments& a);
  std::int64_t pwrite64(const Arguments& a);
  std::int64_t readv(const Arguments& a);
  std::int64_t writev(const Arguments& a);
  std::int64_t openat(const Arguments& a);
  std::int64_t close(const Arguments& a);
  std::int64_t lseek(const Arguments& a);
  std::int64_t fstat(const Arguments& a);
  std::int64_t newfstatat(const Arguments& a);
  std::int64_t readlinkat(const Arguments& a);
  std::int64_t faccessat(const Arguments& a);
  std::int64_t faccessat2(const Arguments& a);
  std::int64_t statx(const Arguments& a);
  std::int64_t chdir(const Arguments& a);
  std::int64_t fchdir(const Arguments& a);
  std::int64_t ioctl(const Arguments& a);
  std::int64_t fcntl(const Arguments& a);
  std::int64_t dup(const Arguments& a);
  std::int64_t dup3(const Arguments& a);
  std::int64_t pipe2(const Arguments& a);
  std::int64_t getdents64(const Arguments& a);
  std::int64_t getcwd(const Arguments& a);
  std::int64_t unlinkat(const Arguments& a);
  std::int64_t mkdirat(const Arguments& a);
  std::int64_t renameat2(const Arguments& a);
  std::int64_t ftruncate(const Arguments& a);
  std::int64_t fsync(const Arguments& a);

  // Reading and writing (transfer_calls.cpp).
  struct Part {  // iovec
    std::uint64_t address = 0, bytes = 0;
  };
  std::int64_t transfer(bool write, std::uint64_t descriptor, std::span<const Part> parts,
                        std::int64_t offset);
  std::int64_t transfer_vector(bool write, const Arguments& a, std::int64_t offset);
  std::uint64_t copy_parts(bool to_guest, std::span<const Part> parts, std::uint64_t skipped,
                           std::span<std::byte> buffer);
  std::int64_t preadv(const Arguments& a);
  std::int64_t pwritev(const Arguments& a);

  // Waiting for files (poll_calls.cpp).
  std::int64_t begin_poll(std::uint64_t timeout, std::uint64_t mask);
  std::int64_t end_poll(std::int64_t ready, const std::vector<pollfd>& files, std::uint64_t timeout);
  short poll_now(std::int64_t descriptor, short events);
  std::int64_t ppoll(const Arguments& a);
  std::int64_t pselect6(const Arguments& a);

  // Memory.
  std::int64_t brk(const Arguments& a);
  std::int64_t mmap(const Arguments& a);
  std::int64_t munmap(const Arguments& a);
  std::int64_t mprotect(const Arguments& a);
  std::int64_t mremap(const Arguments& a);
  std::int64_t madvise(const Arguments& a);
  std::int64_t msync(const Arguments& a);

  // The process and its signals.
  std::int64_t exit(const Arguments& a);
  std::int64_t exit_group(const Arguments& a);
  std::int64_t clone(const Arguments& a);
  std::int64_t set_robust_list(const Arguments& a);
  void leave_lock(std::uint64_t address);
  void leave_locks();
  std::int64_t thread_id(const Arguments& a);
  std::int64_t sched_yield(const Arguments& a);
  std::int64_t uname(const Arguments& a);
  std::int64_t process_id(const Arguments& a);
  std::int64_t parent_id(const Arguments& a);
  std::int64_t user_id(const Arguments& a);
  std::int64_t set_tid_address(const Arguments& a);
  std::int64_t succeed(const Arguments& a);
  std::int64_t prlimit64(const Arguments& a);
  std::int64_t sysinfo(const Arguments& a);
  std::int64_t prctl(const Arguments& a);
  std::int64_t sched_setaffinity(const Arguments& a);
  std::int64_t sched_getscheduler(const Arguments& a);
  std::int64_t sched_setscheduler(const Arguments& a);
  std::int64_t sched_getparam(const Arguments& a);
  std::int64_t sched_priority(const Arguments& a);
  std::int64_t sched_rr_get_interval(const Arguments& a);
  std::int64_t getcpu(const Arguments& a);
  std::int64_t getrandom(const Arguments& a);
  std::int64_t sched_getaffinity(const Arguments& a);
  std::int64_t rt_sigaction(const Arguments& a);
  std::int64_t rt_sigprocmask(const Arguments& a);
  std::int64_t sigaltstack(const Arguments& a);
  std::int64_t kill(const Arguments& a);
  std::int64_t tkill(const Arguments& a);
  std::int64_t tgkill(const Arguments& a);
  std::int64_t futex(const Arguments& a);
  std::int64_t absent(const Arguments& a);
  std::int64_t rt_sigreturn(const Arguments& a);
  std::int64_t rt_sigpending(const Arguments& a);
  std::int64_t rt_sigsuspend(const Arguments& a);
  std::int64_t rt_sigtimedwait(const Arguments& a);
  std::int64_t rt_sigqueueinfo(const Arguments& a);
  std::int64_t rt_tgsigqueueinfo(const Arguments& a);

  // Delivery (signal_delivery.cpp).
  static bool is_ignored_by_default(unsigned signal);
  bool is_ignored(unsigned signal) const;
  // To a thread, or to the process. The process may end by it.
  std::int64_t send(Thread* thread, const SignalInfo& info);
  std::int64_t send_to_process(const SignalInfo& info);
  SignalInfo from_this_process(unsigned signal, int code, std::uint64_t value = 0) const;
  void act_by_default(unsigned signal);
  void notify(Thread& thread, unsigned signal);
  // A waiting thread goes back before its call.
  void interrupt(Thread& thread);
  std::uint64_t deliverable(const Thread& thread) const;
  void deliver(Thread& thread);
  // False: its frame cannot be written.
  bool enter_handler(Thread& thread, const SignalInfo& info);
  void return_from_wait(Thread& thread, std::int64_t result);
  std::int64_t send_if_valid(Thread* thread, std::uint64_t signal, const SignalInfo& info);

  // Wakes threads whose files are ready.
  void wake_for_files();
  // The answer where a file is not ready: waits, or -EAGAIN where the descriptor does not block.
  std::int64_t wait_for_file(std::uint64_t descriptor, short events);

  // Time.
  std::int64_t clock_gettime(const Arguments& a);
  std::int64_t clock_getres(const Arguments& a);
  std::int64_t gettimeofday(const Arguments& a);
  std::int64_t nanosleep(const Arguments& a);
  std::int64_t clock_nanosleep(const Arguments& a);
  std::int64_t times(const Arguments& a);
  std::int64_t getrusage(const Arguments& a);
  std::int64_t setitimer(const Arguments& a);
  std::int64_t getitimer(const Arguments& a);
  std::int64_t timer_create(const Arguments& a);
  std::int64_t timer_settime(const Arguments& a);
  std::int64_t timer_gettime(const Arguments& a);
  std::int64_t timer_getoverrun(const Arguments& a);
  std::int64_t timer_delete(const Arguments& a);
  Timers::Now times_now() const { return {now(), static_cast<std::int64_t>(threads_.retired())}; }
  void expire_timers();
  // Nanoseconds since the run began; of a clock since its own beginning.
  std::int64_t now() const { return static_cast<std::int64_t>(threads_.retired()) + slept_; }
  std::optional<std::int64_t> clock(std::uint64_t id);
  // The current thread waits, and then finds `result`.
  std::int64_t sleep_until(std::int64_t time, std::int64_t result, std::uint64_t futex = 0,
                           std::uint32_t bits = 0, std::uint64_t remaining = 0);

  // As the guest has it: of rt_sigaction.
  struct Action {
    std::uint64_t handler = 0;  // 0: default, 1: ignored
    std::uint64_t flags = 0;
    std::uint64_t mask = 0;
  };

  Files files_;
  AddressSpace& space_;
  SharedMappings mappings_{space_.memory()};
  std::string program_;
  Threads threads_;
  int leader_status_ = 0;
  std::int64_t slept_ = 0;
  std::array<Action, kSignals + 1> actions_{};
  PendingSignals pending_;  // of the process: for any thread without a block for them
  Timers timers_;
  RandomBytes random_{1};
  std::set<std::uint64_t> told_;  // unknown calls
  std::optional<ProcessEnd> end_;
};

template <typename T>
bool SystemCalls::get(std::uint64_t address, T& value) {
  return !space_.memory().read(VirtualAddress(address), std::as_writable_bytes(std::span(&value, 1)));
}
template <typename T>
bool SystemCalls::put(std::uint64_t address, const T& value) {
  return !space_.memory().write(VirtualAddress(address), std::as_bytes(std::span(&value, 1)));
}

}  // namespace duet::rv64
