#include "memory/interconnect/crossbar.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace duet::memory {

namespace {
// Calls f(i) for every set bit i of `bits`, plus `base`.
template <typename F>
inline void for_each_bit(std::uint64_t bits, unsigned base, F f) {
  for (; bits != 0; bits &= bits - 1) f(base + static_cast<unsigned>(std::countr_zero(bits)));
}
template <typename Words, typename F>
inline void for_each_member(const Words& words, F f) {
  for (unsigned i = 0; i < words.size(); ++i) for_each_bit(words[i], 64 * i, f);
}
constexpr unsigned kNoOffer = ~0u;
}  // namespace

CrossbarBase::PortSet CrossbarBase::PortSet::operator&(const PortSet& other) const {
  PortSet both;
  for (unsigned i = 0; i < words.size(); ++i) both.words[i] = words[i] & other.words[i];
  return both;
}

CrossbarBase::PortSet CrossbarBase::PortSet::without(const PortSet& other) const {
  PortSet rest;
  for (unsigned i = 0; i < words.size(); ++i) rest.words[i] = words[i] & ~other.words[i];
  return rest;
}

void CrossbarBase::PortSet::operator|=(const PortSet& other) {
  for (unsigned i = 0; i < words.size(); ++i) words[i] |= other.words[i];
}

unsigned CrossbarBase::PortSet::next(unsigned port) const {
  const unsigned count = static_cast<unsigned>(words.size());
  unsigned word = port / 64;
  std::uint64_t bits = words[word] & ~0ull << port % 64;
  while (bits == 0) {
    if (++word == count) word = 0;
    bits = words[word];
  }
  return 64 * word + static_cast<unsigned>(std::countr_zero(bits));
}

CrossbarBase::CrossbarBase(sim::Engine& engine, std::string name, const sim::Component* parent,
                           const config::Interconnect& config)
    : Component(engine, std::move(name), parent, 1, sim::Role::DataMovementElement),
      clock_(config.clock_khz * 1000),
      flit_bytes_(static_cast<std::uint32_t>(config.flit_bytes)),
      header_bytes_(static_cast<std::uint32_t>(config.header_bytes)),
      latency_cycles_(config.latency_cycles),
      queue_packets_(config.queue_packets) {}

unsigned CrossbarBase::add_input_port() {
  if (inputs_.size() == kMaxPorts) throw Error(name() + ": more than 256 input ports");
  inputs_.emplace_back();
  return static_cast<unsigned>(inputs_.size()) - 1;
}

unsigned CrossbarBase::add_output_port() {
  if (outputs_.size() == kMaxPorts) throw Error(name() + ": more than 256 output ports");
  outputs_.emplace_back();
  return static_cast<unsigned>(outputs_.size()) - 1;
}

void CrossbarBase::connect_input(unsigned port_number, std::span<PacketQueue* const> queues) {
  InputPort& port = inputs_[port_number];
  if (port.queues.size() + queues.size() > kMaxQueuesOfPort)
    throw Error(name() + ": too many producers at one input port");
  for (unsigned traffic_class = 0; traffic_class < queues.size(); ++traffic_class) {
    const std::size_t index = input_queues_.size();
    const auto slot = static_cast<std::uint8_t>(port.queues.size());
    input_queues_.push_back({queues[traffic_class], static_cast<std::uint16_t>(port_number), slot,
                             static_cast<std::uint8_t>(traffic_class)});
    port.queues.push_back(static_cast<std::uint16_t>(index));
    port.of_class[traffic_class] |= 1ull << slot;
    if (index / 64 == arrivals_.size()) arrivals_.push_back(0);
  }
  // The words may have moved.
  for (std::size_t i = 0; i < input_queues_.size(); ++i)
    input_queues_[i].queue->mark_pushes(&arrivals_[i / 64], 1ull << i % 64);
}

