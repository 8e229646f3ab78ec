#include "link/link.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace duet::link {

Direction::Direction(sim::Engine& engine, std::string name, std::string prefix, const sim::Component* parent,
                     std::uint64_t mb_per_s, Picoseconds latency_ps, std::size_t queue_packets)
    : Component(engine, std::move(name), parent, 2, sim::Role::None),
      wire_(mb_per_s),
      latency_ps_(latency_ps),
      queue_packets_(queue_packets),
      statistics_(*this, std::move(prefix)) {
  output_index_.fill(kNoOutput);
}

PacketQueue& Direction::add_input(sim::Component* producer, std::size_t packets) {
  PacketQueue& input = inputs_.emplace_back(std::max(packets, queue_packets_), producer, this);
  const std::size_t number = inputs_.size() - 1;
  if (number % 64 == 0) marked_.push_back(0);
  input.mark_pushes(&marked_.back(), 1ull << number % 64);
  return input;
}

template <typename F>
inline bool Direction::any_input(std::size_t begin, std::size_t end, F f) const {
  for (std::size_t first = begin / 64 * 64; first < end; first += 64) {
    std::uint64_t rest = marked_[first / 64];
    if (first < begin) rest &= ~0ull << (begin - first);
    if (end - first < 64) rest &= (1ull << (end - first)) - 1;
    for (; rest != 0; rest &= rest - 1)
      if (f(first + static_cast<std::size_t>(std::countr_zero(rest)))) return true;
  }
  return false;
}

PacketQueue& Direction::add_output(std::uint16_t number, sim::Component* consumer) {
  output_index_[number] = static_cast<std::uint8_t>(outputs_.size());
  return outputs_.emplace_back(queue_packets_, this, consumer);
}

bool Direction::ready(Picoseconds now) const {
  return any_input(0, inputs_.size(), [&](std::size_t number) {
    const PacketQueue& input = inputs_[number];
    return input.can_pop(now) && output_of(input.front()).can_push(now);
  });
}

bool Direction::has_turn(Picoseconds now) const {
  if (peer_ == nullptr) return true;
  const bool went_last = turn_ps_ < now ? went_last_ : went_last_before_;
  return !went_last || (peer_->sent_ps_ != now && !peer_->ready(now));
}

void Direction::take_turn(Picoseconds now) {
  if (peer_ == nullptr) return;
  sent_ps_ = now;
  for (Direction* const direction : {this, peer_}) {
    if (direction->turn_ps_ < now) direction->went_last_before_ = direction->went_last_;
    direction->turn_ps_ = now;
    direction->went_last_ = direction == this;
  }
  peer_->wire_.busy_until(wire_.free_at());
}

// Puts the next packet on the wire; false when none can go.
bool Direction::accept(Picoseconds now) {
  const auto goes = [&](std::size_t input) { return send(now, input); };
  return any_input(round_robin_, inputs_.size(), goes) || any_input(0, round_robin_, goes);
}

// The packet of this input, when it can go.
inline bool Direction::send(Picoseconds now, std::size_t number) {
  PacketQueue& input = inputs_[number];
  if (!input.can_pop(now)) return false;
  assert(output_index_[input.front().destination] != kNoOutput);
  PacketQueue& output = outputs_[output_index_[input.front().destination]];
  if (!output.can_push(now)) return false;
  const memory::Packet packet = input.pop(now);
  const Bytes bytes = packet.payload_bytes + header_bytes_;
  const Picoseconds end = wire_.reserve(now, flit_bytes_ == 1 ? bytes : round_up(bytes, flit_bytes_));
  output.push(now, packet, end + latency_ps_);
  ++statistics_.packets;
  statistics_.payload_bytes += packet.payload_bytes;
  statistics_.busy_ps += end - now;
  round_robin_ = number + 1;  // behind the last one: from the first
  take_turn(now);
  return true;
}

Picoseconds Direction::tick(Picoseconds now) {
  while (wire_.free_at() <= now && has_turn(now) && accept(now)) {
  }
  // While the wire is busy nothing can go. When it is free, a remaining packet waits for a credit, whose
  // return wakes this component, or has not arrived yet.
  Picoseconds next = kNever;
  any_input(0, inputs_.size(), [&](std::size_t number) {
    const PacketQueue& input = inputs_[number];
    if (input.empty()) {
      marked_[number / 64] &= ~(1ull << number % 64);
      return false;
    }
    const Picoseconds arrival = input.next_arrival(now);
    if (arrival != kNever)
      next = std::min(next, next_opportunity(arrival));
    else if (wire_.free_at() > now)
      next = std::min(next, wire_.free_at());
    else if (!has_turn(now))
      next = std::min(next, now + 1);
    return false;
  });
  return next;
}

std::string Direction::waits_for() const {
  for (const PacketQueue& input : inputs_)
    if (input.size() != 0 && output_of(input.front()).size() == queue_packets_)
      return "a receiver that takes no packets";
  return {};
}

}  // namespace duet::link
