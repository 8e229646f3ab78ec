// The threads of the program inside calls, and the wait of one of them for another when the machine stands
// still: the fill for a full/empty bit may come from a thread without its call yet. It is a deadlock only
// when no other thread can act any more: each waits in a call like this one, or sleeps in a futex without a
// timeout (a lock, a condition, a join), by Linux's /proc. A thread in any other sleep, or without readable
// state, may still act; without /proc only threads inside calls count. Left out: calls made by signal
// handlers.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace duet::process {

class HostThreads {
 public:
  // A call begins, before it takes the session's lock, and ends, still under it.
  void enter() { inside_.fetch_add(1); }
  void leave();

  // Under the session's lock, which it releases meanwhile: waits a moment for another thread to make a call.
  // False when none can.
  bool wait(std::recursive_mutex& session_lock);
  // Called once, when a thread has waited for long.
  std::function<void()> on_long_wait;

 private:
  bool all_blocked();

  std::atomic<unsigned> inside_{0};
  std::set<pid_t> waiting_;  // in wait()
  std::uint64_t calls_ = 0;  // ended ones
  std::condition_variable_any changed_;
  // The last look at the other threads, when all were blocked: how often each had been switched. Equal in two
  // looks, they were all blocked at one time.
  std::map<pid_t, std::uint64_t> switches_;
  std::uint64_t calls_then_ = 0;
  std::chrono::steady_clock::time_point still_since_{};
  std::uint64_t still_calls_ = ~std::uint64_t{0};
  bool told_ = false;
};

}  // namespace duet::process
