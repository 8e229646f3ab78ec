#include <bit>

#include "base/error.h"
#include "memory/cache/cache_steps.h"
#include "memory/cache/stride_prefetcher.h"

namespace duet::memory {

namespace {

bool Cacheability::*attribute_of(const config::Cache& config) {
  switch (config.attribute) {
    case config::PageAttribute::GpuL1:
      return &Cacheability::gpu_l1;
    case config::PageAttribute::GpuConstant:
      return &Cacheability::gpu_constant;
    case config::PageAttribute::GpuL2:
      return &Cacheability::gpu_l2;
    case config::PageAttribute::Cpu:
      return &Cacheability::cpu;
    case config::PageAttribute::None:
      break;
  }
  return nullptr;
}

}  // namespace

Cache::Cache(sim::Engine& engine, std::string name, const std::string& kind, const sim::Component* parent,
             int level, const config::Cache& config, std::uint64_t clock_hz, RequestPool& pool,
             const LineNumbering& numbering, const config::FullEmpty& full_empty)
    : Component(engine, std::move(name), parent, level, sim::Role::Memory),
      config_(config),
      full_empty_(full_empty),
      attribute_(attribute_of(config)),
      clock_(clock_hz),
      pool_(&pool),
      misses_(config.mshrs, config.mshr_targets),
      lines_(config, numbering, misses_.size(), this->name()),
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
  clients_.push_back({&requests, &responses});
  for (unsigned c = 0; c < kTrafficClasses; ++c) requests.of(c).mark_pushes(&arrivals_, 1ull << c);
}

void Cache::connect_below(Channel& requests, sim::Queue<Packet>& responses, std::uint16_t number,
                          const Destinations* destinations) {
  below_ = &requests;
  from_below_ = &responses;
  number_ = number;
  destinations_ = destinations;
}

Picoseconds Cache::tick(Picoseconds now) { return called_ == 0 ? step<false>(now) : step<true>(now); }

// An edge; where nobody gives commands or probes (kCalled) it does not look for them.
template <bool kCalled>
inline Picoseconds Cache::step(Picoseconds now) {
  answered_ = sent_ = again_ = false;
  if constexpr (kCalled) serve_commands(now);
  if (from_below_->can_pop(now)) receive(now);
  if (!refused_.empty()) send_refused(now);
  if (misses_.first_ready() != kNone && now >= port_free_) serve_waiting(now);
  if constexpr (kCalled) {
    finish_pass(now);
    if (probes_.front_ready <= now) serve_probe(now);
    accept_probe(now);
  }
  const bool idle = next_lookup_ > now;
  if (!idle && now >= port_free_) lookup(now);
  if constexpr (kCalled) serve_prefetcher(now, idle);
  const bool only_class = arrivals_ == 1 && clients_.size() == 1;
  const Picoseconds request = arrivals_ == 0 ? kNever : only_class ? accept_only_class(now) : accept(now);
  if (again_) return clock_.first_edge_after(now);

  Picoseconds next = next_lookup_;
  if (next <= now) {  // this head is blocked: the other heads' times count
    next = kNever;
    for (const Pipeline& pipeline : pipelines_)
      if (pipeline.front_ready > now) next = std::min(next, pipeline.front_ready);
  }
  if (port_free_ > now) next = std::min(next, port_free_);
  if constexpr (kCalled) next = std::min(next, next_call(now));
  const Picoseconds arrival = std::min(request, from_below_->next_arrival(now));
  return next <= arrival ? next : std::min(next, clock_.first_edge_after(arrival));
}

void Cache::receive(Picoseconds now) {
  const Packet& packet = from_below_->front();
  if (packet.kind == PacketKind::Nack) {
    refused_.push_back(from_below_->pop(now));
    again_ |= from_below_->can_pop(now);
    return;
  }
  if (packet.kind != PacketKind::Response) throw Error(name() + ": what comes from below must be answers");
  const auto index = static_cast<std::uint32_t>(packet.argument >> 2);
  if (static_cast<Kind>(packet.argument & 3) == Kind::Fetch) {
    fill(from_below_->pop(now));
  } else {
    const CacheEntry entry = transits_[index].entry;
    const bool wanted = entry.packet.request != kNoRequest;
    if (wanted && room_above(now, entry.client) != Outcome::Done) return;
    const Packet back = from_below_->pop(now);
    if (wanted) {
      const bool passed = static_cast<Kind>(back.argument & 3) == Kind::Pass;
      answer(now, entry, passed ? back.payload_bytes : std::uint16_t{0});
    }
    release_transit(index);
  }
  again_ |= from_below_->can_pop(now);
}

