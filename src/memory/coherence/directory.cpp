#include "memory/coherence/directory.h"

#include <bit>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "memory/cache/byte_masks.h"

namespace duet::memory {

Directory::Directory(sim::Engine& engine, const sim::Component* parent, std::uint64_t clock_hz,
                     Bytes line_bytes, std::uint64_t from_directory_cycles, RequestPool& pool)
    : Component(engine, "directory", parent, 2, sim::Role::Memory),
      clock_(clock_hz),
      line_bytes_(line_bytes),
      from_directory_cycles_(from_directory_cycles),
      pool_(&pool) {
  if (line_bytes > kLineBytes || !std::has_single_bit(line_bytes))
    throw Error("directory: lines of " + std::to_string(line_bytes) + " bytes: a power of two up to " +
                std::to_string(kLineBytes));
}

Directory::~Directory() = default;

void Directory::connect_cache(sim::Queue<CoherenceMessage>& requests, sim::Queue<CoherenceMessage>& answers) {
  if (ports_.size() == kMostCaches) throw Error("directory: more than 64 caches");
  ports_.push_back({&requests, &answers});
}

void Directory::connect_below(sim::Queue<Packet>& requests, sim::Queue<Packet>& responses,
                              std::uint16_t number, const Destinations* destinations) {
  below_ = &requests;
  from_below_ = &responses;
  number_ = number;
  destinations_ = destinations;
}

void Directory::connect_device(sim::Queue<Packet>& requests, sim::Queue<Packet>& responses) {
  device_ = &requests;
  from_device_ = &responses;
}

void Directory::give_to_device(PhysicalAddress first, Bytes bytes) {
  device_first_ = first;
  device_bytes_ = bytes;
}

Directory::Entry& Directory::entry_of(PhysicalAddress line) {
  std::unique_ptr<Entry>& entry = entries_[line.value()];
  if (entry == nullptr) {
    if (spare_.empty()) {
      entry = std::make_unique<Entry>();
    } else {
      entry = std::move(spare_.back());
      spare_.pop_back();
    }
    entry->line = line;
    entry->stage = Stage::Fetching;  // its bytes are not there
  }
  return *entry;
}

Picoseconds Directory::tick(Picoseconds now) {
  clock_.advance_to(now);
  receive(now);
  if (device_ != nullptr) receive_from_device(now);
  // Caches in turn, one message a cycle.
  bool more = false, taken = false;
  const std::size_t first = turn_;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::size_t port = (first + i) % ports_.size();
    sim::Queue<CoherenceMessage>& requests = *ports_[port].requests;
    if (!requests.can_pop(now)) continue;
    if (taken) {
      more = true;
      break;
    }
    turn_ = (port + 1) % ports_.size();
    take(now, requests.pop(now));
    taken = true;
    more |= requests.can_pop(now);
  }
  send_below(now);
  Picoseconds next = more || !to_send_.empty() || !to_device_.empty() ? clock_.first_edge_after(now) : kNever;
  if (device_ != nullptr)
    if (const Picoseconds arrival = from_device_->next_arrival(now); arrival != kNever)
      next = std::min(next, clock_.first_edge_after(arrival));
  for (const Port& port : ports_)
    if (const Picoseconds arrival = port.requests->next_arrival(now); arrival != kNever)
      next = std::min(next, clock_.first_edge_after(arrival));
  if (const Picoseconds arrival = from_below_->next_arrival(now); arrival != kNever)
    next = std::min(next, clock_.first_edge_after(arrival));
  return next;
}

