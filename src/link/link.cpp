#include "link/link.h"

#include <algorithm>
#include <cassert>

namespace duet::link {

Direction::Direction(sim::Engine& engine, std::string name, const sim::Component* parent,
                     std::uint64_t mb_per_s, Picoseconds latency_ps, std::size_t queue_packets)
    : Component(engine, std::move(name), parent, 2, sim::Role::None),
      wire_(mb_per_s),
      latency_ps_(latency_ps),
      queue_packets_(queue_packets) {
  output_index_.fill(kNoOutput);
}

PacketQueue& Direction::add_input(sim::Component* producer) {
  return inputs_.emplace_back(queue_packets_, producer, this);
}

PacketQueue& Direction::add_output(std::uint8_t number, sim::Component* consumer) {
  output_index_[number] = static_cast<std::uint8_t>(outputs_.size());
  outputs_.push_back({PacketQueue(queue_packets_, this, consumer), memory::DelayLine(queue_packets_)});
  return outputs_.back().queue;
}

// Puts the next packet on the wire; false when none can go.
bool Direction::accept(Picoseconds now) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    std::size_t index = round_robin_ + i;
    if (index >= inputs_.size()) index -= inputs_.size();
    PacketQueue& input = inputs_[index];
    if (!input.can_pop(now)) continue;
    assert(output_index_[input.front().destination] != kNoOutput);
    Output& output = output_of(input.front());
    if (output.line.full()) continue;
    const memory::Packet packet = input.pop(now);
    output.line.push(packet, wire_.reserve(now, packet.payload_bytes) + latency_ps_);
    round_robin_ = index + 1 == inputs_.size() ? 0 : index + 1;
    return true;
  }
  return false;
}

Picoseconds Direction::tick(Picoseconds now) {
  receiver_full_ = false;
  Picoseconds next = kNever;
  for (Output& output : outputs_) {
    while (output.line.due() <= now && output.queue.can_push(now)) {
      output.queue.push(now, output.line.front());
      output.line.pop();
    }
    if (output.line.due() <= now) receiver_full_ = true;  // room in its receive queue wakes this component
  }
  while (wire_.free_at() <= now && accept(now)) {
  }
  if (wire_.free_at() > now)
    for (PacketQueue& input : inputs_)
      if (input.size() != 0 && !output_of(input.front()).line.full()) next = wire_.free_at();
  for (const Output& output : outputs_)
    if (output.line.due() > now) next = std::min(next, output.line.due());
  return next;
}

std::string Direction::waits_for() const {
  for (const Output& output : outputs_)
    if (output.line.due() <= engine().now()) return "a receiver that takes no packets";
  return {};
}

}  // namespace duet::link
