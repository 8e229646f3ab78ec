// An observer of a machine while a host thread lets it run: for limits on the run and for its followers.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace duet::host {

class TimeWatch {
 public:
  virtual ~TimeWatch() = default;
  // How far the machine may run before the next look: later than `now`. `next_event` is when the machine next
  // has anything to do; nothing changes before it.
  virtual Picoseconds horizon(Picoseconds now, Picoseconds next_event) = 0;
  // Called with the machine standing still at `now`. Throws duet::Stopped to end the run.
  virtual void look(Picoseconds now) = 0;
  // A thread of a program on the machine's cores, by the program's number of it, begins, or goes on after it
  // has waited in the operating system: because of another one, or 0: of the time or something outside.
  virtual void goes_on(std::uint64_t /*thread*/, std::uint64_t /*because_of*/) {}
  // Why the machine makes no progress, behind a colon, and the facts, a line each.
  virtual std::string standstill() = 0;
};

}  // namespace duet::host