void CrossbarBase::connect_output(unsigned port_number, std::uint16_t number,
                                  std::span<PacketQueue* const> queues) {
  OutputPort& port = outputs_[port_number];
  if (port.queues.size() + queues.size() > kMaxQueuesOfPort)
    throw Error(name() + ": too many destinations at one output port");
  if (route_.size() <= number) route_.resize(number + 1u, kNoRoute);
  if (route_[number] != kNoRoute) throw Error(name() + ": two outputs have number " + std::to_string(number));
  route_[number] = static_cast<std::uint16_t>(output_queues_.size());
  for (PacketQueue* queue : queues) {
    const auto slot = static_cast<std::uint8_t>(port.queues.size());
    port.queues.push_back(static_cast<std::uint16_t>(output_queues_.size()));
    output_queues_.push_back({queue, static_cast<std::uint16_t>(port_number), number, slot, {}});
  }
}

Picoseconds CrossbarBase::tick(Picoseconds now) {
  for_each_member(busy_inputs_.words, [&](unsigned port) {
    if (inputs_[port].free_at <= now) busy_inputs_.erase(port);
  });
  for_each_member(busy_outputs_.words, [&](unsigned port) {
    if (outputs_[port].free_at <= now) busy_outputs_.erase(port);
  });
  next_arrival_ = kNever;
  take_arrivals(now);
  arbitrate(now);
  // Whatever is left waits for a packet that arrives, for a port, or for room: the queue that was found full
  // wakes this component when it gets some.
  return std::min(next_arrival_, next_free_port());
}

// Looks at the queues into which something was pushed since they were last found empty.
void CrossbarBase::take_arrivals(Picoseconds now) {
  for (std::size_t i = 0; i < arrivals_.size(); ++i) {
    const std::uint64_t marked = arrivals_[i];
    if (marked == 0) continue;
    arrivals_[i] = 0;
    for_each_bit(marked, static_cast<unsigned>(64 * i), [&](unsigned index) {
      InputQueue& input = input_queues_[index];
      if ((inputs_[input.port].heads >> input.slot & 1) == 0) take_head(input, now);
    });
  }
}

// The front packet of a queue becomes a request to its output queue, or is waited for.
void CrossbarBase::take_head(InputQueue& input, Picoseconds now) {
  if (!input.queue->can_pop(now)) {
    const Picoseconds arrival = input.queue->next_arrival(now);
    if (arrival == kNever) return;
    const auto index = static_cast<std::size_t>(&input - input_queues_.data());
    arrivals_[index / 64] |= 1ull << index % 64;
    next_arrival_ = std::min(next_arrival_, next_opportunity(arrival));
    return;
  }
  input.target = target_of(input);
  input.head_since = now;
  InputPort& port = inputs_[input.port];
  port.heads |= 1ull << input.slot;
  inputs_with_heads_.insert(input.port);
  OutputQueue& target = output_queues_[input.target];
  target.requests.insert(input.port);
  outputs_[target.port].requested |= 1ull << target.slot;
  requested_outputs_.insert(target.port);
}

std::uint16_t CrossbarBase::target_of(const InputQueue& input) const {
  const std::uint16_t number = input.queue->front().destination;
  if (number >= route_.size() || route_[number] == kNoRoute)
    throw Error(name() + ": a packet for destination " + std::to_string(number) + ", which is not connected");
  return static_cast<std::uint16_t>(route_[number] + input.traffic_class);
}

void CrossbarBase::arbitrate(Picoseconds now) {
  PortSet offering = requested_outputs_.without(busy_outputs_);
  while (!offering.empty()) {
    PortSet offered;
    for_each_member(offering.words, [&](unsigned output) {
      if (!offer(output, now, offered)) offering.erase(output);
    });
    for_each_member(offered.words, [&](unsigned input) {
      offering.erase(inputs_[input].offering_output);
      send(inputs_[input], now);
    });
  }
}

