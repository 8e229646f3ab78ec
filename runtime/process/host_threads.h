// The threads of the program inside calls. They share one machine, and one of them at a time lets it go on.
//
//   A waits for its stream, and simulates. B calls cudaStreamCreate: at A's next look B has its turn. B waits
//   for its stream, too, and simulates for both. When A's stream is idle, at that very time, A has its turn.
//
// The wait of a thread for another when the machine stands still: the fill for a full/empty bit may come from
// a thread without its call yet. It is a deadlock only when no other thread can act any more: each waits in a
// call like this one, or sleeps in a futex without a timeout (a lock, a condition, a join), by Linux's /proc.
// A thread in any other sleep, or without readable state, may still act; without /proc only threads inside
// calls count. Left out: calls made by signal handlers.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace duet::process {

class HostThreads {
 public:
  // The session's lock. A thread that holds it and simulates gives it to one that wants it.
  std::unique_lock<std::recursive_mutex> lock();
  std::unique_lock<std::recursive_mutex> try_lock() { return std::unique_lock(mutex_, std::try_to_lock); }
  // Without it, for calls that are served one at a time anyway.
  std::unique_lock<std::recursive_mutex> no_lock() { return std::unique_lock(mutex_, std::defer_lock); }

  // A call begins, before it takes the session's lock, and ends, still under it.
  void enter() { inside_.fetch_add(1); }
  void leave();

  // Under the lock: as host::OtherThreads has them. The last two release it meanwhile.
  bool any_waits() const { return !resting_.empty(); }
  bool want_turn() const;
  void give_turn(const std::function<bool()>& done);
  bool wait_for_another();
  // Called once, when a thread has waited for long.
  std::function<void()> on_long_wait;

 private:
  bool all_blocked();

  std::recursive_mutex mutex_;
  std::atomic<unsigned> wanting_{0};     // threads about to take the lock for a call
  std::atomic<std::uint64_t> taken_{0};  // times that the lock has been taken by lock() or after give_turn()
  std::vector<const std::function<bool()>*> resting_;  // what those wait for that have given their turn
  std::atomic<unsigned> inside_{0};
  std::map<pid_t, std::uint64_t> waiting_;  // in wait_for_another(): the number of their last look
  std::uint64_t calls_ = 0;                 // ended ones
  std::condition_variable_any changed_;
  std::uint64_t looks_ = 0;
  // The last look at the other threads, when all were blocked: how often each had been switched. Equal in two
  // looks, they were all blocked at one time. Whoever waits has to look once more after the first: a call may
  // have brought what it waits for, and Linux has not woken it yet.
  std::map<pid_t, std::uint64_t> switches_;
  std::uint64_t calls_then_ = 0, looks_then_ = 0;
  std::chrono::steady_clock::time_point still_since_{};
  std::uint64_t still_calls_ = ~std::uint64_t{0};
  bool told_ = false;
};

}  // namespace duet::process
