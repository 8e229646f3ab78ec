// Lookups of a cache that holds its pending requests in a pool (pending_requests.h).
#include "memory/cache/cache_steps.h"
#include "memory/cache/pending_requests.h"

namespace duet::memory {

void Cache::share(PendingPool& pool) { pending_ = std::make_unique<PendingRequests>(pool, *this); }

// Whether the request has an entry, or may take one now.
Outcome Cache::pending_room(Picoseconds now, CacheEntry& entry) {
  if (entry.pending) return Outcome::Done;
  const Outcome room = pending_->room(now);
  return room == Outcome::Blocked ? stall(entry, statistics_.stalls_mshr) : room;
}

// The request waits in a register from now on.
void Cache::keep_pending(Picoseconds now, CacheEntry& entry) {
  pending_->take(now, entry);
  kept_ = true;
}

// One request is looked up at an edge: the oldest of those that stand aside and can be served, otherwise the
// head of the pipeline. All requests are of class NonTriggered.
void Cache::lookup_pending(Picoseconds now) {
  if (retry_aside(now)) return;
  LookupPipeline& pipeline = pipelines_[0];
  if (pipeline.front_ready() > now) return;
  CacheEntry& entry = pipeline.front().entry;
  const PhysicalAddress line = access(entry).line;
  kept_ = false;
  stalled_below_ = false;
  const bool behind = pending_->size() != 0 && pending_->has(line);
  Outcome outcome = behind ? stall(entry, statistics_.stalls_target) : look_up(now, entry);
  if (outcome == Outcome::Blocked) {
    outcome = pending_room(now, entry);
    if (outcome == Outcome::Done) {
      pending_->take(now, entry);
      pending_->add(entry, line,
                    stalled_below_ ? PendingRequests::Cause::Below : PendingRequests::Cause::Other);
    }
  }
  if (outcome == Outcome::NextCycle) again_ = true;
  if (outcome != Outcome::Done) return;
  pipeline.pop();
  next_lookup_ = pipeline.front_ready();
  again_ |= next_lookup_ <= now;
}

// Returns whether this edge's lookup has been used.
bool Cache::retry_aside(Picoseconds now) {
  const Outcome below = pending_->size() == 0 ? Outcome::Done : below_.room(now, TrafficClass::NonTriggered);
  for (std::size_t i = 0; i < pending_->size(); ++i) {
    PendingRequests::Aside& one = (*pending_)[i];
    if (one.behind) continue;
    if (one.cause == PendingRequests::Cause::Below && below != Outcome::Done) {
      again_ |= below == Outcome::NextCycle;
      continue;
    }
    kept_ = stalled_below_ = false;
    const Outcome outcome = look_up(now, one.entry);
    if (outcome == Outcome::Blocked) {
      one.cause = stalled_below_ ? PendingRequests::Cause::Below : PendingRequests::Cause::Other;
      continue;
    }
    again_ = true;
    if (outcome != Outcome::Done) return true;
    if (!kept_) pending_->give_back(now);
    pending_->remove(i);
    return true;
  }
  return false;
}

}  // namespace duet::memory
