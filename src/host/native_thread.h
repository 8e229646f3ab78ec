// A thread of the native host: the program runs in this process, and its thread has a clock of its own.
// Simulation advances only inside calls: a call enters at max(thread clock, machine now) and returns with the
// machine simulated exactly to the thread's clock.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "host/host_thread.h"
#include "host/time_watch.h"

namespace duet::host {

using driver::Command;
using driver::CommandId;
using driver::CommandKind;
using driver::Driver;
using driver::StreamId;

class NativeThread final : public HostThread {
 public:
  // `watch` may be null: nobody looks.
  NativeThread(sim::Engine& engine, Driver& driver, const config::Driver& config, TimeWatch* watch = nullptr)
      : engine_(engine), driver_(driver), config_(config), watch_(watch) {}

  // Called when the machine has nothing left to do and this thread still waits: true when another thread may
  // still change that, and some time has passed for it. Without it no other can.
  std::function<bool()> wait_for_another;

  // Called after the thread has been blocked since then.
  std::function<void(Picoseconds since)> waited;

  Picoseconds clock() const override { return clock_; }
  void work(Picoseconds duration) override { clock_ += duration; }
  std::uint64_t set_call(std::uint64_t number) override { return std::exchange(call_, number); }
  void enter() override;
  void stage_one(const config::CallLatency& cost) override;
  CommandId submit(Command command) override;
  CommandId submit_further(Command command) override;
  void wait(const config::CallLatency& cost, const std::function<bool()>& done) override;

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
  std::uint64_t call_ = 0;
};

}  // namespace duet::host
