// Linux for one process: what it knows of the process, and its system calls.
// Source: Linux 6.1, include/uapi/asm-generic; its man pages, section 2.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "rv64/hart.h"
#include "rv64/process/address_space.h"
#include "rv64/process/files.h"
#include "rv64/process/process.h"
#include "rv64/process/random.h"
#include "rv64/process/threads.h"

namespace duet::rv64 {

class SystemCalls {
 public:
  using Arguments = std::array<std::uint64_t, 6>;
  static constexpr unsigned kSignals = 64;

  SystemCalls(const std::string& program, AddressSpace& space);

  Threads& threads() { return threads_; }
  // Makes a thread current that can run; time passes until one can. Deadlock where none ever will.
  void choose_thread();

  // Serves the ecall at which the current thread stands, and steps over it.
  void serve();
  const std::optional<ProcessEnd>& end() const { return end_; }

 private:
  // An answer: nothing has happened, the call is to be made again in the thread's next turn.
  static constexpr std::int64_t kAgainLater = -4096;

  struct Call;  // a row of the table: number and function
  static const Call* find(std::uint64_t number);
  std::int64_t refuse_unknown(std::uint64_t number, std::uint64_t pc);

  // Guest memory.
  template <typename T>
  bool get(std::uint64_t address, T& value);
  template <typename T>
  bool put(std::uint64_t address, const T& value);
  // A string that ends with 0, of at most 4095 bytes: -EFAULT, -ENAMETOOLONG, or 0.
  std::int64_t get_path(std::uint64_t address, std::string& path);
  std::int64_t put_text(std::uint64_t address, std::uint64_t bytes, const std::string& text);

  // Files (file_calls.cpp).
  std::int64_t transfer(bool write, std::uint64_t descriptor, std::uint64_t address, std::uint64_t bytes,
                        std::int64_t offset);
  std::int64_t transfer_vector(bool write, const Arguments& a);
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

  // Memory.
  std::int64_t brk(const Arguments& a);
  std::int64_t mmap(const Arguments& a);
  std::int64_t munmap(const Arguments& a);
  std::int64_t mprotect(const Arguments& a);
  std::int64_t mremap(const Arguments& a);
  std::int64_t madvise(const Arguments& a);

  // The process and its signals.
  std::int64_t exit(const Arguments& a);
  std::int64_t exit_group(const Arguments& a);
  std::int64_t clone(const Arguments& a);
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
  std::int64_t send(Thread* thread, std::uint64_t signal);
  bool must_wait_to_read(int host);
  void deliver_pending();

  // Time.
  std::int64_t clock_gettime(const Arguments& a);
  std::int64_t clock_getres(const Arguments& a);
  std::int64_t gettimeofday(const Arguments& a);
  std::int64_t nanosleep(const Arguments& a);
  std::int64_t clock_nanosleep(const Arguments& a);
  std::int64_t times(const Arguments& a);
  std::int64_t getrusage(const Arguments& a);
  // Nanoseconds since the run began; of a clock since its own beginning.
  std::int64_t now() const { return static_cast<std::int64_t>(threads_.retired()) + slept_; }
  std::optional<std::int64_t> clock(std::uint64_t id);
  // The current thread waits, and then finds `result`.
  std::int64_t sleep_until(std::int64_t time, std::int64_t result, std::uint64_t futex = 0,
                           std::uint32_t bits = 0);

  // As the guest has it: of rt_sigaction.
  struct Action {
    std::uint64_t handler = 0;  // 0: default, 1: ignored
    std::uint64_t flags = 0;
    std::uint64_t mask = 0;
  };

  Files files_;
  AddressSpace& space_;
  std::string program_;
  Threads threads_;
  int leader_status_ = 0;
  std::int64_t slept_ = 0;
  std::array<Action, kSignals + 1> actions_{};
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
