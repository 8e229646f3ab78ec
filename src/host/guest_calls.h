// Calls from a program on simulated cores to a server in this process: a runtime, with its driver. The thread
// of the program stands at its call while it is served. The server may wait in the middle of the call, until
// a time or for an event of the machine, and meanwhile the machine goes on. So each thread's calls are served
// on a line of execution of its own, in turns with the machine's: nothing runs at once, and no call sees
// another's work half done between two waits.
//
//   GuestCalls calls(engine, [&](const GuestCall& call) { ... return result; });
//   calls.begin({thread, arguments, now});                   // the operating system's part
//   while (calls.ready()) calls.go_on(on_end);               // between events of the machine
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "host/turns.h"
#include "sim/engine.h"

namespace duet::host {

struct GuestCall {
  std::uint64_t thread = 0;                  // the program's number of it
  std::array<std::uint64_t, 2> arguments{};  // a0 and a1
  Picoseconds begun = 0;                     // when the machine met it
};

class GuestCalls {
 public:
  using Serve = std::function<std::uint64_t(const GuestCall&)>;
  // `serve` returns the call's result.
  GuestCalls(sim::Engine& engine, Serve serve) : engine_(engine), serve_(std::move(serve)) {}
  ~GuestCalls();

  // For whoever lets the machine run. A call is served from the next go_on() on.
  void begin(const GuestCall& call);
  // The thread makes no more calls.
  void forget(std::uint64_t thread);
  // Whether a call can go on at the machine's time; and the first time at which a call that waits for a time
  // can.
  bool ready() const;
  Picoseconds next_time() const;
  bool any() const;
  // Lets all calls go on that can, in the order of their threads' first calls. `ended(thread, result)`.
  void go_on(const std::function<void(std::uint64_t, std::uint64_t)>& ended);
  // The machine has nothing left to do: waiting for something to happen ends without it. False: nobody waits.
  bool nothing_will_happen();

  // For whoever serves, in serve(): the call; and ways to wait.
  const GuestCall& current() const;
  void wait_until(Picoseconds time);
  // False: it never will.
  bool wait_for(const std::function<bool()>& done);
  // Answers the call, and goes on when its thread makes the next one, which is the current one then: the
  // program has something to do in the middle of a call.
  void answer(std::uint64_t result);
  // Waits for work, as long as there is a machine: an idle machine is no reason to end the wait.
  void wait_for_work(const std::function<bool()>& done);

 private:
  struct Caller {
    GuestCall call;
    std::uint64_t result = 0;
    unsigned inside = 0;  // calls in whose middle the program has something to do
    bool in_call = false, ends = false, hopeless = false, idle = false;
    Picoseconds until = 0;
    const std::function<bool()>* done = nullptr;
    std::unique_ptr<Turns> turns;
  };
  bool can_go_on(const Caller& caller) const;
  void serve(Caller& caller);

  sim::Engine& engine_;
  const Serve serve_;
  std::vector<std::unique_ptr<Caller>> callers_;
  Caller* current_ = nullptr;
};

}  // namespace duet::host
