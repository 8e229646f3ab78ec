// A thread of a program's host side, as a runtime sees it: how its calls reach the driver and what time they
// take. The program may run natively in this process (native_thread.h); its thread is then only a clock. A
// call has three stages (lustig2013 §6.1, Table 2): (i) until control returns, (ii) the driver prepares the
// command, (iii) the command executes; a blocking call ends with a latency of its own.
#pragma once

#include <functional>

#include "driver/driver.h"

namespace duet::host {

class HostThread {
 public:
  virtual ~HostThread() = default;

  // Picoseconds since the run began, as far as this thread has come.
  virtual Picoseconds clock() const = 0;
  // Host work between calls.
  virtual void work(Picoseconds duration) = 0;
  // What is submitted from now on belongs to the API's call with this number, 0: to none. Returns what held
  // before.
  virtual std::uint64_t set_call(std::uint64_t number) = 0;
  // A call begins: the thread is not behind the machine.
  virtual void enter() = 0;
  // The call's own latency.
  virtual void stage_one(const config::CallLatency& cost) = 0;
  // Waits for room in the stream's queue, passes stage one, submits. With the profiler's counters
  // (config::Driver::Profiler) a launch is submitted when no kernel is outstanding, and the call returns when
  // its counters have been read: a kernel that waits for something that this thread does later is a deadlock
  // then.
  virtual driver::CommandId submit(driver::Command command) = 0;
  // Submits another command of a call that has passed stage one; otherwise as submit().
  virtual driver::CommandId submit_further(driver::Command command) = 0;
  // Blocks the thread until done() holds, then charges the call's finish latency. Throws duet::Deadlock when
  // the machine has nothing left to do, done() still does not hold and no other thread can act.
  virtual void wait(const config::CallLatency& cost, const std::function<bool()>& done) = 0;
};

}  // namespace duet::host