// Sends refused requests again, in the order of their return. A refused request keeps its miss register or
// its transit entry, which bounds their number. It holds up no answer behind it.
void Cache::send_refused(Picoseconds now) {
  std::uint64_t full = 0;  // classes, one bit each
  for (std::size_t i = 0; i < refused_.size(); ++i) {
    const std::uint64_t bit = 1ull << static_cast<unsigned>(refused_[i].traffic_class);
    if ((full & bit) != 0) continue;
    if (room_below(now, refused_[i].traffic_class) != Outcome::Done) {
      full |= bit;
      continue;
    }
    Packet packet = refused_[i];
    packet.kind = PacketKind::Request;
    std::swap(packet.source, packet.destination);
    below_->push(now, packet);
    sent_ = true;
    refused_.erase(refused_.begin() + static_cast<std::ptrdiff_t>(i));
    again_ |= !refused_.empty();
    return;
  }
}

void Cache::fill(const Packet& packet) {
  const auto mshr = static_cast<std::uint32_t>(packet.argument >> 2);
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
    const Access own = access(entry);
    own.request.released |= miss.released;  // caches above keep nothing either
    Outcome outcome = take_turn(now, entry, own, miss.line_index);
    if (outcome == Outcome::Missing) {
      // An earlier request of the line dropped bytes, or this one came behind writes and could not fetch.
      const ByteMask bytes = bytes_to_fetch(own, lines_[miss.line_index].valid, miss.on_their_way);
      if (any(bytes)) {
        outcome = stalled_below(room_below(now, miss.traffic_class), entry);
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
      misses_.pop(miss, !waits_unordered(own));
      continue;
    }
    again_ |= outcome == Outcome::NextCycle && port_free_ <= now;
    return;
  }
}

// A probe has taken the line away since these fetches left. Returns false when they must come back first.
bool Cache::turn_after_probe(std::uint32_t mshr, const CacheEntry& entry) {
  MissTable::Register& miss = misses_[mshr];
  if (entry.packet.request != kNoRequest && waits_unordered(access(entry))) return true;
  if (miss.fetches != 0) {
    misses_.unlist_first();
    return false;
  }
  miss.outdated = false;
  drop(miss.line_index, ~lines_[miss.line_index].dirty, nullptr);
  return true;
}

void Cache::lookup(Picoseconds now) {
  for (Pipeline& pipeline : pipelines_) {
    if (pipeline.front_ready > now) continue;
    const Outcome outcome = look_up(now, pipeline.front().entry);
    if (port_free_ > now) return;
    if (outcome == Outcome::NextCycle) again_ = true;
    if (outcome != Outcome::Done) continue;
    pipeline.pop();
    next_lookup_ =
        std::min({pipelines_[0].front_ready, pipelines_[1].front_ready, pipelines_[2].front_ready});
    again_ |= next_lookup_ <= now;
    return;
  }
}

// Whether the request is neither held nor served here. Stores are not among them: they change or drop a line.
inline bool Cache::passes_by(const Request& request) const {
  if (request.operation == Operation::Atomic) return config_.atomic_words_per_cycle == 0;
  if (request.operation != Operation::Read) return false;
  return !may_hold(request) || (request.tracked && !keeps(request));
}

