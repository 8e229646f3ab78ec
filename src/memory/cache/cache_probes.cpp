// Probes: requests from below or beside (a directory, another cache) for the dirty bytes of a line.
#include "base/error.h"
#include "memory/cache/cache_steps.h"

namespace duet::memory {

void Cache::connect_prober(sim::Queue<Packet>& probes, sim::Queue<Packet>& answers) {
  probers_.push_back({&probes, &answers});
  probes.mark_pushes(&called_, kProbe);
}

// Takes arrived probes into their pipeline, one a cycle, probers in turn.
void Cache::accept_probe(Picoseconds now) {
  if (probers_.empty()) return;
  if (probes_.stages.empty()) probes_.stages.resize(config_.latency_cycles);
  bool accepted = false;
  const std::size_t first = next_prober_, probers = probers_.size();
  for (std::size_t i = 0; i < probers; ++i) {
    const std::size_t index = (first + i) % probers;
    sim::Queue<Packet>& queue = *probers_[index].probes;
    if (!queue.can_pop(now)) continue;
    if (accepted || probes_.size == config_.latency_cycles) {
      again_ |= accepted;
      return;
    }
    CacheEntry entry;
    entry.packet = queue.pop(now);
    entry.client = static_cast<std::uint32_t>(index);
    const std::size_t tail = (probes_.head + probes_.size) % config_.latency_cycles;
    probes_.stages[tail] = {entry, clock_.edge_after(now, config_.latency_cycles)};
    if (probes_.size++ == 0) probes_.front_ready = probes_.stages[tail].ready;
    next_prober_ = (index + 1) % probers;
    accepted = true;
    again_ |= queue.can_pop(now);
  }
}

void Cache::serve_probe(Picoseconds now) {
  const CacheEntry& entry = probes_.front().entry;
  Request& request = pool_[entry.packet.request];
  const PhysicalAddress line = lines_.line_of(request.address);
  const auto offset = static_cast<unsigned>(request.address - line);
  const bool invalidates = request.operation == Operation::Invalidate;
  if ((!invalidates && request.operation != Operation::Clean) || request.bytes == 0 ||
      offset + request.bytes > lines_.line_bytes())
    throw Error(name() + ": a probe invalidates or cleans bytes of one line");
  sim::Queue<Packet>& answers = *probers_[entry.client].answers;
  // Bytes on their way below arrive there first; the acknowledgement wakes this cache.
  if (changing_below(line) || !answers.can_push(now)) return;

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
  Packet answer = entry.packet;
  answer.kind = PacketKind::Response;
  answer.payload_bytes = static_cast<std::uint16_t>(count(dirty));
  std::swap(answer.source, answer.destination);
  answers.push(now, answer);
  probes_.pop();
  again_ |= probes_.front_ready <= now;
}

// Whether a write or an atomic of the line is on its way below and is sure to get there without others.
bool Cache::changing_below(PhysicalAddress line) const {
  for (std::uint32_t i = first_transit_; i != kNone; i = transits_[i].next) {
    const Transit& transit = transits_[i];
    if (transit.line != line || transit.traffic_class != TrafficClass::NonTriggered) continue;
    if (transit.own != kNoRequest || pool_[transit.entry.packet.request].operation != Operation::Read)
      return true;
  }
  return false;
}

// The time at which the next probe is ready, a prefetch may go, or the next probe or command on a wire
// arrives; kNever when there is none, or no room for it.
Picoseconds Cache::next_call(Picoseconds now) {
  std::uint64_t calls = 0;
  Picoseconds next = kNever, arrival = kNever;
  if (probes_.size != 0) {
    calls |= kProbe;
    if (probes_.front_ready > now) next = probes_.front_ready;
  }
  for (const Prober& prober : probers_) {
    if (!prober.probes->empty()) calls |= kProbe;
    if (probes_.size < config_.latency_cycles) arrival = std::min(arrival, prober.probes->next_arrival(now));
  }
  if (commands_ != nullptr) {
    const bool idle = pass_.stage == Pass::Stage::Idle;
    if (!idle || !commands_->empty()) calls |= kCommand;
    if (idle) arrival = std::min(arrival, commands_->next_arrival(now));
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
