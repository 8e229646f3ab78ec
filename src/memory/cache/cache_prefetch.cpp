// Lines of a prefetcher (stride_prefetcher.h). They are looked up when no request is, and use the registers
// and queues of requests.
#include "memory/cache/cache_steps.h"
#include "memory/cache/stride_prefetcher.h"

namespace duet::memory {

void Cache::prefetch_by(const config::StridePrefetch& config, const PhysicalMemory& memory) {
  prefetcher_ = std::make_unique<StridePrefetcher>(config, memory, lines_.line_bytes(), *this);
  connect_observer(*prefetcher_);
}

// After the prefetcher has observed an event.
void Cache::look_for_wanted() {
  if (!prefetcher_->wants()) return;
  called_ |= kPrefetch;
  again_ = true;
}

// `idle`: no request is looked up at this edge, or waits for its lookup.
void Cache::serve_prefetcher(Picoseconds now, bool idle) {
  if (prefetcher_ == nullptr || !prefetcher_->wants()) return;
  if (held_up()) return prefetcher_->has_no_room_for_any();  // requests have none either
  if (!idle || below_.sent() || now < port_free_) return;
  const StridePrefetcher::Wanted& wanted = prefetcher_->next();
  if (lines_.find(wanted.line) != kNone) return prefetcher_->is_held();
  constexpr TrafficClass kClass = TrafficClass::NonTriggered;
  const std::uint32_t victim = lines_.victim(wanted.line);
  if (victim == kNone || any(lines_[victim].dirty) || !misses_.available(kClass) ||
      below_.room(now, kClass) != Outcome::Done || transits_.overtaken_by(kClass, wanted.line))
    return prefetcher_->has_no_room();

  Request request;
  request.agent = wanted.by.by.agent;
  request.unit = wanted.by.by.unit;
  request.pc = wanted.by.pc;
  request.cacheability = wanted.by.cacheability;
  const LineAccess access{request, wanted.line, 0, ByteMask::first(lines_.line_bytes()), true};
  if (lines_.tag(victim) != LineArray::kNoTag) {
    ++statistics_.evictions;
    observe(CacheEvent::Kind::Evict, lines_.tag(victim), lines_[victim].valid, &request);
  }
  lines_.reserve(victim, wanted.line);
  lines_[victim].filled_by = user(request);
  lines_[victim].cacheability = request.cacheability;
  const std::uint32_t mshr = misses_.allocate(wanted.line, victim, kClass);
  lines_[victim].mshr = mshr;
  fetch(now, mshr, access, access.mask);
  prefetcher_->is_sent();
}

// When it may be served next.
Picoseconds Cache::next_prefetch(Picoseconds now) {
  if (prefetcher_ == nullptr || !prefetcher_->wants()) return kNever;
  called_ |= kPrefetch;
  return std::max(clock_.first_edge_after(now), port_free_);
}

}  // namespace duet::memory
