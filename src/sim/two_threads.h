// Ticks components on two threads for an engine (Engine::Engine): the dealing of components to threads, and
// the requests of their ticks. Each thread collects these for itself until both are through. Ticks take no
// lock, so ThreadSanitizer sees every access of one component to another within a step. A proof, not a
// speed-up: fast threads would keep their components.
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
  // Ticks the dealt components. Rethrows the exception of a tick, one of two when both threads' threw.
  void tick(Picoseconds now);
  // From a tick.
  void between_ticks(std::function<void()> action);
  void after_ticks(std::function<void()> action);
  // After tick(): the wake-up times of components, the actions between ticks, and, in `after_ticks`, the
  // actions after them.
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
    std::uint64_t number;  // of the asking component
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
  // Steps given to the second thread, and done by it.
  std::atomic<std::uint32_t> given_{0}, done_{0};
  std::atomic<bool> ends_{false};
  std::thread second_;
};

}  // namespace duet::sim
