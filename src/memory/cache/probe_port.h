// Probers of a cache (a directory, another cache): their probes in turn, each served latency_cycles after its
// arrival.
//
//   if (probes.front_ready() <= now && probes.can_answer(now)) probes.answer(now, dirty_bytes);
//   again |= probes.accept(now, latency_cycles, clock);
//
// A prober must always go on reading its answers.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "memory/cache/lookup_pipeline.h"
#include "sim/clock_cursor.h"

namespace duet::memory {

class ProbePort {
 public:
  // `called`, a bit of it, is set when a probe is pushed.
  void connect(sim::Queue<Packet>& probes, sim::Queue<Packet>& answers, std::uint64_t* called,
               std::uint64_t bit) {
    probers_.push_back({&probes, &answers});
    probes.mark_pushes(called, bit);
  }

  // Takes one arrived probe. Whether another one is here already.
  bool accept(Picoseconds now, std::size_t latency_cycles, const sim::ClockCursor& clock);
  bool empty() const { return pipeline_.size() == 0; }
  // There is a probe, here or on its way.
  bool has_any() const {
    return !empty() ||
           std::any_of(probers_.begin(), probers_.end(), [](const auto& p) { return !p.probes->empty(); });
  }
  // Of a probe on a wire; kNever where there is no room for it.
  Picoseconds next_arrival(Picoseconds now, std::size_t latency_cycles) const;

  Picoseconds front_ready() const { return pipeline_.front_ready(); }
  const Packet& front() const { return pipeline_.front().entry.packet; }
  bool can_answer(Picoseconds now) const {
    return probers_[pipeline_.front().entry.client].answers->can_push(now);
  }
  // Answers the first probe, and is done with it.
  void answer(Picoseconds now, std::uint16_t payload_bytes);

 private:
  struct Prober {
    sim::Queue<Packet>* probes;
    sim::Queue<Packet>* answers;
  };
  std::vector<Prober> probers_;
  std::size_t next_ = 0;
  LookupPipeline pipeline_;  // the clients of its entries are probers
};

inline bool ProbePort::accept(Picoseconds now, std::size_t latency_cycles, const sim::ClockCursor& clock) {
  bool accepted = false, again = false;
  const std::size_t first = next_, probers = probers_.size();
  for (std::size_t i = 0; i < probers; ++i) {
    const std::size_t index = (first + i) % probers;
    sim::Queue<Packet>& queue = *probers_[index].probes;
    if (!queue.can_pop(now)) continue;
    if (accepted || pipeline_.full(latency_cycles)) return again | accepted;
    LookupPipeline::Stage& stage = pipeline_.next(latency_cycles);
    stage.entry = CacheEntry{};
    stage.entry.packet = queue.pop(now);
    stage.entry.client = static_cast<std::uint32_t>(index);
    stage.ready = clock.edge_after(now, latency_cycles);
    pipeline_.pushed(stage);
    next_ = (index + 1) % probers;
    accepted = true;
    again |= queue.can_pop(now);
  }
  return again;
}

inline Picoseconds ProbePort::next_arrival(Picoseconds now, std::size_t latency_cycles) const {
  Picoseconds arrival = kNever;
  if (pipeline_.full(latency_cycles)) return arrival;
  for (const Prober& prober : probers_) arrival = std::min(arrival, prober.probes->next_arrival(now));
  return arrival;
}

inline void ProbePort::answer(Picoseconds now, std::uint16_t payload_bytes) {
  const CacheEntry& entry = pipeline_.front().entry;
  Packet answer = entry.packet;
  answer.kind = PacketKind::Response;
  answer.payload_bytes = payload_bytes;
  std::swap(answer.source, answer.destination);
  probers_[entry.client].answers->push(now, answer);
  pipeline_.pop();
}

}  // namespace duet::memory
