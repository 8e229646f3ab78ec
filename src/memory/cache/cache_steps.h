// The steps of a cache for nearly every request (cache.h), inline: most host time goes into them.
#pragma once

#include <utility>

#include "memory/cache/cache.h"

namespace duet::memory {

inline Outcome Cache::stall(CacheEntry& entry, sim::Counter& cause) {
  statistics_.stalls += !entry.stalled;
  cause += !entry.stalled;
  entry.stalled = true;
  return Outcome::Blocked;
}

inline Outcome Cache::stalled_below(Outcome outcome, CacheEntry& entry) {
  if (outcome != Outcome::Blocked) return outcome;
  stalled_below_ = true;
  return stall(entry, statistics_.stalls_below);
}

// Gives up bytes; an empty line without a fetch is given up too.
inline void Cache::drop(std::uint32_t index, const ByteMask& bytes, const Request* by) {
  if (observed_ && index < lines_.lines()) [[unlikely]] {
    const ByteMask lost = lines_[index].valid & bytes;
    if (any(lost)) tell(CacheEvent::Kind::Drop, lines_.tag(index), lost, by);
  }
  lines_.drop_bytes(index, bytes);
}

// The request does not go below, and all earlier requests to its line are done.
inline Outcome Cache::serve_here(Picoseconds now, CacheEntry& entry, const LineAccess& access,
                                 std::uint32_t line) {
  Request& request = access.request;
  if (request.operation == Operation::Atomic) {
    if (line == kNone || !within(access.mask, lines_[line].valid)) return Outcome::Missing;
    const Outcome outcome = atomic(now, entry, access, lines_.data(line) + access.offset);
    if (outcome != Outcome::Done) return outcome;
    lines_[line].dirty = lines_[line].dirty | access.mask;
    lines_.touch(line);
    return outcome;
  }
  if (request.operation == Operation::Clean) return clean(now, entry, access, line);
  if (line == kNone && request.operation != Operation::Invalidate) return Outcome::Missing;
  const bool reads = request.operation == Operation::Read;
  if (reads && !within(access.mask, lines_[line].valid)) return Outcome::Missing;
  const Outcome room = clients_.room(now, entry.client);
  if (room != Outcome::Done) return room;
  if (reads) {
    if (any(request.required)) request.mask = request.mask & moved_down(lines_[line].valid, access.offset);
    copy_masked(request.data.data(), lines_.data(line) + access.offset, request.mask);
    lines_.touch(line);
  } else if (request.operation == Operation::Write) {
    observe(CacheEvent::Kind::Store, access.line, access.mask, &request);
    copy_masked(lines_.data(line) + access.offset, request.data.data(), request.mask);
    lines_[line].valid = lines_[line].valid | access.mask;
    lines_[line].dirty = lines_[line].dirty | access.mask;
    lines_[line].tracked = request.tracked;
    lines_.touch(line);
    observe(CacheEvent::Kind::Write, access.line, access.mask, &request);
  } else if (line != kNone) {
    drop(line, access.mask, &request);
  }
  clients_.answer(now, entry, reads ? request.bytes : std::uint16_t{0});
  return Outcome::Done;
}

inline Outcome Cache::take_turn(Picoseconds now, CacheEntry& entry, const LineAccess& access,
                                std::uint32_t line) {
  return rules_.goes_below(access, line != kNone) ? pass_on(now, entry, access, line)
                                                  : serve_here(now, entry, access, line);
}

}  // namespace duet::memory