void Directory::take(Picoseconds now, const CoherenceMessage& message) {
  const std::uint64_t bit = std::uint64_t{1} << message.cache;
  if (message.kind == CoherenceKind::Uncached) {
    ++statistics_.uncached;
    const auto place = entries_.find(message.line.value());
    if (place == entries_.end()) return pass(message);
    Entry& entry = *place->second;
    if (entry.stage != Stage::Idle) return entry.waiting.push_back(message);
    return begin(now, entry, message);
  }
  if (message.kind == CoherenceKind::Clean) return clean(now, message);
  if (message.kind == CoherenceKind::GetShared || message.kind == CoherenceKind::GetExclusive) {
    const bool is_new = !entries_.contains(message.line.value());
    Entry& entry = entry_of(message.line);
    ++(message.kind == CoherenceKind::GetShared ? statistics_.reads : statistics_.writes);
    if (is_new) {
      entry.current = message;
      entry.cached_below = message.cached_below;
      if (message.overwrites && read_below_) {
        ++statistics_.unfetched;
        read_below_(entry.line, entry.bytes.data());
        grant(now, entry, GrantSource::Nowhere);
      } else {
        fetch(entry);
      }
    } else if (entry.stage != Stage::Idle) {
      entry.waiting.push_back(message);
    } else {
      begin(now, entry, message);
    }
    return;
  }
  Entry& entry = *entries_.at(message.line.value());
  entry.dirty |= message.dirty;
  if (message.kind == CoherenceKind::Put) {
    entry.holders &= ~bit;
    entry.exclusive &= entry.holders != 0;
  } else {  // an answer
    if (!message.held) entry.holders &= ~bit;
    entry.exclusive = false;
    if (--entry.outstanding_answers == 0) {
      serve(now, entry, GrantSource::Domain);
      return;
    }
  }
  if (entry.stage == Stage::Idle) finish(now, entry);
}

// The lines that holders have to give up first, if any.
void Directory::begin(Picoseconds now, Entry& entry, const CoherenceMessage& message) {
  const std::uint64_t others = entry.holders & ~(std::uint64_t{1} << message.cache);
  entry.current = message;
  if (message.kind == CoherenceKind::Uncached || message.kind == CoherenceKind::Clean) {
    if (entry.holders != 0) return probe(now, entry, entry.holders, CoherenceKind::Invalidate);
    return serve(now, entry, GrantSource::Domain);
  }
  if (others != 0) ++statistics_.transfers;
  if (message.kind == CoherenceKind::GetExclusive) {
    if (entry.holders != others) ++statistics_.upgrades;
    if (others != 0) return probe(now, entry, others, CoherenceKind::Invalidate);
  } else if (entry.exclusive && others != 0) {
    return probe(now, entry, others, CoherenceKind::Downgrade);
  }
  grant(now, entry, GrantSource::Domain);
}

void Directory::probe(Picoseconds now, Entry& entry, std::uint64_t caches, CoherenceKind kind) {
  entry.stage = Stage::Probing;
  for (; caches != 0; caches &= caches - 1) {
    const auto cache = static_cast<std::uint16_t>(std::countr_zero(caches));
    ++(kind == CoherenceKind::Invalidate ? statistics_.invalidations : statistics_.downgrades);
    ++entry.outstanding_answers;
    CoherenceMessage message;
    message.line = entry.line;
    message.cache = cache;
    message.kind = kind;
    ports_[cache].answers->push(now, message, clock_.edge_after(now, from_directory_cycles_ - 1));
  }
}

// The probes that it waited for are answered.
void Directory::serve(Picoseconds now, Entry& entry, GrantSource source) {
  const CoherenceKind kind = entry.current.kind;
  if (kind != CoherenceKind::Uncached && kind != CoherenceKind::Clean) return grant(now, entry, source);
  if (entry.dirty) write_back(entry);
  if (kind == CoherenceKind::Uncached)
    pass(entry.current);
  else if (entry.writes_below != 0)
    entry.cleaners.push_back(entry.current.cache);
  else
    cleaned(now, entry.line, entry.current.cache);
  finish(now, entry);
}

void Directory::clean(Picoseconds now, const CoherenceMessage& message) {
  const auto place = entries_.find(message.line.value());
  if (place == entries_.end()) return cleaned(now, message.line, message.cache);
  Entry& entry = *place->second;
  if (entry.stage != Stage::Idle) return entry.waiting.push_back(message);
  begin(now, entry, message);
}

