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
// Of the set's first W words.
template <unsigned W, typename Words, typename F>
inline void for_each_member(const Words& words, F f) {
  for (unsigned i = 0; i < W; ++i) for_each_bit(words[i], 64 * i, f);
}
// The first member at or after `port`, from the beginning again after the last one; the set is not empty.
template <std::size_t W>
inline unsigned next_member(const std::array<std::uint64_t, W>& words, unsigned port) {
  unsigned word = port / 64;
  std::uint64_t bits = words[word] & ~0ull << port % 64;
  while (bits == 0) {
    if (++word == W) word = 0;
    bits = words[word];
  }
  return 64 * word + static_cast<unsigned>(std::countr_zero(bits));
}
constexpr unsigned kNoOffer = ~0u;
}  // namespace

CrossbarBase::CrossbarBase(sim::Engine& engine, std::string name, const sim::Component* parent,
                           const config::Interconnect& config, std::string prefix)
    : Component(engine, std::move(name), parent, 1, sim::Role::DataMovementElement),
      clock_(config.clock_khz * 1000),
      flit_bytes_(static_cast<std::uint32_t>(config.flit_bytes)),
      header_bytes_(static_cast<std::uint32_t>(config.header_bytes)),
      latency_cycles_(config.latency_cycles),
      queue_packets_(config.queue_packets),
      statistics_(*this, std::move(prefix)) {}

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
    input_queues_.push_back({queues[traffic_class], static_cast<std::uint16_t>(port_number),
                             static_cast<std::uint8_t>(traffic_class), 1ull << slot});
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
    output_queues_.push_back({queue, static_cast<std::uint16_t>(port_number), number, 1ull << slot, {}});
  }
}

Picoseconds CrossbarBase::tick(Picoseconds now) {
  return inputs_.size() <= 64 && outputs_.size() <= 64 ? tick_ports<1>(now) : tick_ports<kWords>(now);
}

template <unsigned W>
Picoseconds CrossbarBase::tick_ports(Picoseconds now) {
  for_each_member<W>(busy_inputs_.words, [&](unsigned port) {
    if (inputs_[port].free_at <= now) busy_inputs_.erase<W>(port);
  });
  for_each_member<W>(busy_outputs_.words, [&](unsigned port) {
    if (outputs_[port].free_at <= now) busy_outputs_.erase<W>(port);
  });
  next_arrival_ = kNever;
  take_arrivals<W>(now);
  arbitrate<W>(now);
  // All remaining packets wait for an arrival, a port, or room. A full queue wakes this component when it
  // gets room.
  return std::min(next_arrival_, next_free_port<W>());
}

// Looks at the queues with a push since they were last found empty.
template <unsigned W>
inline void CrossbarBase::take_arrivals(Picoseconds now) {
  for (std::size_t i = 0; i < arrivals_.size(); ++i) {
    const std::uint64_t marked = arrivals_[i];
    if (marked == 0) continue;
    arrivals_[i] = 0;
    for_each_bit(marked, static_cast<unsigned>(64 * i), [&](unsigned index) {
      InputQueue& input = input_queues_[index];
      if ((inputs_[input.port].heads & input.bit) == 0) take_head<W>(input, now);
    });
  }
}

// The front packet of a queue becomes a request to its output queue, or is waited for.
template <unsigned W>
inline void CrossbarBase::take_head(InputQueue& input, Picoseconds now) {
  if (!input.queue->can_pop(now)) {
    const Picoseconds arrival = input.queue->next_arrival(now);
    if (arrival == kNever) return;
    const auto index = static_cast<std::size_t>(&input - input_queues_.data());
    arrivals_[index / 64] |= 1ull << index % 64;
    if (arrival < next_arrival_) next_arrival_ = std::min(next_arrival_, clock_.first_edge_after(arrival));
    return;
  }
  const unsigned number = input.queue->front().destination;
  if (number >= route_.size() || route_[number] == kNoRoute) refuse_destination(number);
  input.target = static_cast<std::uint16_t>(route_[number] + input.traffic_class);
  input.head_since = now;
  InputPort& port = inputs_[input.port];
  port.heads |= input.bit;
  inputs_with_heads_.insert<W>(input.port);
  OutputQueue& target = output_queues_[input.target];
  target.requests.insert<W>(input.port);
  outputs_[target.port].requested |= target.bit;
  requested_outputs_.insert<W>(target.port);
}

void CrossbarBase::refuse_destination(unsigned number) const {
  throw Error(name() + ": a packet for destination " + std::to_string(number) + ", which is not connected");
}

template <unsigned W>
void CrossbarBase::arbitrate(Picoseconds now) {
  Words<W> offering;
  for (unsigned i = 0; i < W; ++i) offering[i] = requested_outputs_.words[i] & ~busy_outputs_.words[i];
  for (bool any = true; any;) {
    Words<W> offered{};
    for_each_member<W>(offering, [&](unsigned output) {
      if (!offer<W>(output, now, offered)) offering[W == 1 ? 0 : output / 64] &= ~(1ull << output % 64);
    });
    any = false;
    for_each_member<W>(offered, [&](unsigned number) {
      InputPort& input = inputs_[number];
      offering[W == 1 ? 0 : input.offering_output / 64] &= ~(1ull << input.offering_output % 64);
      send<W>(input, now);
    });
    for (const std::uint64_t word : offering) any |= word != 0;
  }
}

