// What an engine needs to tick components on two threads (Engine::Engine): who is dealt to which, and what
// their ticks ask for, which each thread collects for itself until both are through. Ticks take no lock, so
// ThreadSanitizer sees whatever one component does to another within a step. A proof, not a speed-up: threads
// that are faster than one keep their components.
#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "sim/engine.h"

namespace duet::sim {

class TwoThreads {
 public:
  explicit TwoThreads(std::uint64_t seed);
  ~TwoThreads();
  TwoThreads(const TwoThreads&) = delete;
  TwoThreads& operator=(const TwoThreads&) = delete;

  // Components of one unit go to one thread.
  void deal(Component& component, std::uint64_t number, std::uint64_t unit);
  // Ticks what has been dealt. Throws what a tick threw, one of them when both threads' did.
  void tick(Picoseconds now);
  // From a tick.
  void between_ticks(std::function<void()> action);
  void after_ticks(std::function<void()> action);
  // After tick(): who is due when, what was to be done between ticks, and, in `after_ticks`, what comes then.
  template <typename F>
  void collect(F schedule, std::vector<std::function<void()>>& after_ticks) {
    for (Hand& hand : hands_) {
      for (const Due& due : hand.due) schedule(*due.component, due.next);
      hand.due.clear();
    }
    do_between_ticks();
    take_after_ticks(after_ticks);
  }

 private:
  struct Due {
    Component* component;
    std::uint64_t number;
    Picoseconds next;
  };
  struct After {
    std::uint64_t number;  // of the component that asked for it
    std::function<void()> action;
  };
  struct Hand {
    std::vector<Due> due;
    std::vector<std::function<void()>> between;
    std::vector<After> after;
    std::uint64_t ticking = 0;
    std::exception_ptr thrown;
  };

  void tick_hand(unsigned thread, Picoseconds now);
  void run_second_thread();
  void do_between_ticks();
  void take_after_ticks(std::vector<std::function<void()>>& after_ticks);

  std::uint64_t random_;
  std::array<Hand, 2> hands_;
  Picoseconds now_ = 0;
  // Steps that the second thread was given and that it has done.
  std::atomic<std::uint32_t> given_{0}, done_{0};
  std::atomic<bool> ends_{false};
  std::thread second_;
};

}  // namespace duet::sim