// Moves an arrived packet into the pipeline of its class.
inline void Cache::take_in(Picoseconds now, sim::Queue<Packet>& requests, Pipeline& pipeline,
                           std::size_t client) {
  if (pipeline.stages.empty()) pipeline.stages.resize(config_.latency_cycles);
  std::size_t tail = pipeline.head + pipeline.size;
  if (tail >= config_.latency_cycles) tail -= config_.latency_cycles;
  Pipeline::Stage& stage = pipeline.stages[tail];
  stage.entry.packet = requests.pop(now);
  stage.entry.client = static_cast<std::uint32_t>(client);
  stage.entry.occupied_port = stage.entry.stalled = false;
  const bool passes = config_.pass_cycles != 0 && passes_by(pool_[stage.entry.packet.request]);
  stage.ready = clock_.edge_after(now, passes ? config_.pass_cycles : config_.latency_cycles);
  if (pipeline.size++ == 0) {
    pipeline.front_ready = stage.ready;
    next_lookup_ = std::min(next_lookup_, stage.ready);
  }
  again_ |= requests.can_pop(now);
}

// Returns the arrival of the next request on a wire; kNever when there is none, or no room.
Picoseconds Cache::accept(Picoseconds now) {
  Picoseconds arrival = kNever;
  bool accepted = false;
  const std::size_t first = round_robin_, clients = clients_.size();
  for (std::uint64_t classes = arrivals_; classes != 0; classes &= classes - 1) {
    const auto c = static_cast<unsigned>(std::countr_zero(classes));
    Pipeline& pipeline = pipelines_[c];
    if (pipeline.size == config_.latency_cycles) continue;
    bool more = false;
    for (std::size_t i = 0; i < clients; ++i) {
      std::size_t index = first + i;
      if (index >= clients) index -= clients;
      sim::Queue<Packet>& requests = clients_[index].requests->of(c);
      if (requests.can_pop(now)) {
        if (accepted) {
          again_ = true;
          return kNever;
        }
        take_in(now, requests, pipeline, index);
        round_robin_ = index + 1 == clients ? 0 : index + 1;
        accepted = true;
      }
      more |= !requests.empty();
      arrival = std::min(arrival, requests.next_arrival(now));
    }
    if (!more) arrivals_ &= ~(1ull << c);
  }
  return arrival;
}

// The usual case: one client, and nothing but class NonTriggered.
inline Picoseconds Cache::accept_only_class(Picoseconds now) {
  sim::Queue<Packet>& requests = clients_.front().requests->of(0);
  if (pipelines_[0].size == config_.latency_cycles) return kNever;
  if (requests.can_pop(now)) take_in(now, requests, pipelines_[0], 0);
  if (requests.empty()) arrivals_ = 0;
  return requests.next_arrival(now);
}

void Cache::fetch(Picoseconds now, std::uint32_t mshr, const Access& access, const ByteMask& bytes) {
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
  send_below(now, packet, miss.line, Kind::Fetch, mshr);
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

  const std::uint32_t transit = new_transit(line, TrafficClass::NonTriggered);
  transits_[transit].own = handle;
  if (then != nullptr) transits_[transit].entry = *then;
  Packet packet;
  packet.request = handle;
  packet.payload_bytes = static_cast<std::uint16_t>(count(bytes));
  send_below(now, packet, line, Kind::WriteBack, transit);
  ++statistics_.write_backs;
}

std::uint32_t Cache::new_transit(PhysicalAddress line, TrafficClass traffic_class) {
  std::uint32_t index = free_transit_;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(transits_.size());
    transits_.emplace_back();
  } else {
    free_transit_ = transits_[index].next;
  }
  Transit& own = transits_[index];
  own = Transit{};
  own.line = line;
  own.traffic_class = traffic_class;
  own.previous = last_transit_;
  (last_transit_ == kNone ? first_transit_ : transits_[last_transit_].next) = index;
  last_transit_ = index;
  ++in_transit_;
  ++in_transit_of_[static_cast<unsigned>(traffic_class)];
  return index;
}

void Cache::release_transit(std::uint32_t index) {
  Transit& own = transits_[index];
  if (own.own != kNoRequest) pool_.release(own.own);
  pass_.unacknowledged -= own.awaited;
  (own.previous == kNone ? first_transit_ : transits_[own.previous].next) = own.next;
  (own.next == kNone ? last_transit_ : transits_[own.next].previous) = own.previous;
  --in_transit_;
  --in_transit_of_[static_cast<unsigned>(own.traffic_class)];
  own.next = free_transit_;
  free_transit_ = index;
}

}  // namespace duet::memory
