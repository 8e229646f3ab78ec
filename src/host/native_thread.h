// A thread of the native host: the program runs in this process, and its thread is only a clock. Simulation
// advances inside calls alone: a call enters at max(thread clock, machine now) and returns with the machine
// simulated exactly to the thread's clock.
#pragma once

#include <functional>

#include "host/host_thread.h"

namespace duet::host {

// The program's other threads. One at a time has its turn: it makes a call, or lets the machine go on.
class OtherThreads {
 public:
  virtual ~OtherThreads() = default;
  // Some have given their turn while they wait for the machine.
  virtual bool any_waits() const = 0;
  // What one of those waits for is there, or another thread is about to make a call.
  virtual bool want_turn() const = 0;
  // Gives the turn to whoever wants it, and returns with it. The thread waits for done().
  virtual void give_turn(const std::function<bool()>& done) = 0;
  // The machine has nothing left to do: true when another thread may still give it work, and some time has
  // passed for it.
  virtual bool wait_for_another() = 0;
};

class NativeThread final : public HostThread {
 public:
  NativeThread(sim::Engine& engine, Driver& driver, const config::Driver& config, TimeWatch* watch = nullptr)
      : HostThread(engine, driver, config, watch) {}

  OtherThreads* others = nullptr;  // null: there are none

 private:
  void run_until(Picoseconds time) override;
  bool run_while_not(const std::function<bool()>& done) override;
  bool simulate_while_not(const std::function<bool()>& done);
};

}  // namespace duet::host
