// A thread of a program's host side, as a runtime sees it: how its calls reach the driver and what time they
// take. A call has three stages (lustig2013 §6.1, Table 2): (i) until control returns, (ii) the driver
// prepares the command, (iii) the command executes; a blocking call ends with a latency of its own.
//
//   thread.submit(std::move(command));                        // stage (i), then the driver has it
//   thread.wait(cost, [&] { return driver.complete(id); });   // blocks
//
// Kinds of threads differ in how the machine gets to the thread's time: a native one simulates the machine
// (native_thread.h), one on simulated cores lets it go on (guest_thread.h).
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "driver/driver.h"
#include "host/time_watch.h"

namespace duet::host {

using driver::Command;
using driver::CommandId;
using driver::CommandKind;
using driver::Driver;
using driver::StreamId;

class HostThread {
 public:
  virtual ~HostThread() = default;

  // Called after the thread has been blocked since then.
  std::function<void(Picoseconds since)> waited;

  // Picoseconds since the run began, as far as this thread has come.
  Picoseconds clock() const { return clock_; }
  // The program's number of it, where it runs on the machine's cores; otherwise 0.
  std::uint64_t number() const { return number_; }
  // Host work between calls.
  void work(Picoseconds duration) { clock_ += duration; }
  // Later commands belong to the API's call with this number, 0: to none. Returns the old number.
  std::uint64_t set_call(std::uint64_t number) { return std::exchange(call_, number); }
  std::uint64_t call() const { return call_; }
  // A call begins: the thread is not behind the machine.
  void enter();
  // The call's own latency.
  void stage_one(const config::CallLatency& cost);
  // Waits for room in the stream's queue, passes stage one, submits. With the profiler's counters
  // (config::Driver::Profiler) a launch is submitted when no kernel is outstanding, and the call returns when
  // its counters have been read: a kernel that waits for a later action of this thread is a deadlock then.
  CommandId submit(Command command);
  // Submits another command of a call after its stage one; otherwise as submit().
  CommandId submit_further(Command command);
  // Blocks the thread until done() holds, then charges the call's finish latency. Throws duet::Deadlock when
  // the machine has nothing left to do, done() still does not hold and no other thread can act.
  void wait(const config::CallLatency& cost, const std::function<bool()>& done);

 protected:
  // `watch` may be null: nobody looks.
  HostThread(sim::Engine& engine, Driver& driver, const config::Driver& config, TimeWatch* watch)
      : engine_(engine), watch_(watch), config_(config), driver_(driver) {}

  // The machine comes to `time`. It has not passed it.
  virtual void run_until(Picoseconds time) = 0;
  // The machine goes on until done() holds; false: it never will.
  virtual bool run_while_not(const std::function<bool()>& done) = 0;
  // The rest of the call's own latency when its thread comes to it.
  virtual Picoseconds left_of(Picoseconds latency) { return latency; }

  sim::Engine& engine_;
  TimeWatch* const watch_;
  const config::Driver& config_;
  std::uint64_t number_ = 0;

 private:
  bool wait_while_not(const std::function<bool()>& done);
  void wait_for_room(StreamId stream);
  CommandId enqueue(Command command);
  void wait(const std::function<bool()>& done);
  void spend(std::uint64_t ns);
  std::string standstill() const;

  Driver& driver_;
  Picoseconds clock_ = 0;
  std::uint64_t call_ = 0;
};

}  // namespace duet::host
