// The timers of a process, by setitimer and by timer_create. Left out: SIGEV_THREAD (glibc makes it of
// SIGEV_THREAD_ID), and timers on the clock of one thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace duet::rv64 {

struct Timer {
  enum class Clock : std::uint8_t { Elapsed, Executed };  // time, or time of the process's execution
  Clock clock = Clock::Elapsed;
  std::int64_t clock_origin = 0;  // the guest's clock at time 0
  std::optional<std::int64_t> expiry;
  std::int64_t interval = 0;            // 0: once
  unsigned signal = 0;                  // 0: none is sent
  std::uint64_t value = 0, thread = 0;  // of timer_create; thread 0: to the process
  std::int64_t overruns = 0;            // expiries since its signal was sent
  int id = -1;                          // of timer_create
};

class Timers {
 public:
  static constexpr std::size_t kMost = 1024;
  struct Now {
    std::int64_t elapsed = 0, executed = 0;
    std::int64_t of(const Timer& timer) const {
      return timer.clock == Timer::Clock::Elapsed ? elapsed : executed;
    }
  };

  // Of setitimer: real, virtual, profiling.
  Timer& interval_timer(unsigned which) { return of_process_.at(which); }
  // nullptr: there are too many, or none with this number.
  Timer* create();
  Timer* find(std::uint64_t id);
  bool remove(std::uint64_t id);
  // Calls `expired` for each timer whose time has come, and sets it anew where it has an interval.
  void expire(const Now& now, const std::function<void(Timer&, std::int64_t expiries)>& expired);
  // Nanoseconds until the next expiry while the process executes; or while it only waits.
  std::optional<std::int64_t> until_next(const Now& now, bool executing) const;

 private:
  template <typename Function>
  void each(Function function) {
    for (Timer& timer : of_process_) function(timer);
    for (auto& [id, timer] : created_) function(timer);
  }

  std::array<Timer, 3> of_process_{};
  std::map<int, Timer> created_;
  int next_ = 0;
};

}  // namespace duet::rv64
