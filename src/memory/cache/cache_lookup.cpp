// The work of a request at its lookup, and at its turn when it had to wait.
#include "base/error.h"
#include "memory/atomic_request.h"
#include "memory/cache/cache_steps.h"

namespace duet::memory {

void Cache::refuse(const LineAccess& access) const {
  const Request& request = access.request;
  if (!request.tracked && (request.trigger != Trigger::None || request.action != Action::None))
    throw Error(name() + ": a trigger or an action on memory without full/empty bits");
  throw Error(name() + ": a request for " + std::to_string(request.bytes) + " bytes at physical address " +
              std::to_string(request.address.value()) + " does not lie in one line, or asks for no byte");
}

Outcome Cache::look_up(Picoseconds now, CacheEntry& entry) {
  const LineAccess own = access(entry);
  if (!rules_.possible(own)) refuse(own);
  const Operation operation = own.request.operation;
  std::uint32_t line = lines_.find(own.line);
  const auto pending = [&] { return line != kNone && lines_[line].mshr != kNone; };
  const auto step_aside = [&] {
    detach(lines_[line].mshr);
    if (lines_.tag(line) == LineArray::kNoTag) line = kNone;
  };
  if (pending()) {
    const TrafficClass its_class = misses_[lines_[line].mshr].traffic_class;
    if (its_class != TrafficClass::NonTriggered &&
        !(own.waits_unordered() && its_class == entry.packet.traffic_class))
      step_aside();
  }
  const bool below = rules_.goes_below(own, line != kNone);
  if (pending()) {
    const bool unordered = misses_[lines_[line].mshr].ordered == 0;
    if (own.waits_unordered()) {
      if (!unordered || !within(own.mask, lines_[line].valid)) return join(now, entry, own, line);
    } else if (!unordered || (!below && (operation == Operation::Write || operation == Operation::Atomic))) {
      return join(now, entry, own, line);
    } else if (operation != Operation::Clean) {
      step_aside();
    }
  }

  // Dirty bytes go below in class NonTriggered and must not overtake an older write of another class.
  if (!below && (operation == Operation::Write || operation == Operation::Atomic) &&
      entry.packet.traffic_class != TrafficClass::NonTriggered &&
      transits_.overtaken_by(TrafficClass::NonTriggered, own.line))
    return stall(entry, statistics_.stalls_below);

  bool held = line != kNone;
  if (config_.fetch_on_write && !below && fetches_first(own, line)) return miss(now, entry, own, line);
  Outcome outcome = below ? pass_on(now, entry, own, line) : serve_here(now, entry, own, line);
  if (outcome == Outcome::Missing && memory_ != nullptr) {
    outcome = serve_in_memory(now, entry, own);
    held = true;
  } else if (outcome == Outcome::Missing) {
    if (operation != Operation::Write) return miss(now, entry, own, line);
    outcome = clients_.room(now, entry.client);
    if (outcome == Outcome::Done) outcome = take_way(now, entry, own, line);
    if (outcome == Outcome::Done) outcome = serve_here(now, entry, own, line);
  }
  if (outcome != Outcome::Done) return outcome;
  statistics_.passed += below;
  if (!own.cached || operation == Operation::Clean || operation == Operation::Invalidate)
    return Outcome::Done;
  if (operation == Operation::Read) {
    ++statistics_.read_hits;
    own.request.was_held = !below;
  }
  if (operation == Operation::Write) ++(held ? statistics_.write_hits : statistics_.write_misses);
  if (!below || operation == Operation::Write)
    observe(held ? CacheEvent::Kind::Hit : CacheEvent::Kind::Miss, own.line, own.mask, &own.request);
  return Outcome::Done;
}

// Whether a write waits for the rest of its sectors (fetch_on_write).
bool Cache::fetches_first(const LineAccess& access, std::uint32_t line) const {
  const Request& request = access.request;
  return request.operation == Operation::Write && request.kind == RequestKind::Demand && memory_ == nullptr &&
         (line == kNone || !within(access.mask, lines_[line].valid));
}

// The line is on its way: the request waits with the others.
Outcome Cache::join(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t line) {
  if (pending_ != nullptr) [[unlikely]]
    if (const Outcome room = pending_room(now, entry); room != Outcome::Done) return room;
  const std::uint32_t mshr = lines_[line].mshr;
  MissTable::Register& miss = misses_[mshr];
  const bool reads = access.waits_unordered();
  // Waiting requests send only packets of class NonTriggered below.
  if (!reads && entry.packet.traffic_class != TrafficClass::NonTriggered)
    return stall(entry, statistics_.stalls_target);
  if (!misses_.has_room(miss)) return stall(entry, statistics_.stalls_target);
  ByteMask bytes;
  // Behind a write or an atomic the missing bytes are known only at the request's turn.
  if (reads && miss.ordered == 0)
    bytes = rules_.bytes_to_fetch(access, lines_[line].valid, miss.on_their_way);
  if (any(bytes)) {
    const Outcome room = stalled_below(below_.room(now, miss.traffic_class), entry);
    if (room != Outcome::Done) return room;
    fetch(now, mshr, access, bytes);
  }
  if (pending_ != nullptr) [[unlikely]]
    keep_pending(now, entry);
  misses_.append(miss, entry, !reads);
  if (reads) ++(any(bytes) ? statistics_.read_misses : statistics_.read_merges);
  const bool writes = access.cached && access.request.operation == Operation::Write;
  statistics_.write_hits += writes;
  if (access.cached)
    observe(writes       ? CacheEvent::Kind::Hit
            : any(bytes) ? CacheEvent::Kind::Miss
                         : CacheEvent::Kind::Merge,
            access.line, access.mask, &access.request);
  return Outcome::Done;
}

// A read, an atomic or a write whose bytes are not here and not on their way.
Outcome Cache::miss(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t line) {
  if (pending_ != nullptr) [[unlikely]]
    if (const Outcome room = pending_room(now, entry); room != Outcome::Done) return room;
  const bool reads = access.request.operation == Operation::Read;
  const TrafficClass traffic_class = reads ? entry.packet.traffic_class : TrafficClass::NonTriggered;
  const bool may_wait_long = traffic_class != TrafficClass::NonTriggered;
  if (!misses_.available(traffic_class)) return stall(entry, statistics_.stalls_mshr);
  Outcome room = stalled_below(below_.room(now, traffic_class), entry);
  if (room != Outcome::Done) return room;
  // Write-backs go below in another queue, which this fetch could overtake.
  if (may_wait_long && transits_.writing_back(access.line)) return stall(entry, statistics_.stalls_below);
  // Its bytes may lack a write that it overtakes below, so the line must not keep them.
  const bool overtakes = transits_.overtaken_by(traffic_class, access.line);
  if (overtakes && !reads) return stall(entry, statistics_.stalls_below);
  // A possibly long fetch leaves the last way to class NonTriggered.
  const bool aside = overtakes || (may_wait_long && lines_.candidates(access.line) < 2);
  std::uint32_t index = line;
  if (index == kNone && !aside) {
    room = take_way(now, entry, access, index);
    if (room != Outcome::Done) return room;
    if (below_.sent()) {  // a dirty victim has left; the fetch follows
      lines_.free_way(index);
      return Outcome::NextCycle;
    }
  }
  const std::uint32_t mshr = misses_.allocate(access.line, index, traffic_class);
  if (index == kNone) {
    index = misses_[mshr].line_index = lines_.side_line(mshr);
    lines_[index] = Line{};
  } else {
    lines_[index].mshr = mshr;
    if (aside) {
      detach(mshr);
      index = misses_[mshr].line_index;
    }
  }
  fetch(now, mshr, access, rules_.bytes_to_fetch(access, lines_[index].valid, {}));
  if (pending_ != nullptr) [[unlikely]]
    keep_pending(now, entry);
  misses_.append(misses_[mshr], entry, !reads);
  statistics_.read_misses += reads;
  statistics_.write_misses += access.request.operation == Operation::Write;
  observe(CacheEvent::Kind::Miss, access.line, access.mask, &access.request);
  return Outcome::Done;
}

// Takes a way for a new line; dirty bytes of the victim go below.
Outcome Cache::take_way(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t& index) {
  const std::uint32_t victim = lines_.victim(access.line);
  if (victim == kNone) return stall(entry, statistics_.stalls_way);
  const PhysicalAddress tag = lines_.tag(victim);
  if (tag != LineArray::kNoTag) {
    const ByteMask dirty = lines_[victim].dirty;
    if (any(dirty)) {
      const Outcome room = stalled_below(below_.room(now, TrafficClass::NonTriggered), entry);
      if (room != Outcome::Done) return room;
      write_back(now, tag, victim, dirty, nullptr);
    }
    ++statistics_.evictions;
    observe(CacheEvent::Kind::Evict, tag, lines_[victim].valid, &access.request);
  }
  lines_.reserve(victim, access.line);
  lines_[victim].filled_by = user(access.request);
  lines_[victim].cacheability = access.request.cacheability;
  index = victim;
  return Outcome::Done;
}

// The request goes below as it is; its answer comes back to the client.
Outcome Cache::pass_on(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t line) {
  const TrafficClass traffic_class = entry.packet.traffic_class;
  if (line != kNone && any(lines_[line].dirty)) {
    const Outcome room = stalled_below(below_.room(now, TrafficClass::NonTriggered), entry);
    if (room != Outcome::Done) return room;
    write_back(now, access.line, line, lines_[line].dirty, nullptr);
    return Outcome::NextCycle;
  }
  if (traffic_class != TrafficClass::NonTriggered && transits_.writing_back(access.line))
    return stall(entry, statistics_.stalls_below);
  if (traffic_class != TrafficClass::NonTriggered && transits_.size_of(traffic_class) >= config_.mshrs)
    return stall(entry, statistics_.stalls_mshr);
  const Outcome room = stalled_below(below_.room(now, traffic_class), entry);
  if (room != Outcome::Done) return room;
  const Operation operation = access.request.operation;
  // A request of another class may change the bits below before or after this write.
  const bool unsure = access.request.tracked && transits_.overtaken_by(traffic_class, access.line);
  if (access.cached && operation == Operation::Write && !unsure) {
    // A write goes through even when every way of its set waits for a fetch.
    if (line == kNone && config_.write_allocate && lines_.victim(access.line) != kNone) {
      take_way(now, entry, access, line);
      if (below_.sent()) {  // a dirty victim has left; the write follows
        lines_.free_way(line);
        return Outcome::NextCycle;
      }
    }
    if (line != kNone && config_.write_evict) {
      drop(line, access.mask, &access.request);
    } else if (line != kNone) {
      observe(CacheEvent::Kind::Store, access.line, access.mask, &access.request);
      copy_masked(lines_.data(line) + access.offset, access.request.data.data(), access.request.mask);
      const ByteMask kept = rules_.kept_of_write(access);
      lines_[line].valid = lines_[line].valid | kept;
      lines_.touch(line);
      observe(CacheEvent::Kind::Write, access.line, kept, &access.request);
    }
  } else if (line != kNone && operation != Operation::Clean) {
    drop(line, lines_[line].valid, &access.request);
  }
  const std::uint32_t transit = transits_.add(access.line, traffic_class);
  transits_[transit].entry = entry;
  below_.send(now, entry.packet, access.line, {ReturnAddress::Kind::PassedOn, transit});
  return Outcome::Done;
}

Outcome Cache::clean(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::uint32_t line) {
  const ByteMask dirty = line == kNone ? ByteMask{} : lines_[line].dirty & access.mask;
  if (any(dirty)) {
    const Outcome room = stalled_below(below_.room(now, TrafficClass::NonTriggered), entry);
    if (room == Outcome::Done) write_back(now, access.line, line, dirty, &entry);
    return room;
  }
  // An eviction on its way has to arrive first.
  if (transits_.writing_back(access.line)) return stall(entry, statistics_.stalls_below);
  const Outcome room = clients_.room(now, entry.client);
  if (room == Outcome::Done) clients_.answer(now, entry, 0);
  return room;
}

// A perfect cache serves the request in memory.
Outcome Cache::serve_in_memory(Picoseconds now, CacheEntry& entry, const LineAccess& access) {
  Request& request = access.request;
  // Requests below come first.
  if (transits_.of_line(access.line)) return stall(entry, statistics_.stalls_below);
  std::byte* const bytes = memory_->bytes(request.address);
  if (request.operation == Operation::Atomic) return atomic(now, entry, access, bytes);
  const Outcome room = clients_.room(now, entry.client);
  if (room != Outcome::Done) return room;
  const bool reads = request.operation == Operation::Read;
  if (reads) {
    copy_masked(request.data.data(), bytes, request.mask);
  } else {
    observe(CacheEvent::Kind::Store, access.line, access.mask, &request);
    copy_masked(bytes, request.data.data(), request.mask);
    observe(CacheEvent::Kind::Write, access.line, access.mask, &request);
  }
  clients_.answer(now, entry, reads ? request.bytes : std::uint16_t{0});
  return Outcome::Done;
}

// `bytes`: those of the request, as they are before it.
Outcome Cache::atomic(Picoseconds now, CacheEntry& entry, const LineAccess& access, std::byte* bytes) {
  const Outcome room = clients_.room(now, entry.client);
  if (room != Outcome::Done) return room;
  const std::uint64_t words = (count(access.mask) + 3) / 4;
  const std::uint64_t cycles = (words + config_.atomic_words_per_cycle - 1) / config_.atomic_words_per_cycle;
  if (!entry.occupied_port) {
    const Picoseconds start = std::max(now, recent_atomics_.free_at(now, access.line, access.mask, clock_));
    statistics_.atomic_conflict_ps += start - now;
    const Picoseconds performed = cycles > 1 ? clock_.edge_after(start, cycles - 1) : start;
    if (performed > now) {
      entry.occupied_port = true;
      port_free_ = performed;
      return Outcome::NextCycle;
    }
  }
  observe(CacheEvent::Kind::Store, access.line, access.mask, &access.request);
  perform_atomic(pool_, access.request, bytes, name());
  observe(CacheEvent::Kind::Write, access.line, access.mask, &access.request);
  ++statistics_.atomics;
  if (config_.atomic_conflict_cycles > 1)
    recent_atomics_.performed(access.line, access.mask,
                              clock_.edge_after(now, config_.atomic_conflict_cycles - 1));
  clients_.answer(now, entry, answer_bytes(access.request));
  return Outcome::Done;
}

}  // namespace duet::memory