// Offers a free output port to the input port whose turn it is; false when none can use it at this edge.
template <unsigned W>
inline bool CrossbarBase::offer(unsigned output_number, Picoseconds now, Words<W>& offered) {
  OutputPort& output = outputs_[output_number];
  std::uint64_t room = 0;
  Words<W> candidates{};
  for_each_bit(output.requested, 0, [&](unsigned slot) {
    const OutputQueue& queue = output_queues_[output.queues[slot]];
    Words<W> free;
    std::uint64_t any = 0;
    for (unsigned i = 0; i < W; ++i) any |= free[i] = queue.requests.words[i] & ~busy_inputs_.words[i];
    // A queue need not wake the busy ports with packets for it: the end of their packet wakes them.
    if (any == 0 || !queue.queue->can_push(now)) return;
    room |= queue.bit;
    for (unsigned i = 0; i < W; ++i) candidates[i] |= free[i];
  });
  if (room == 0) return false;
  const unsigned number = next_member(candidates, output.round_robin);
  InputPort& input = inputs_[number];
  if ((offered[W == 1 ? 0 : number / 64] >> number % 64 & 1) == 0) {
    offered[W == 1 ? 0 : number / 64] |= 1ull << number % 64;
    input.offered_rank = kNoOffer;
  }
  for (unsigned traffic_class = 0;; ++traffic_class) {
    const std::uint64_t heads = input.heads & input.of_class[traffic_class];
    if (heads == 0) continue;  // one of the port's heads is for this output
    const std::uint64_t before = (1ull << input.round_robin[traffic_class]) - 1;
    unsigned rank = traffic_class * 2 * kMaxQueuesOfPort;
    for (const std::uint64_t turn : {heads & ~before, heads & before}) {
      for (std::uint64_t bits = turn; bits != 0; bits &= bits - 1) {
        const auto slot = static_cast<unsigned>(std::countr_zero(bits));
        const OutputQueue& target = output_queues_[input_queues_[input.queues[slot]].target];
        if (target.port != output_number || (room & target.bit) == 0) continue;
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
}

// Sends by the best offer to an input port.
template <unsigned W>
inline void CrossbarBase::send(InputPort& port, Picoseconds now) {
  const unsigned slot = port.offered_slot;
  InputQueue& input = input_queues_[port.queues[slot]];
  OutputQueue& target = output_queues_[input.target];
  OutputPort& output = outputs_[target.port];

  const Packet packet = input.queue->pop(now);
  const Cycle cycles = std::max(1u, (packet.payload_bytes + header_bytes_ + flit_bytes_ - 1) / flit_bytes_);
  // The packets of one edge mostly have a few lengths.
  Reservation& reservation = reservations_[cycles % reservations_.size()];
  if (reservation.sent_at != now || reservation.cycles != cycles)
    reservation = {now, cycles, clock_.edge_after(now, cycles),
                   clock_.edge_after(now, cycles - 1 + latency_cycles_)};
  target.queue->push(now, packet, reservation.arrival);
  port.free_at = output.free_at = reservation.free_at;
  busy_inputs_.insert<W>(input.port);
  busy_outputs_.insert<W>(target.port);
  output.round_robin = input.port + 1u == inputs_.size() ? 0 : input.port + 1u;
  port.round_robin[input.traffic_class] = static_cast<std::uint8_t>((slot + 1) % kMaxQueuesOfPort);
  ++statistics_.packets;
  statistics_.flits += cycles;
  statistics_.waiting_ps += now - input.head_since;

  port.heads &= ~input.bit;
  bool another = false;  // head at this port for the same output queue
  for_each_bit(port.heads & port.of_class[input.traffic_class], 0,
               [&](unsigned other) { another |= input_queues_[port.queues[other]].target == input.target; });
  if (!another) target.requests.erase<W>(input.port);
  take_head<W>(input, now);
  if (port.heads == 0) inputs_with_heads_.erase<W>(input.port);
  if (target.requests.empty<W>()) output.requested &= ~target.bit;
  if (output.requested == 0) requested_outputs_.erase<W>(target.port);
}

// The next time at which a wanted port becomes free.
template <unsigned W>
inline Picoseconds CrossbarBase::next_free_port() const {
  Picoseconds next = kNever;
  for (unsigned i = 0; i < W; ++i) {
    for_each_bit(inputs_with_heads_.words[i] & busy_inputs_.words[i], 64 * i,
                 [&](unsigned port) { next = std::min(next, inputs_[port].free_at); });
    for_each_bit(requested_outputs_.words[i] & busy_outputs_.words[i], 64 * i,
                 [&](unsigned port) { next = std::min(next, outputs_[port].free_at); });
  }
  return next;
}

std::string CrossbarBase::waits_for() const {
  for (const OutputQueue& output : output_queues_)
    if (!output.requests.empty<kWords>() && output.queue->size() == output.queue->capacity())
      return "room in the queue of its output number " + std::to_string(output.number);
  return {};
}

}  // namespace duet::memory
