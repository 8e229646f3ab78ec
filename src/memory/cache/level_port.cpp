#include "memory/cache/level_port.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "memory/atomic_request.h"
#include "memory/cache/byte_masks.h"
#include "memory/cache/cache_command.h"

namespace duet::memory {

LevelPort::LevelPort(sim::Engine& engine, std::string name, const sim::Component* parent,
                     const LevelPortConfig& config, RequestPool& pool)
    : Component(engine, std::move(name), parent, 1, sim::Role::DataMovementElement),
      clock_(config.clock_hz),
      config_(config),
      pool_(&pool) {}

void LevelPort::connect_above(Channel& requests, sim::Queue<Packet>& responses) {
  from_above_ = &requests;
  to_above_ = &responses;
}

void LevelPort::connect_below(Channel& requests, sim::Queue<Packet>& responses, std::uint16_t number,
                              const Destinations* destinations) {
  to_below_ = &requests;
  from_below_ = &responses;
  number_ = number;
  destinations_ = destinations;
}

Picoseconds LevelPort::tick(Picoseconds now) {
  clock_.advance_to(now);
  if (from_below_->can_pop(now)) finish(now, from_below_->pop(now));
  bool ready = false;  // a packet is behind the one just sent
  for (unsigned c = 0; c < kTrafficClasses; ++c) {
    std::deque<OnWire>& wire = down_[c];
    if (has_room(wire) && from_above_->of(c).can_pop(now)) take(now, from_above_->of(c).pop(now));
    if (!wire.empty() && wire.front().ready <= now && to_below_->of(c).can_push(now)) {
      to_below_->of(c).push(now, wire.front().packet);
      wire.pop_front();
      ready |= !wire.empty() && wire.front().ready <= now;
    }
  }
  if (!up_.empty() && up_.front().ready <= now && to_above_->can_push(now)) {
    to_above_->push(now, up_.front().packet);
    up_.pop_front();
    ready |= !up_.empty() && up_.front().ready <= now;
  }
  return next_tick(now, ready);
}

// A ready packet without room is woken by the queue below when it has room.
Picoseconds LevelPort::next_tick(Picoseconds now, bool ready) const {
  const auto seen = [&](const sim::Queue<Packet>& queue) {
    return queue.can_pop(now) ? now : queue.next_arrival(now);
  };
  Picoseconds at = ready ? now : seen(*from_below_), next = kNever;
  const auto on_wire = [&](const std::deque<OnWire>& wire) {
    if (!wire.empty() && wire.front().ready > now) next = std::min(next, wire.front().ready);
  };
  for (unsigned c = 0; c < kTrafficClasses; ++c) {
    if (has_room(down_[c])) at = std::min(at, seen(from_above_->of(c)));
    on_wire(down_[c]);
  }
  on_wire(up_);
  return at < next ? std::min(next, clock_.first_edge_after(at)) : next;
}

void LevelPort::take(Picoseconds now, const Packet& packet) {
  std::uint32_t index;
  if (free_wholes_.empty()) {
    index = static_cast<std::uint32_t>(wholes_.size());
    wholes_.emplace_back();
  } else {
    index = free_wholes_.back();
    free_wholes_.pop_back();
  }
  Whole& whole = wholes_[index];
  whole.packet = packet;
  whole.parts_left = 0;
  whole.parts.fill(kNoRequest);
  Request& request = pool_[packet.request];
  const PhysicalAddress end = request.address + request.bytes;
  PhysicalAddress line = request.address.aligned_down(config_.line_bytes);
  if (line + config_.line_bytes >= end) {
    whole.parts_left = 1;
    send(now, index, packet.request);
    return;
  }
  request.was_held = true;  // when all parts were
  const bool ranges = request.operation == Operation::Clean || request.operation == Operation::Invalidate;
  for (; line < end; line += config_.line_bytes) {
    const PhysicalAddress first = std::max(line, request.address);
    const auto bytes = static_cast<unsigned>(std::min(line + config_.line_bytes, end) - first);
    const auto offset = static_cast<unsigned>(first - request.address);
    const ByteMask all = ByteMask::first(bytes);
    const ByteMask mask = ranges ? all : moved_down(request.mask, offset) & all;
    if (!any(mask)) continue;
    const RequestHandle handle = part_of(request, first, bytes, mask);
    whole.parts[whole.parts_left++] = handle;
    send(now, index, handle);
  }
}

RequestHandle LevelPort::part_of(const Request& request, PhysicalAddress first, unsigned bytes,
                                 const ByteMask& mask) {
  const auto offset = static_cast<unsigned>(first - request.address);
  const RequestHandle handle = pool_.allocate();
  Request& part = pool_[handle];
  static_cast<RequestFields&>(part) = request;
  part.address = first;
  part.bytes = static_cast<std::uint16_t>(bytes);
  part.mask = mask;
  if (request.operation != Operation::Read)
    std::memcpy(part.data.data(), request.data.data() + offset, bytes);
  if (request.second != kNoRequest) {
    part.second = pool_.allocate();
    std::memcpy(pool_[part.second].data.data(), pool_[request.second].data.data() + offset, bytes);
  }
  return handle;
}

void LevelPort::send(Picoseconds now, std::uint32_t index, RequestHandle part) {
  Packet packet = wholes_[index].packet;
  const bool split = std::exchange(packet.request, part) != part;
  if (split && packet.payload_bytes != 0) packet.payload_bytes = pool_[part].bytes;
  packet.source = number_;
  packet.destination = destinations_->of(pool_[part].address.aligned_down(config_.line_bytes));
  packet.argument = index;
  down_[static_cast<unsigned>(packet.traffic_class)].push_back(
      {clock_.edge_after(now, config_.wire_cycles), packet});
}

void LevelPort::finish(Picoseconds now, const Packet& packet) {
  Whole& whole = wholes_[packet.argument];
  Packet answer = packet;
  answer.request = whole.packet.request;
  if (packet.request != whole.packet.request) {
    Request& request = pool_[whole.packet.request];
    take_over(pool_[packet.request], request);
    answer.payload_bytes = answer_bytes(request);
    std::replace(whole.parts.begin(), whole.parts.end(), packet.request, kNoRequest);
    if (pool_[packet.request].second != kNoRequest) pool_.release(pool_[packet.request].second);
    pool_.release(packet.request);
  }
  if (--whole.parts_left != 0) return;
  answer.source = whole.packet.destination;
  answer.destination = whole.packet.source;
  answer.argument = whole.packet.argument;
  free_wholes_.push_back(static_cast<std::uint32_t>(packet.argument));
  up_.push_back({clock_.edge_after(now, config_.wire_cycles), answer});
}

// What the answer of a part brings.
void LevelPort::take_over(const Request& part, Request& request) {
  const auto offset = static_cast<unsigned>(part.address - request.address);
  const bool reads = request.operation == Operation::Read;
  if (reads || request.operation == Operation::Atomic)
    copy_masked(request.data.data() + offset, part.data.data(), part.mask);
  if (reads) request.was_held &= part.was_held;
}

void LevelPort::forget(PhysicalAddress base, Bytes bytes) {
  for (const Whole& whole : wholes_) {
    for (const RequestHandle handle : whole.parts) {
      if (handle == kNoRequest) continue;
      Request& part = pool_[handle];
      if (part.operation != Operation::Read)
        part.mask = part.mask & ~part_of_range(base, bytes, part.address, part.bytes);
    }
  }
}

std::string LevelPort::waits_for() const {
  std::size_t down = 0;
  for (const std::deque<OnWire>& wire : down_) down += wire.size();
  if (down != 0) return "room below, for " + std::to_string(down) + " requests";
  return up_.empty() ? "" : "room above, for " + std::to_string(up_.size()) + " answers";
}

}  // namespace duet::memory