// Offers a free output port to the input port whose turn it is; false when none can use it at this edge.
bool CrossbarBase::offer(unsigned output_number, Picoseconds now, PortSet& offered) {
  OutputPort& output = outputs_[output_number];
  std::uint64_t room = 0;
  PortSet candidates;
  for_each_bit(output.requested, 0, [&](unsigned slot) {
    const OutputQueue& queue = output_queues_[output.queues[slot]];
    if (!queue.queue->can_push(now)) return;
    room |= 1ull << slot;
    candidates |= queue.requests;
  });
  candidates = candidates.without(busy_inputs_);
  if (candidates.empty()) return false;
  const unsigned number = candidates.next(output.round_robin);
  InputPort& input = inputs_[number];
  if ((offered.words[number / 64] >> number % 64 & 1) == 0) {
    offered.insert(number);
    input.offered_rank = kNoOffer;
  }
  for (unsigned traffic_class = 0; traffic_class < kTrafficClasses; ++traffic_class) {
    const std::uint64_t heads = input.heads & input.of_class[traffic_class];
    const std::uint64_t before = (1ull << input.round_robin[traffic_class]) - 1;
    unsigned rank = traffic_class * 2 * kMaxQueuesOfPort;
    for (const std::uint64_t turn : {heads & ~before, heads & before}) {
      for (std::uint64_t bits = turn; bits != 0; bits &= bits - 1) {
        const auto slot = static_cast<unsigned>(std::countr_zero(bits));
        const OutputQueue& target = output_queues_[input_queues_[input.queues[slot]].target];
        if (target.port != output_number || (room >> target.slot & 1) == 0) continue;
        if (rank + slot < input.offered_rank) {
          input.offered_rank = rank + slot;
          input.offered_slot = slot;
          input.offering_output = output_number;
        }
        return true;
      }
      rank += kMaxQueuesOfPort;
    }
  }
  return true;
}

// Sends what the best offer to an input port allows.
void CrossbarBase::send(InputPort& port, Picoseconds now) {
  const unsigned slot = port.offered_slot;
  InputQueue& input = input_queues_[port.queues[slot]];
  OutputQueue& target = output_queues_[input.target];
  OutputPort& output = outputs_[target.port];

  const Packet packet = input.queue->pop(now);
  const Cycle cycles = std::max(1u, (packet.payload_bytes + header_bytes_ + flit_bytes_ - 1) / flit_bytes_);
  // Packets that are sent at one edge are mostly of a few lengths.
  Reservation& reservation = reservations_[cycles % reservations_.size()];
  if (reservation.sent_at != now || reservation.cycles != cycles)
    reservation = {now, cycles, clock_.edge_after(now, cycles),
                   clock_.edge_after(now, cycles - 1 + latency_cycles_)};
  target.queue->push(now, packet, reservation.arrival);
  port.free_at = output.free_at = reservation.free_at;
  busy_inputs_.insert(input.port);
  busy_outputs_.insert(target.port);
  output.round_robin = input.port + 1u == inputs_.size() ? 0 : input.port + 1u;
  port.round_robin[input.traffic_class] = static_cast<std::uint8_t>((slot + 1) % kMaxQueuesOfPort);
  ++statistics_.packets;
  statistics_.flits += cycles;
  statistics_.waiting_ps += now - input.head_since;
  ++output.statistics.packets;
  output.statistics.flits += cycles;

  port.heads &= ~(1ull << slot);
  bool another = false;  // head at this port for the same output queue
  for_each_bit(port.heads & port.of_class[input.traffic_class], 0,
               [&](unsigned other) { another |= input_queues_[port.queues[other]].target == input.target; });
  if (!another) target.requests.erase(input.port);
  take_head(input, now);
  if (port.heads == 0) inputs_with_heads_.erase(input.port);
  if (target.requests.empty()) output.requested &= ~(1ull << target.slot);
  if (output.requested == 0) requested_outputs_.erase(target.port);
}

// The next time at which a port that some packet waits for becomes free.
Picoseconds CrossbarBase::next_free_port() const {
  Picoseconds next = kNever;
  for_each_member((inputs_with_heads_ & busy_inputs_).words,
                  [&](unsigned port) { next = std::min(next, inputs_[port].free_at); });
  for_each_member((requested_outputs_ & busy_outputs_).words,
                  [&](unsigned port) { next = std::min(next, outputs_[port].free_at); });
  return next;
}

std::string CrossbarBase::waits_for() const {
  for (const OutputQueue& output : output_queues_)
    if (!output.requests.empty() && output.queue->size() == output.queue->capacity())
      return "room in the queue of its output number " + std::to_string(output.number);
  return {};
}

}  // namespace duet::memory
