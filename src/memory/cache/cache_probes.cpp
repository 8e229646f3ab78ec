// Probes: requests from below or beside (a directory, another cache) for the dirty bytes of a line.
#include "base/error.h"
#include "memory/cache/cache_steps.h"

namespace duet::memory {

void Cache::connect_prober(sim::Queue<Packet>& probes, sim::Queue<Packet>& answers) {
  probes_.connect(probes, answers, &called_, kProbe);
}

void Cache::serve_probe(Picoseconds now) {
  Request& request = pool_[probes_.front().request];
  const PhysicalAddress line = lines_.line_of(request.address);
  const auto offset = static_cast<unsigned>(request.address - line);
  const bool invalidates = request.operation == Operation::Invalidate;
  if ((!invalidates && request.operation != Operation::Clean) || request.bytes == 0 ||
      offset + request.bytes > lines_.line_bytes())
    throw Error(name() + ": a probe invalidates or cleans bytes of one line");
  // Bytes on their way below arrive there first; the acknowledgement wakes this cache.
  if (changing_below(line) || !probes_.can_answer(now)) return;

  const ByteMask range = moved_up(ByteMask::first(request.bytes), offset);
  const std::uint32_t index = lines_.find(line);
  const ByteMask dirty = index == kNone ? ByteMask{} : lines_[index].dirty & range;
  request.mask = moved_down(dirty, offset);
  if (any(dirty)) {
    copy_masked(request.data.data(), lines_.data(index) + offset, request.mask);
    lines_[index].dirty = lines_[index].dirty & ~dirty;
    request.tracked = lines_[index].tracked;
    if (request.tracked) request.action = Action::Fill;
  }
  if (invalidates && index != kNone) take_away(index, range);
  probes_.answer(now, static_cast<std::uint16_t>(count(dirty)));
  again_ |= probes_.front_ready() <= now;
}

// Whether a write or an atomic of the line is on its way below and is sure to get there without others.
bool Cache::changing_below(PhysicalAddress line) const {
  return transits_.any_of([&](const Transit& transit) {
    if (transit.line != line || transit.traffic_class != TrafficClass::NonTriggered) return false;
    return transit.own != kNoRequest || pool_[transit.entry.packet.request].operation != Operation::Read;
  });
}

// The time at which the next probe is ready, a prefetch may go, or the next probe or command on a wire
// arrives; kNever when there is none, or no room for it.
Picoseconds Cache::next_call(Picoseconds now) {
  std::uint64_t calls = probes_.has_any() ? kProbe : 0;
  Picoseconds next = kNever, arrival = probes_.next_arrival(now, config_.latency_cycles);
  if (!probes_.empty() && probes_.front_ready() > now) next = probes_.front_ready();
  if (sweep_.connected()) {
    if (sweep_.has_any()) calls |= kCommand;
    if (sweep_.idle()) arrival = std::min(arrival, sweep_.next_arrival(now));
  }
  called_ = calls;
  next = std::min(next, next_prefetch(now));
  return arrival == kNever ? next : std::min(next, clock_.first_edge_after(arrival));
}

// Waiting reads may still have the bytes of the fetch. Writes and atomics must not, because their place in
// the order is after the probe.
void Cache::take_away(std::uint32_t index, const ByteMask& bytes) {
  if (const std::uint32_t mshr = lines_[index].mshr; mshr != kNone) {
    if (misses_[mshr].ordered == 0) {
      detach(mshr);
    } else {
      misses_[mshr].outdated = true;
    }
  }
  drop(index, bytes, nullptr);
}

}  // namespace duet::memory
