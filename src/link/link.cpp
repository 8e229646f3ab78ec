#include "link/link.h"

#include <algorithm>
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
  return inputs_.emplace_back(std::max(packets, queue_packets_), producer, this);
}

PacketQueue& Direction::add_output(std::uint16_t number, sim::Component* consumer) {
  output_index_[number] = static_cast<std::uint8_t>(outputs_.size());
  return outputs_.emplace_back(queue_packets_, this, consumer);
}

bool Direction::ready(Picoseconds now) const {
  return std::any_of(inputs_.begin(), inputs_.end(), [&](const PacketQueue& input) {
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
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    std::size_t index = round_robin_ + i;
    if (index >= inputs_.size()) index -= inputs_.size();
    PacketQueue& input = inputs_[index];
    if (!input.can_pop(now)) continue;
    assert(output_index_[input.front().destination] != kNoOutput);
    PacketQueue& output = outputs_[output_index_[input.front().destination]];
    if (!output.can_push(now)) continue;
    const memory::Packet packet = input.pop(now);
    const Picoseconds end = wire_.reserve(now, packet.payload_bytes);
    output.push(now, packet, end + latency_ps_);
    ++statistics_.packets;
    statistics_.payload_bytes += packet.payload_bytes;
    statistics_.busy_ps += end - now;
    round_robin_ = index + 1 == inputs_.size() ? 0 : index + 1;
    take_turn(now);
    return true;
  }
  return false;
}

Picoseconds Direction::tick(Picoseconds now) {
  while (wire_.free_at() <= now && has_turn(now) && accept(now)) {
  }
  // While the wire is busy nothing can go. When it is free, a remaining packet waits for a credit, whose
  // return wakes this component, or has not arrived yet.
  Picoseconds next = kNever;
  for (const PacketQueue& input : inputs_) {
    if (input.empty()) continue;
    const Picoseconds arrival = input.next_arrival(now);
    if (arrival != kNever)
      next = std::min(next, next_opportunity(arrival));
    else if (wire_.free_at() > now)
      next = std::min(next, wire_.free_at());
    else if (!has_turn(now))
      next = std::min(next, now + 1);
  }
  return next;
}

std::string Direction::waits_for() const {
  for (const PacketQueue& input : inputs_)
    if (input.size() != 0 && output_of(input.front()).size() == queue_packets_)
      return "a receiver that takes no packets";
  return {};
}

}  // namespace duet::link
