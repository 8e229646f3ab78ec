// A thread of the native host: its virtual clock and how a call spends time on it (lustig2013 §6.1, Table 2).
// Simulation advances only inside calls: a call enters at max(thread clock, machine now) and returns with the
// machine simulated exactly to the thread's clock.
#pragma once

#include <functional>

#include "driver/driver.h"
#include "driver/time_watch.h"

namespace duet::driver {

class HostThread {
 public:
  // `watch` may be null: nobody looks.
  HostThread(sim::Engine& engine, Driver& driver, const config::Driver& config, TimeWatch* watch = nullptr)
      : engine_(engine), driver_(driver), config_(config), watch_(watch) {}

  Picoseconds clock() const { return clock_; }
  // Host work between calls: moves only this thread's clock.
  void work(Picoseconds duration) { clock_ += duration; }

  // Called when the machine has nothing left to do and this thread still waits: true when another thread may
  // still change that, and some time has passed for it. Without it no other can.
  std::function<bool()> wait_for_another;

  void enter();                   // clock = max(clock, now), machine simulated to it
  void stage_one(CallKind kind);  // the call's own latency
  // Waits for room in the queue, passes stage one, submits. With the profiler's counters
  // (config::Driver::Profiler) a launch is submitted when no kernel is outstanding, and the call returns when
  // its counters have been read: a kernel that waits for something that this thread does later is a deadlock
  // then.
  CommandId submit(Command command);
  // Submits another command of a call that has passed stage one; otherwise as submit().
  CommandId submit_further(Command command);
  // Blocks the thread until done() holds, then charges the kind's finish latency. Throws duet::Deadlock when
  // the machine has nothing left to do, done() still does not hold and no other thread can act.
  void wait(CallKind kind, const std::function<bool()>& done);

 private:
  void run_until(Picoseconds time);
  bool run_while_not(const std::function<bool()>& done);
  bool wait_while_not(const std::function<bool()>& done);
  void wait_for_room(StreamId stream);
  CommandId enqueue(Command command);
  void wait(const std::function<bool()>& done);
  void spend(std::uint64_t ns);
  std::string standstill() const;

  sim::Engine& engine_;
  Driver& driver_;
  const config::Driver& config_;
  TimeWatch* watch_;
  Picoseconds clock_ = 0;
};

}  // namespace duet::driver
