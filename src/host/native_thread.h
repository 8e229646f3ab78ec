// A thread of the native host: the program runs in this process, and its thread is only a clock. Simulation
// advances inside calls alone: a call enters at max(thread clock, machine now) and returns with the machine
// simulated exactly to the thread's clock.
#pragma once

#include <functional>

#include "host/host_thread.h"

namespace duet::host {

class NativeThread final : public HostThread {
 public:
  NativeThread(sim::Engine& engine, Driver& driver, const config::Driver& config, TimeWatch* watch = nullptr)
      : HostThread(engine, driver, config, watch) {}

  // Called when the machine has nothing left to do and this thread still waits: true when another thread may
  // still give it work, and some time has passed for it. Without it no other can.
  std::function<bool()> wait_for_another;

 private:
  void run_until(Picoseconds time) override;
  bool run_while_not(const std::function<bool()>& done) override;
  bool simulate_while_not(const std::function<bool()>& done);
};

}  // namespace duet::host
