#include "base/error.h"
#include "memory/cache/cache_steps.h"
#include "memory/cache/pending_requests.h"
#include "memory/cache/stride_prefetcher.h"

namespace duet::memory {

Cache::Cache(sim::Engine& engine, std::string name, const std::string& kind, const sim::Component* parent,
             int level, const config::Cache& config, std::uint64_t clock_hz, RequestPool& pool,
             const LineNumbering& numbering, const config::FullEmpty& full_empty)
    : Component(engine, std::move(name), parent, level, sim::Role::Memory),
      config_(config),
      rules_(config, full_empty),
      clock_(clock_hz),
      pool_(&pool),
      lines_(config, numbering, MissTable::size_for(config.mshrs), this->name()),
      misses_(config.mshrs, config.mshr_targets),
      transits_(full_empty),
      statistics_(*this, kind + '.') {
  const auto refuse = [&](const char* what) { throw Error(this->name() + ": " + what); };
  if (config.latency_cycles == 0 || config.mshrs == 0 || config.mshr_targets == 0)
    refuse("latency_cycles, mshrs and mshr_targets must not be 0");
  if (config.pass_cycles > config.latency_cycles) refuse("pass_cycles must not exceed latency_cycles");
  if (config.atomic_words_per_cycle != 0 && !config.write_back)
    refuse("only a write-back cache performs atomics: set atomic_words_per_cycle = 0 or write_back = true");
  if (config.write_evict && (config.write_back || config.write_allocate))
    refuse("write_evict belongs to a write-through cache without write_allocate");
}

Cache::~Cache() = default;

void Cache::connect_above(Channel& requests, sim::Queue<Packet>& responses) {
  clients_.connect(requests, responses);
}

void Cache::connect_below(Channel& requests, sim::Queue<Packet>& responses, std::uint16_t number,
                          const Destinations* destinations) {
  below_.connect(requests, responses, number, destinations);
}

Picoseconds Cache::tick(Picoseconds now) { return called_ == 0 ? step<false>(now) : step<true>(now); }

// An edge; where nobody gives commands or probes (kCalled) it does not look for them.
template <bool kCalled>
inline Picoseconds Cache::step(Picoseconds now) {
  again_ = false;
  clients_.begin_edge();
  below_.begin_edge();
  if constexpr (kCalled) serve_commands(now);
  if (below_.responses().can_pop(now)) receive(now);
  if (below_.has_refused() && below_.send_refused(now)) again_ |= below_.has_refused();
  if (misses_.first_ready() != kNone && now >= port_free_) serve_waiting(now);
  if constexpr (kCalled) {
    finish_sweep(now);
    if (probes_.front_ready() <= now) serve_probe(now);
    again_ |= probes_.accept(now, config_.latency_cycles, clock_);
  }
  const bool idle = next_lookup_ > now;
  if (pending_ == nullptr) [[likely]] {
    if (!idle && now >= port_free_) lookup(now);
  } else if (now >= port_free_) {
    lookup_pending(now);
  }
  if constexpr (kCalled) serve_prefetcher(now, idle);
  const Picoseconds request = accept(now);
  if (again_) return clock_.first_edge_after(now);

  Picoseconds next = next_lookup_;
  if (next <= now) {  // this head is blocked: the other heads' times count
    next = kNever;
    for (const LookupPipeline& pipeline : pipelines_)
      if (pipeline.front_ready() > now) next = std::min(next, pipeline.front_ready());
  }
  if (port_free_ > now) next = std::min(next, port_free_);
  if constexpr (kCalled) next = std::min(next, next_call(now));
  const Picoseconds arrival = std::min(request, below_.responses().next_arrival(now));
  return next <= arrival ? next : std::min(next, clock_.first_edge_after(arrival));
}

void Cache::receive(Picoseconds now) {
  sim::Queue<Packet>& answers = below_.responses();
  const Packet& packet = answers.front();
  if (packet.kind == PacketKind::Nack) {
    below_.keep_refused(answers.pop(now));
    again_ |= answers.can_pop(now);
    return;
  }
  if (packet.kind != PacketKind::Response) throw Error(name() + ": what comes from below must be answers");
  const ReturnAddress address = ReturnAddress::of(packet);
  if (address.kind == ReturnAddress::Kind::Fetch) {
    fill(answers.pop(now));
  } else {
    const CacheEntry entry = transits_[address.index].entry;
    const bool wanted = entry.packet.request != kNoRequest;
    if (wanted && clients_.room(now, entry.client) != Outcome::Done) return;
    const Packet back = answers.pop(now);
    if (wanted) {
      const bool passed_on = address.kind == ReturnAddress::Kind::PassedOn;
      clients_.answer(now, entry, passed_on ? back.payload_bytes : std::uint16_t{0});
    }
    release_transit(address.index);
  }
  again_ |= answers.can_pop(now);
}

void Cache::fill(const Packet& packet) {
  const std::uint32_t mshr = ReturnAddress::of(packet).index;
  MissTable::Register& miss = misses_[mshr];
  const Request& fetched = pool_[packet.request];
  if (fetched.released) {
    miss.released = true;
    if (miss.line_index < lines_.lines()) detach(mshr);
  }
  const auto offset = static_cast<unsigned>(fetched.address - miss.line);
  const ByteMask brought = moved_up(fetched.mask, offset);
  Line& line = lines_[miss.line_index];
  // Valid bytes are newer: a write brought them after the fetch had left.
  const ByteMask installed = brought & ~line.valid;
  copy_masked(lines_.data(miss.line_index) + offset, fetched.data.data(), moved_down(installed, offset));
  line.valid = line.valid | installed;
  miss.on_their_way = miss.on_their_way & ~brought;
  --miss.fetches;
  ++statistics_.fills;
  if (miss.line_index < lines_.lines()) observe(CacheEvent::Kind::Fill, miss.line, installed, &fetched);
  pool_.release(packet.request);
  misses_.list_ready(mshr);
}

inline void Cache::release_miss(std::uint32_t mshr) {
  const std::uint32_t index = misses_[mshr].line_index;
  lines_[index].mshr = kNone;
  if (index < lines_.lines()) {
    lines_.drop_bytes(index, {});
  } else {
    lines_[index].valid = {};
  }
  misses_.release(mshr);
}

void Cache::serve_waiting(Picoseconds now) {
  std::uint32_t mshr;
  while ((mshr = misses_.first_ready()) != kNone) {
    MissTable::Register& miss = misses_[mshr];
    if (miss.first == kNone) {
      misses_.unlist_first();
      if (miss.fetches == 0) release_miss(mshr);
      continue;
    }
    CacheEntry& entry = misses_.front(miss);
    if (miss.outdated && !turn_after_probe(mshr, entry)) continue;
    if (entry.packet.request == kNoRequest) {
      const Line& line = lines_[miss.line_index];
      drop(miss.line_index, line.valid & ~line.dirty, nullptr);
      misses_.pop(miss, true);
      continue;
    }
    const LineAccess own = access(entry);
    own.request.released |= miss.released;  // caches above keep nothing either
    Outcome outcome = take_turn(now, entry, own, miss.line_index);
    if (outcome == Outcome::Missing) {
      // An earlier request of the line dropped bytes, or this one came behind writes and could not fetch.
      const ByteMask bytes = rules_.bytes_to_fetch(own, lines_[miss.line_index].valid, miss.on_their_way);
      if (any(bytes)) {
        outcome = stalled_below(below_.room(now, miss.traffic_class), entry);
        if (outcome == Outcome::Done) fetch(now, mshr, own, bytes);
      }
      if (outcome == Outcome::Missing || outcome == Outcome::Done) {
        // A request that waits for full holds back no request whose words are here.
        const bool overtaken =
            own.request.tracked && miss.ordered == 0 && misses_.promote(miss, [&](const CacheEntry& other) {
              return within(access(other).mask, lines_[miss.line_index].valid);
            });
        if (!overtaken) misses_.unlist_first();
        continue;
      }
    }
    if (outcome == Outcome::Done) {
      if (entry.pending) pending_->give_back(now);
      misses_.pop(miss, !own.waits_unordered());
      continue;
    }
    again_ |= outcome == Outcome::NextCycle && port_free_ <= now;
    return;
  }
}

// A probe has taken the line away since these fetches left. Returns false when they must come back first.
bool Cache::turn_after_probe(std::uint32_t mshr, const CacheEntry& entry) {
  MissTable::Register& miss = misses_[mshr];
  if (entry.packet.request != kNoRequest && access(entry).waits_unordered()) return true;
  if (miss.fetches != 0) {
    misses_.unlist_first();
    return false;
  }
  miss.outdated = false;
  drop(miss.line_index, ~lines_[miss.line_index].dirty, nullptr);
  return true;
}

void Cache::lookup(Picoseconds now) {
  for (LookupPipeline& pipeline : pipelines_) {
    if (pipeline.front_ready() > now) continue;
    const Outcome outcome = look_up(now, pipeline.front().entry);
    if (port_free_ > now) return;
    if (outcome == Outcome::NextCycle) again_ = true;
    if (outcome != Outcome::Done) continue;
    pipeline.pop();
    next_lookup_ =
        std::min({pipelines_[0].front_ready(), pipelines_[1].front_ready(), pipelines_[2].front_ready()});
    again_ |= next_lookup_ <= now;
    return;
  }
}

// Moves an arrived packet into the pipeline of its class.
inline void Cache::take_in(Picoseconds now, sim::Queue<Packet>& requests, LookupPipeline& pipeline,
                           std::uint32_t client) {
  LookupPipeline::Stage& stage = pipeline.next(config_.latency_cycles);
  stage.entry.packet = requests.pop(now);
  stage.entry.client = client;
  stage.entry.occupied_port = stage.entry.stalled = stage.entry.pending = false;
  const bool passes = config_.pass_cycles != 0 && rules_.passes_by(pool_[stage.entry.packet.request]);
  stage.ready = clock_.edge_after(now, passes ? config_.pass_cycles : config_.latency_cycles);
  if (pipeline.pushed(stage)) next_lookup_ = std::min(next_lookup_, stage.ready);
}

// Returns the arrival of the next request on a wire; kNever when there is none, or no room.
inline Picoseconds Cache::accept(Picoseconds now) {
  const ClientPorts::Taken taken = clients_.take_next(
      now, [&](unsigned c) { return !pipelines_[c].full(config_.latency_cycles); },
      [&](sim::Queue<Packet>& requests, unsigned c, std::uint32_t client) {
        take_in(now, requests, pipelines_[c], client);
      });
  again_ |= taken.more;
  return taken.arrival;
}

void Cache::fetch(Picoseconds now, std::uint32_t mshr, const LineAccess& access, const ByteMask& bytes) {
  MissTable::Register& miss = misses_[mshr];
  const Request& by = access.request;
  const unsigned first = first_byte(bytes);
  const RequestHandle handle = pool_.allocate();
  Request& request = pool_[handle];
  request.address = miss.line + first;
  request.bytes = static_cast<std::uint16_t>(last_byte(bytes) + 1 - first);
  request.kind = by.kind;
  request.agent = by.agent;
  request.traffic_class = miss.traffic_class;
  request.scope = by.scope;
  request.cacheability = by.cacheability;
  request.unit = by.unit;
  request.requester = by.requester;
  request.pc = by.pc;
  request.mask = moved_down(bytes, first);
  ByteMask sure = bytes;  // the others come if they are full
  if (by.tracked) {
    request.tracked = true;
    request.trigger = by.trigger;
    if (by.trigger != Trigger::None) {
      sure = bytes & access.mask;
      request.required = moved_down(sure, first);
    }
  }
  ++miss.fetches;
  miss.on_their_way = miss.on_their_way | sure;
  Packet packet;
  packet.request = handle;
  packet.traffic_class = miss.traffic_class;
  below_.send(now, packet, miss.line, {ReturnAddress::Kind::Fetch, mshr});
}

// Sends dirty bytes below and leaves them clean. The acknowledgement answers `then`, if there is one.
void Cache::write_back(Picoseconds now, PhysicalAddress line, std::uint32_t index, const ByteMask& bytes,
                       const CacheEntry* then) {
  Line& held = lines_[index];
  const unsigned first = first_byte(bytes);
  const RequestHandle handle = pool_.allocate();
  Request& request = pool_[handle];
  request.address = line + first;
  request.bytes = static_cast<std::uint16_t>(last_byte(bytes) + 1 - first);
  request.operation = Operation::Write;
  request.kind = RequestKind::WriteBack;
  request.agent = held.filled_by.agent;
  request.unit = held.filled_by.unit;
  request.cacheability = held.cacheability;
  request.mask = moved_down(bytes, first);
  if (held.tracked) {  // only without write_through
    request.tracked = true;
    request.action = Action::Fill;
  }
  copy_masked(request.data.data(), lines_.data(index) + first, request.mask);
  held.dirty = held.dirty & ~bytes;

  const std::uint32_t transit = transits_.add(line, TrafficClass::NonTriggered);
  transits_[transit].own = handle;
  if (then != nullptr) transits_[transit].entry = *then;
  Packet packet;
  packet.request = handle;
  packet.payload_bytes = static_cast<std::uint16_t>(count(bytes));
  below_.send(now, packet, line, {ReturnAddress::Kind::WriteBack, transit});
  ++statistics_.write_backs;
}

void Cache::release_transit(std::uint32_t index) {
  const Transit& own = transits_[index];
  if (own.own != kNoRequest) pool_.release(own.own);
  if (own.awaited) sweep_.acknowledged();
  transits_.release(index);
}

}  // namespace duet::memory
