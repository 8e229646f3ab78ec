// The steps of a cache for nearly every request (cache.h), inline: most host time goes into them.
#pragma once

#include <utility>

#include "memory/cache/cache.h"

namespace duet::memory {

inline Cache::Access Cache::access(const CacheEntry& entry) {
  Request& request = pool_[entry.packet.request];
  const PhysicalAddress line = lines_.line_of(request.address);
  const auto offset = static_cast<unsigned>(request.address - line);
  const bool range = request.operation == Operation::Clean || request.operation == Operation::Invalidate;
  bool cached = may_hold(request);
  if (request.tracked) {
    cached &= keeps(request);
    if (any(request.required))
      return {request, line, offset, moved_up(request.required, offset), cached || range};
  }
  return {request, line, offset, moved_up(range ? ByteMask::first(request.bytes) : request.mask, offset),
          cached || range};
}

// Whether a request to tracked memory leaves the bits as the valid bytes here require them.
inline bool Cache::keeps(const Request& request) const {
  switch (request.operation) {
    case Operation::Read:
      return request.action == Action::None &&
             (request.trigger == Trigger::Full ||
              (!full_empty_.merge_by_trigger && request.trigger == Trigger::None));
    case Operation::Write:
      return request.trigger == Trigger::None && request.action == Action::Fill;
    default:
      return false;
  }
}

// The bytes to ask for below: neither here nor on their way.
inline ByteMask Cache::bytes_to_fetch(const Access& access, const ByteMask& valid,
                                      const ByteMask& on_their_way) const {
  // A fetch on its way may wait for other words than this request's.
  const bool shares = !access.request.tracked || within(on_their_way, access.mask);
  const ByteMask have = shares ? valid | on_their_way : valid;
  return missing_sectors(access.mask, have) & ~have;
}

inline bool Cache::possible(const Access& access) const {
  const Request& request = access.request;
  const bool range = request.operation == Operation::Clean || request.operation == Operation::Invalidate;
  return (request.tracked || (request.trigger == Trigger::None && request.action == Action::None)) &&
         access.offset + request.bytes <= lines_.line_bytes() &&
         within(request.mask, ByteMask::first(request.bytes)) && (range || any(request.mask));
}

inline bool Cache::goes_below(const Access& access, std::uint32_t line) const {
  if (!access.cached) return true;
  switch (access.request.operation) {
    case Operation::Write:
      return !config_.write_back || (access.request.tracked && full_empty_.write_through) ||
             (line == kNone && !config_.write_allocate);
    case Operation::Atomic:
      return config_.atomic_words_per_cycle == 0;
    case Operation::Clean:
      return !config_.write_back;
    default:
      return false;
  }
}

inline Cache::Outcome Cache::stall(CacheEntry& entry, sim::Counter& cause) {
  statistics_.stalls += !entry.stalled;
  cause += !entry.stalled;
  entry.stalled = true;
  return Outcome::Blocked;
}

inline Cache::Outcome Cache::stalled_below(Outcome outcome, CacheEntry& entry) {
  return outcome == Outcome::Blocked ? stall(entry, statistics_.stalls_below) : outcome;
}

inline Cache::Outcome Cache::room_above(Picoseconds now, std::uint32_t client) {
  if (answered_) return Outcome::NextCycle;
  return clients_[client].responses->can_push(now) ? Outcome::Done : Outcome::Blocked;
}

inline Cache::Outcome Cache::room_below(Picoseconds now, TrafficClass traffic_class) {
  if (sent_) return Outcome::NextCycle;
  return below_->can_push(now, traffic_class) ? Outcome::Done : Outcome::Blocked;
}

inline void Cache::answer(Picoseconds now, const CacheEntry& entry, std::uint16_t payload_bytes) {
  Packet packet = entry.packet;
  packet.kind = PacketKind::Response;
  packet.payload_bytes = payload_bytes;
  std::swap(packet.source, packet.destination);
  clients_[entry.client].responses->push(now, packet);
  answered_ = true;
}

inline void Cache::send_below(Picoseconds now, const Packet& packet, PhysicalAddress line, Kind kind,
                              std::uint32_t index) {
  Packet below = packet;
  below.source = number_;
  below.destination = destinations_ == nullptr ? std::uint16_t{0} : destinations_->of(line);
  below.argument = std::uint64_t{index} << 2 | static_cast<std::uint64_t>(kind);
  below_->push(now, below);
  sent_ = true;
}

inline bool Cache::writing_back(PhysicalAddress line) const {
  for (std::uint32_t i = first_transit_; i != kNone; i = transits_[i].next)
    if (transits_[i].line == line && transits_[i].own != kNoRequest) return true;
  return false;
}

inline bool Cache::passing_in_another_class(PhysicalAddress line, TrafficClass traffic_class) const {
  // Where queues below are looked into, triggered requests of one class pass each other too.
  const bool in_order = traffic_class == TrafficClass::NonTriggered || full_empty_.look_ahead <= 1;
  if (in_order && in_transit_ == in_transit_of_[static_cast<unsigned>(traffic_class)]) return false;
  for (std::uint32_t i = first_transit_; i != kNone; i = transits_[i].next)
    if (transits_[i].line == line && (!in_order || transits_[i].traffic_class != traffic_class)) return true;
  return false;
}

// All missing bytes of each sector that lacks a wanted byte.
inline ByteMask Cache::missing_sectors(const ByteMask& wanted, const ByteMask& have) const {
  const ByteMask missing = wanted & ~have;
  const auto bytes = static_cast<unsigned>(config_.sector_bytes);
  if (bytes == lines_.line_bytes()) return any(missing) ? ByteMask::first(bytes) & ~have : ByteMask{};
  const ByteMask sector = ByteMask::first(bytes);
  ByteMask fetched;
  for (unsigned at = 0; at < lines_.line_bytes(); at += bytes) {
    const ByteMask here = moved_up(sector, at);
    if (any(missing & here)) fetched = fetched | (here & ~have);
  }
  return fetched;
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
inline Cache::Outcome Cache::serve_here(Picoseconds now, CacheEntry& entry, const Access& access,
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
  const Outcome room = room_above(now, entry.client);
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
  answer(now, entry, reads ? request.bytes : std::uint16_t{0});
  return Outcome::Done;
}

inline Cache::Outcome Cache::take_turn(Picoseconds now, CacheEntry& entry, const Access& access,
                                       std::uint32_t line) {
  return goes_below(access, line) ? pass(now, entry, access, line) : serve_here(now, entry, access, line);
}

}  // namespace duet::memory
