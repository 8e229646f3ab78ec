// The entries for requests that the slices of a level have not answered: one pool for all slices. A cache of
// eight slices with 128 entries, as MARSS' caches have them (ptlsim/cache/cacheController.h,
// pendingRequests_):
//
//   PendingPool pool(128, 8);
//   slice.share(pool);                                 // each of the eight
//   if (pool.room(now, 3) == Outcome::Done) pool.take(now);
//   ...
//   pool.give_back(now);                               // its request is answered
//
// Slices are ticked in any order, and none may see that order. So an entry given back at `now` is free
// strictly later, a slice takes at most one at a time, and where fewer are free than there are slices, turns
// decide: those that were refused come first. That may cost an edge. A slice that asks no more loses its
// turn.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "memory/cache/outcome.h"
#include "sim/engine.h"

namespace duet::memory {

class PendingPool {
 public:
  static constexpr unsigned kMostSlices = 64;

  PendingPool(std::uint64_t entries, unsigned slices)
      : free_(static_cast<std::int64_t>(entries)), slices_(slices) {}

  // Slices come in the order of their numbers. The component is woken when an entry is free for it.
  unsigned add(sim::Component& slice) {
    members_.push_back(&slice);
    slice.tick_on_thread_of(*members_.front());
    return static_cast<unsigned>(members_.size() - 1);
  }

  // Done: the slice may take one now. NextCycle: it is not its turn. Blocked: none is free; it is woken.
  Outcome room(Picoseconds now, unsigned slice) {
    settle(now);
    asked_ |= bit(slice);
    if (free_ > static_cast<std::int64_t>(slices_) || free_ > before(slice)) return Outcome::Done;
    refused_ |= bit(slice);
    if (free_ > 0) return Outcome::NextCycle;
    if (given_ != 0) wake(slice, now);
    return Outcome::Blocked;
  }
  void take(Picoseconds now, unsigned slice) {
    settle(now);
    refused_ &= ~bit(slice);
    took_ |= bit(slice);
  }
  void give_back(Picoseconds now) {
    settle(now);
    ++given_;
    for (std::uint64_t waiting = waiting_ | refused_; waiting != 0; waiting &= waiting - 1)
      wake(static_cast<unsigned>(std::countr_zero(waiting)), now);
  }
  std::int64_t free() const { return free_ + given_ - std::popcount(took_); }

 private:
  static std::uint64_t bit(unsigned slice) { return 1ull << slice; }
  void wake(unsigned slice, Picoseconds now) { members_[slice]->engine().wake_after(*members_[slice], now); }

  // A new point in time: what happened at the last one counts.
  void settle(Picoseconds now) {
    if (now == time_) return;
    time_ = now;
    // Whoever was woken for entries of the time before the last, and did not ask at the last, waits no more.
    waiting_ = (waiting_ & ~(woken_ & ~asked_) & ~took_) | refused_;
    woken_ = given_ != 0 ? waiting_ : 0;
    free_ += given_ - std::popcount(took_);
    if (refused_ != 0) turn_ = turn_ + 1 == slices_ ? 0 : turn_ + 1;
    given_ = 0;
    took_ = refused_ = asked_ = 0;
  }
  // How many slices come before this one: those that wait, then the others, each by their turns.
  std::int64_t before(unsigned slice) const {
    const std::uint64_t below = bit(slice) - 1, from_turn = ~(bit(turn_) - 1);
    const std::uint64_t all = slices_ == kMostSlices ? ~0ull : bit(slices_) - 1;
    const std::uint64_t earlier = (slice >= turn_ ? below & from_turn : below | from_turn) & all;
    if ((waiting_ & bit(slice)) != 0) return std::popcount(waiting_ & earlier);
    return std::popcount(waiting_) + std::popcount(~waiting_ & earlier);
  }

  std::int64_t free_, given_ = 0;  // given_: at time_
  unsigned slices_, turn_ = 0;
  Picoseconds time_ = 0;
  // Sets of slices. At time_: those that asked, were refused, took an entry. Since before: those that wait,
  // and of these the ones that were woken for time_.
  std::uint64_t asked_ = 0, refused_ = 0, took_ = 0, waiting_ = 0, woken_ = 0;
  std::vector<sim::Component*> members_;
};

}  // namespace duet::memory
