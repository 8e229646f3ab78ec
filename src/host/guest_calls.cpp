#include "host/guest_calls.h"

#include <algorithm>
#include <utility>

namespace duet::host {

GuestCalls::~GuestCalls() {
  while (!callers_.empty()) forget(callers_.back()->call.thread);
}

void GuestCalls::begin(const GuestCall& call) {
  auto place = std::find_if(callers_.begin(), callers_.end(),
                            [&](const auto& one) { return one->call.thread == call.thread; });
  if (place == callers_.end()) {
    place = callers_.insert(place, std::make_unique<Caller>());
    Caller& caller = **place;
    caller.turns = std::make_unique<Turns>([this, &caller] { serve(caller); });
  }
  Caller& caller = **place;
  caller.call = call;
  caller.in_call = true;
  caller.idle = false;
  caller.until = 0;
}

// One call after the other, until the thread is forgotten.
void GuestCalls::serve(Caller& caller) {
  while (!caller.ends) {
    caller.result = serve_(caller.call);
    caller.in_call = false;
    caller.turns->pause();
  }
}

void GuestCalls::forget(std::uint64_t thread) {
  const auto place = std::find_if(callers_.begin(), callers_.end(),
                                  [&](const auto& one) { return one->call.thread == thread; });
  if (place == callers_.end()) return;
  Caller& caller = **place;
  if ((caller.in_call || caller.inside != 0) && !caller.turns->ended()) {
    (void)place->release();  // it waits for ever, and may not lose the objects of its wait
  } else if (!caller.turns->ended()) {
    caller.ends = true;
    caller.turns->go_on();
  }
  callers_.erase(place);
}

bool GuestCalls::can_go_on(const Caller& caller) const {
  return caller.in_call && caller.until <= engine_.now() &&
         (caller.done == nullptr || caller.hopeless || (*caller.done)());
}

bool GuestCalls::ready() const {
  return std::any_of(callers_.begin(), callers_.end(), [this](const auto& one) { return can_go_on(*one); });
}

bool GuestCalls::any() const {
  return std::any_of(callers_.begin(), callers_.end(), [](const auto& one) { return one->in_call; });
}

Picoseconds GuestCalls::next_time() const {
  Picoseconds next = kNever;
  for (const auto& one : callers_)
    if (one->in_call && one->done == nullptr) next = std::min(next, one->until);
  return next;
}

void GuestCalls::go_on(const std::function<void(std::uint64_t, std::uint64_t)>& ended) {
  for (std::size_t i = 0; i < callers_.size(); ++i) {
    Caller& caller = *callers_[i];
    if (!can_go_on(caller)) continue;
    current_ = &caller;
    caller.turns->go_on();
    current_ = nullptr;
    if (!caller.in_call) ended(caller.call.thread, caller.result);
  }
}

bool GuestCalls::nothing_will_happen() {
  bool waits = false;
  for (const auto& one : callers_) {
    if (!one->in_call || one->done == nullptr || one->idle) continue;
    one->hopeless = waits = true;
    break;  // it may do the work that the others wait for
  }
  return waits;
}

const GuestCall& GuestCalls::current() const { return current_->call; }

void GuestCalls::wait_until(Picoseconds time) {
  Caller& caller = *current_;
  while (engine_.now() < time) {
    caller.until = time;
    caller.turns->pause();
  }
}

bool GuestCalls::wait_for(const std::function<bool()>& done) {
  Caller& caller = *current_;
  caller.until = 0;
  while (!done()) {
    caller.done = &done;
    caller.turns->pause();
    caller.done = nullptr;
    if (std::exchange(caller.hopeless, false) && !done()) return false;
  }
  return true;
}

void GuestCalls::answer(std::uint64_t result) {
  Caller& caller = *current_;
  caller.result = result;
  caller.in_call = false;
  ++caller.inside;
  caller.turns->pause();
  --caller.inside;
}

void GuestCalls::wait_for_work(const std::function<bool()>& done) {
  current_->idle = true;
  wait_for(done);
}

}  // namespace duet::host