void Directory::cleaned(Picoseconds now, PhysicalAddress line, std::uint16_t cache) {
  CoherenceMessage message;
  message.line = line;
  message.cache = cache;
  message.kind = CoherenceKind::Clean;
  ports_[cache].answers->push(now, message, clock_.edge_after(now, from_directory_cycles_ - 1));
}

void Directory::wrote(PhysicalAddress address, unsigned bytes) {
  if (!keeps_masks_ && !notes_writes_) return;
  Entry& entry = *entries_.at(address.aligned_down(line_bytes_).value());
  entry.written =
      entry.written | moved_up(ByteMask::first(bytes), static_cast<unsigned>(address % line_bytes_));
}

void Directory::pass(const CoherenceMessage& message) {
  Packet packet;
  packet.request = message.request;
  packet.source = number_;
  packet.destination = destination_of(message.line);
  Request& request = pool_[message.request];
  request.unit = message.cache;
  packet.payload_bytes = request.operation == Operation::Read ? 0 : request.bytes;
  const bool to_device =
      device_bytes_ != 0 && message.line >= device_first_ && message.line < device_first_ + device_bytes_;
  (to_device ? to_device_ : to_send_).push_back(packet);
}

// The answer to a passed access.
void Directory::passed(Picoseconds now, RequestHandle handle) {
  const Request& request = pool_[handle];
  CoherenceMessage message;
  message.line = request.address.aligned_down(line_bytes_);
  message.cache = request.unit;
  message.kind = CoherenceKind::Uncached;
  message.request = handle;
  ports_[request.unit].answers->push(now, message, clock_.edge_after(now, from_directory_cycles_ - 1));
}

void Directory::grant(Picoseconds now, Entry& entry, GrantSource source) {
  const CoherenceMessage& request = entry.current;
  CoherenceMessage message;
  message.line = entry.line;
  message.bytes = entry.bytes.data();
  message.cache = request.cache;
  message.kind = CoherenceKind::Grant;
  const std::uint64_t bit = std::uint64_t{1} << request.cache;
  message.source = (entry.holders & bit) != 0 ? GrantSource::Own : source;
  entry.holders |= bit;
  const bool alone = std::has_single_bit(entry.holders);
  message.exclusive = entry.exclusive = request.kind == CoherenceKind::GetExclusive || alone;
  ports_[request.cache].answers->push(now, message, clock_.edge_after(now, from_directory_cycles_ - 1));
  finish(now, entry);
}

// The line rests: the next request for it, or its way to memory.
void Directory::finish(Picoseconds now, Entry& entry) {
  entry.stage = Stage::Idle;
  if (!entry.waiting.empty()) {
    const CoherenceMessage next = entry.waiting.front();
    entry.waiting.pop_front();
    begin(now, entry, next);
    return;
  }
  if (entry.holders != 0) return;
  if (entry.dirty) write_back(entry);
  if (entry.writes_below != 0) return;
  const auto place = entries_.find(entry.line.value());
  if (changed_) {
    std::array<std::byte, kLineBytes> below;
    read_below_(entry.line, below.data());
    changed_(entry.line, entry.bytes.data(), below.data());
  }
  spare_.push_back(std::move(place->second));
  entries_.erase(place);
}

void Directory::fetch(Entry& entry) {
  ++statistics_.fetches;
  Packet packet;
  packet.request = pool_.allocate();
  packet.source = number_;
  packet.destination = destination_of(entry.line);
  Request& request = pool_[packet.request];
  request.address = entry.line;
  request.bytes = static_cast<std::uint16_t>(line_bytes_);
  request.operation = Operation::Read;
  request.scope = Scope::System;
  request.cacheability.cpu = entry.cached_below;
  request.mask = ByteMask::first(static_cast<unsigned>(line_bytes_));
  to_send_.push_back(packet);
}

