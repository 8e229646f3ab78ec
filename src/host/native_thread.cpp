#include "host/native_thread.h"

#include <algorithm>

namespace duet::host {

// The watch looks at fixed points of simulated time, so its counts are the same in every run.
void NativeThread::run_until(Picoseconds time) {
  if (watch_ == nullptr) return engine_.run_until(time);
  while (engine_.now() < time) {
    engine_.run_until(std::min(time, watch_->horizon(engine_.now(), engine_.next_time())));
    watch_->look(engine_.now());
  }
  engine_.run_until(time);
}

bool NativeThread::simulate_while_not(const std::function<bool()>& done) {
  if (watch_ == nullptr) return engine_.run_while_not(done);
  while (!done()) {
    if (others != nullptr && others->want_turn()) {
      others->give_turn(done);
      continue;
    }
    const Picoseconds next = engine_.next_time();
    if (next == kNever) return false;
    const Picoseconds limit = watch_->horizon(engine_.now(), next);
    const bool alone = others == nullptr || !others->any_waits();
    if (alone ? engine_.run_while_not(done, limit)
              : engine_.run_while_not([&] { return done() || others->want_turn(); }, limit))
      continue;
    if (engine_.next_time() != kNever) engine_.run_until(limit);
    watch_->look(engine_.now());
  }
  return true;
}

// Other threads of the program go on while this one waits. It may wait for their commands.
bool NativeThread::run_while_not(const std::function<bool()>& done) {
  while (!simulate_while_not(done)) {
    if (others == nullptr || !others->wait_for_another()) return false;
    if (watch_ != nullptr) watch_->look(engine_.now());
  }
  return true;
}

}  // namespace duet::host
