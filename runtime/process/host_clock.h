// The program's clock, as the session answers it (guard/clock_protocol.h): the calling thread's clock, moved
// by CUDA calls too, in picoseconds since the process began. A read or a sleep while commands are outstanding
// simulates the machine to the thread's time, as a call does. While another thread is inside a call, the
// machine is as far as the call has brought it, and no time passes for the reader.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/units.h"

namespace duet::process {

class Program;
struct Thread;

// While it lives, the calling thread has the host's clock: Duet's own code does not run in simulated time.
class HostTime {
 public:
  HostTime() : before_(set_level(1)) {}
  ~HostTime() { set_level(before_); }
  HostTime(const HostTime&) = delete;
  HostTime& operator=(const HostTime&) = delete;

 protected:
  explicit HostTime(int level) : before_(set_level(level)) {}

 private:
  static int set_level(int level);
  int before_;
};

// While it lives, the program's code runs inside a call.
class ProgramTime : HostTime {
 public:
  ProgramTime() : HostTime(0) {}
};

class HostClock {
 public:
  // The program's clock is asked of `program` from here on, whose time 0 is now.
  void begin(Program& program);
  // A thread makes its first call: it may have come far already.
  void first_call(Thread& thread) const;
  // A call ends.
  void machine_at(Picoseconds time) { machine_ps_.store(time, std::memory_order_relaxed); }

 private:
  static Picoseconds spend(Picoseconds own, Picoseconds cost);
  static Picoseconds reach(Picoseconds own, Picoseconds time);
  static bool busy();
  // How far the calling thread has come, without the machine.
  Picoseconds known(Picoseconds own) const;
  template <typename Move>
  Picoseconds move(Picoseconds own, Move move);

  Program* program_ = nullptr;
  Picoseconds begin_ps_ = 0;
  std::atomic<Picoseconds> machine_ps_{0};  // of the machine, when the last call ended
};

}  // namespace duet::process
