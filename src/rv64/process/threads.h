// The threads of a process. They share one core in turns: each runs until it waits, yields, or has executed
// kTurn instructions; then the next runnable one in the order of their creation. So runs are deterministic. A
// program's counters (rdinstret and its relatives) are the core's, and do not stand still for a waiting
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rv64/hart.h"
#include "rv64/process/signals.h"

namespace duet::rv64 {

struct Thread {
  // Whether a call interrupted by a signal with a handler is made again afterwards.
  enum class Restart : std::uint8_t { Never, IfAsked };  // asked: by SA_RESTART
  // A wait for a pipe of the program.
  struct FileWait {
    int host = -1;
    short events = 0;  // as poll has them
  };
  // The wait of a thread: for a futex, unless it is 0, files, signals, and until `deadline`.
  struct Wait {
    std::uint64_t futex = 0;
    std::uint32_t bits = 0;
    std::optional<std::int64_t> deadline;
    std::int64_t result_at_deadline = 0;
    std::uint64_t ticket = 0;  // the longest wait is woken first
    Restart restart = Restart::Never;
    std::uint64_t remaining = 0;  // an address: for the rest of an interrupted sleep; 0: nowhere
    std::uint64_t argument0 = 0;  // of the call: a0 has its result already
    // The call stands before its ecall, and is made again when the thread is woken, also by its deadline.
    bool repeats = false;
    std::vector<FileWait> files{};
    std::uint64_t signals = 0;  // signals that wake it, also while blocked
    bool outside = false;       // for somebody outside of Linux: no signal interrupts it
  };
  // The progress of a repeated call, and the end of its wait.
  struct Progress {
    std::uint64_t done = 0;
    std::optional<std::int64_t> deadline;
    bool began = false;
  };
  using AlternateStack = rv64::AlternateStack;

  Thread(Memory& memory, std::uint64_t id) : hart(memory, static_cast<unsigned>(id)), id(id) {}

  Hart hart;
  const std::uint64_t id;
  static constexpr std::size_t kNameBytes = 16;
  std::array<char, kNameBytes> name{};
  std::uint64_t executed = 0;       // instructions of its own; hart.retired is the core's
  std::uint64_t clear_at_exit = 0;  // an address, set by clone or set_tid_address
  std::uint64_t robust_list = 0;    // an address, of set_robust_list
  std::uint64_t mask = 0;           // blocked signals; bit 0 is signal 1
  PendingSignals pending;
  std::optional<std::uint64_t> saved_mask;  // comes back at the end of the call that replaced it
  AlternateStack alternate_stack;
  std::optional<Wait> wait;
  Progress progress;
  std::optional<Restart> interrupted;  // a call, before whose ecall it stands again
};

class Threads {
 public:
  static constexpr std::uint64_t kTurn = 100'000;
  static constexpr std::uint64_t kFirstId = 1000;  // and the process's
  static constexpr std::size_t kMost = 4096;

  explicit Threads(Memory& memory);

  Thread& current() { return *threads_[current_]; }
  Thread* find(std::uint64_t id);
  // For callers with cores of their own: whose call is served next.
  void make_current(const Thread& thread);
  // It has executed for so many ns.
  void executed(Thread& thread, std::uint64_t time);
  // Ends the waits with a deadline not later than `now`.
  void expire(std::int64_t now);
  const std::vector<std::unique_ptr<Thread>>& all() const { return threads_; }
  // With the registers of the current one; nullptr: there are too many.
  Thread* create();
  bool another_can_run() const;
  // Of the current one. When it goes, another one must be left.
  void wait(const Thread::Wait& wait);
  void exit_current();
  // Wakes at most `count` threads that wait there with one of these bits. Returns their number.
  std::int64_t wake(std::uint64_t futex, std::uint64_t count, std::uint32_t bits);

  // The rest of the turn of the current thread is left to others.
  void yield() { turn_left_ = 0; }
  // Of the current thread, in this turn.
  std::uint64_t turn_left() const { return turn_left_; }
  void executed(std::uint64_t instructions);
  std::uint64_t retired() const { return retired_; }
  // Makes current whose turn it is, at this time. False: all wait, none until a deadline at or before `now`.
  bool choose(std::int64_t now);
  // Whether the next choice is not the current one's next instruction.
  bool turn_ends() const { return turn_left_ == 0 || threads_[current_]->wait; }
  // The earliest deadline of a thread.
  std::optional<std::int64_t> earliest_deadline() const;

 private:
  Memory& memory_;
  std::vector<std::unique_ptr<Thread>> threads_;  // in the order of their creation
  std::size_t current_ = 0;
  std::uint64_t turn_left_ = kTurn;
  std::uint64_t retired_ = 0;  // by the core
  std::uint64_t next_ticket_ = 0;
  std::uint64_t next_id_ = kFirstId + 1;
};

}  // namespace duet::rv64