void Directory::write_back(Entry& entry) {
  entry.dirty = false;
  const ByteMask mask = keeps_masks_ ? entry.written : ByteMask::first(static_cast<unsigned>(line_bytes_));
  entry.written = {};
  if (!any(mask)) return;
  ++statistics_.write_backs;
  ++entry.writes_below;
  Packet packet;
  packet.request = pool_.allocate();
  packet.source = number_;
  packet.destination = destination_of(entry.line);
  packet.payload_bytes = static_cast<std::uint16_t>(count(mask));
  Request& request = pool_[packet.request];
  request.address = entry.line;
  request.bytes = static_cast<std::uint16_t>(line_bytes_);
  request.operation = Operation::Write;
  request.kind = RequestKind::WriteBack;
  request.scope = Scope::System;
  request.cacheability.cpu = entry.cached_below;
  request.mask = mask;
  std::memcpy(request.data.data(), entry.bytes.data(), line_bytes_);
  to_send_.push_back(packet);
}

void Directory::send_below(Picoseconds now) {
  while (!to_send_.empty() && below_->can_push(now)) {
    below_->push(now, to_send_.front());
    to_send_.pop_front();
  }
  while (!to_device_.empty() && device_->can_push(now)) {
    device_->push(now, to_device_.front(), clock_.edge_after(now, from_directory_cycles_ - 1));
    to_device_.pop_front();
  }
}

void Directory::receive_from_device(Picoseconds now) {
  while (from_device_->can_pop(now)) passed(now, from_device_->pop(now).request);
}

void Directory::receive(Picoseconds now) {
  while (from_below_->can_pop(now)) {
    const Packet packet = from_below_->pop(now);
    if (&pool_.part_of(packet.request) != &pool_) {
      passed(now, packet.request);
      continue;
    }
    const Request& request = pool_[packet.request];
    Entry& entry = *entries_.at(request.address.value());
    const bool read = request.operation == Operation::Read;
    if (read && !entry.replaced) {
      if (changed_) {
        std::array<std::byte, kLineBytes> below;
        read_below_(entry.line, below.data());
        changed_(entry.line, below.data(), request.data.data());
      }
      std::memcpy(entry.bytes.data(), request.data.data(), line_bytes_);
    }
    if (read && entry.replaced) {  // caches below may have the older bytes
      entry.replaced = false;
      entry.dirty = true;
      entry.written = ByteMask::first(static_cast<unsigned>(line_bytes_));
    }
    const GrantSource source = request.was_held ? GrantSource::Cache : GrantSource::Memory;
    pool_.release(packet.request);
    if (read) {
      grant(now, entry, source);
    } else {
      if (--entry.writes_below == 0)
        for (const std::uint16_t cache : std::exchange(entry.cleaners, {})) cleaned(now, entry.line, cache);
      if (entry.stage == Stage::Idle) finish(now, entry);
    }
  }
}

const std::byte* Directory::held(PhysicalAddress line) const {
  const auto place = entries_.find(line.value());
  if (place == entries_.end() || (place->second->stage == Stage::Fetching && !place->second->replaced))
    return nullptr;
  return place->second->bytes.data();
}

bool Directory::has_written(PhysicalAddress line) const {
  const auto place = entries_.find(line.value());
  if (place == entries_.end()) return false;
  const Entry& entry = *place->second;
  return entry.dirty || entry.writes_below != 0 || any(entry.written);
}

void Directory::replace(PhysicalAddress line, const std::byte* bytes) {
  const auto place = entries_.find(line.value());
  if (place == entries_.end()) return;
  Entry& entry = *place->second;
  std::memcpy(entry.bytes.data(), bytes, line_bytes_);
  (entry.stage == Stage::Fetching ? entry.replaced : entry.dirty) = true;
  if (entry.dirty) entry.written = ByteMask::first(static_cast<unsigned>(line_bytes_));
}

std::string Directory::waits_for() const {
  std::size_t fetching = 0, probing = 0;
  for (const auto& [line, entry] : entries_) {
    fetching += entry->stage == Stage::Fetching;
    probing += entry->stage == Stage::Probing;
  }
  std::string text;
  if (fetching != 0) text += "memory, for " + std::to_string(fetching) + " lines";
  if (probing != 0) text += (text.empty() ? "" : " and ") + std::string("caches that it has asked");
  return text;
}

}  // namespace duet::memory
