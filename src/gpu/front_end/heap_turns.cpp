#include "gpu/front_end/heap_turns.h"

#include <algorithm>
#include <utility>

namespace duet::gpu {

void HeapTurns::ask(std::uint32_t sm, Cycle now, Cycle interval, std::function<void(Cycle)> told) {
  if (calls_.empty()) engine_.after_ticks([this, now] { serve(now); });
  calls_.push_back({sm, interval, std::move(told)});
}

void HeapTurns::serve(Cycle now) {
  std::vector<Call> calls = std::exchange(calls_, {});
  std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.sm < b.sm; });
  for (const Call& call : calls) {
    free_ = std::max(free_, now);
    call.told(free_ - now);
    free_ += call.interval;
  }
}

}  // namespace duet::gpu
