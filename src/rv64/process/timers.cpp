#include "rv64/process/timers.h"

#include <algorithm>
#include <climits>

namespace duet::rv64 {

Timer* Timers::create() {
  if (created_.size() >= kMost) return nullptr;
  while (created_.contains(next_)) next_ = next_ == INT_MAX ? 0 : next_ + 1;
  Timer& timer = created_[next_];
  timer.id = next_++;
  return &timer;
}

Timer* Timers::find(std::uint64_t id) {
  const auto found = created_.find(static_cast<int>(id));
  return found == created_.end() ? nullptr : &found->second;
}

bool Timers::remove(std::uint64_t id) { return created_.erase(static_cast<int>(id)) != 0; }

void Timers::expire(const Now& now, const std::function<void(Timer&, std::int64_t)>& expired) {
  each([&](Timer& timer) {
    const std::int64_t time = now.of(timer);
    if (!timer.expiry || *timer.expiry > time) return;
    std::int64_t expiries = 1;
    if (timer.interval == 0) {
      timer.expiry.reset();
    } else {
      expiries += (time - *timer.expiry) / timer.interval;
      *timer.expiry += expiries * timer.interval;
    }
    expired(timer, expiries);
  });
}

std::optional<std::int64_t> Timers::until_next(const Now& now, bool executing) const {
  std::optional<std::int64_t> least;
  const auto look = [&](const Timer& timer) {
    if (!timer.expiry || (!executing && timer.clock == Timer::Clock::Executed)) return;
    const std::int64_t left = std::max<std::int64_t>(0, *timer.expiry - now.of(timer));
    if (!least || left < *least) least = left;
  };
  for (const Timer& timer : of_process_) look(timer);
  for (const auto& [id, timer] : created_) look(timer);
  return least;
}

}  // namespace duet::rv64
