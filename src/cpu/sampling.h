// Samples of where a core is: every so many cycles the instruction that is dispatched next, and what has held
// it back (dispatch_slots.h).
//
//   state.sampling.every(3301, sink);                    sink outlives the core
//   state.sampling.reach(120, cause, after_a_wait);      at each dispatch: cycles up to 120 have passed
//
// An instruction that is dispatched after several periods is as many samples. Cycles without a thread are
// none. Costs a comparison of each dispatched instruction.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "cpu/dispatch_slots.h"

namespace duet::cpu {

struct Sample {
  unsigned core = 0;
  std::uint64_t count = 0;  // as many periods
  bool waited = false;      // for `cause`; otherwise it is dispatched right behind the instruction before
  Cause cause = Cause::FrontEnd;
};

class SampleSink {
 public:
  virtual ~SampleSink() = default;
  // The core's registers stand at the instruction.
  virtual void take(const Sample& sample) = 0;
};

class Sampling {
 public:
  explicit Sampling(unsigned core) : core_(core) {}
  void every(Cycle period, SampleSink& sink) {
    period_ = next_ = period;
    sink_ = &sink;
  }
  // A thread has the core from `cycle` on.
  void begin(Cycle cycle) {
    if (cycle > next_) next_ = (cycle + period_ - 1) / period_ * period_;
  }
  // The next instruction is dispatched in `cycle`, `waited` cycles after the one before.
  void reach(Cycle cycle, Cycle waited, Cause cause) {
    if (cycle < next_) [[likely]]
      return;
    const std::uint64_t count = (cycle - next_) / period_ + 1;
    next_ += count * period_;
    sink_->take({core_, count, waited > 1, cause});
  }

 private:
  const unsigned core_;
  Cycle period_ = 0, next_ = ~Cycle{0};
  SampleSink* sink_ = nullptr;
};

}  // namespace duet::cpu
