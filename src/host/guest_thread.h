// A thread of a program on simulated cores, in a call: it waits while the machine goes on (guest_calls.h),
// and is never ahead of the machine.
//
// The program's own instructions take their time on a core. A latency measured from outside, as a program
// sees it, includes the called library's instructions in the program. So only the rest of the latency passes:
// the time of the call's own instructions, from its first one to the one that leaves the program, is
// subtracted. With driver.added_to_instructions all of it passes on top.
#pragma once

#include <algorithm>
#include <utility>

#include "host/guest_calls.h"
#include "host/host_thread.h"

namespace duet::host {

class GuestThread final : public HostThread {
 public:
  // Made while its first call is served.
  GuestThread(sim::Engine& engine, Driver& driver, const config::Driver& config, TimeWatch* watch,
              GuestCalls& calls)
      : HostThread(engine, driver, config, watch), calls_(calls) {
    number_ = calls.current().thread;
  }

  // A call has begun, in the program, at this time.
  void called(Picoseconds time) { first_instruction_ = time; }

 private:
  void run_until(Picoseconds time) override { calls_.wait_until(time); }
  bool run_while_not(const std::function<bool()>& done) override { return calls_.wait_for(done); }
  Picoseconds left_of(Picoseconds latency) override {
    if (config_.added_to_instructions) return latency;
    const Picoseconds passed =
        engine_.now() - std::min(std::exchange(first_instruction_, kNever), engine_.now());
    return latency - std::min(latency, passed);
  }

  GuestCalls& calls_;
  Picoseconds first_instruction_ = kNever;
};

}  // namespace duet::host
