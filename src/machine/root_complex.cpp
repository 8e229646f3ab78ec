#include "machine/root_complex.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "memory/atomic_request.h"

namespace duet::machine {

using memory::CoherenceKind;
using memory::CoherenceMessage;
using memory::Operation;
using memory::Packet;
using memory::Request;

RootComplex::RootComplex(sim::Engine& engine, const sim::Component* parent, memory::RequestPool& pool,
                         const memory::PhysicalMemory& lent, std::uint16_t number)
    : Component(engine, "root complex", parent, 2, sim::Role::DataMovementElement),
      pool_(pool),
      lent_(lent),
      number_(number) {}

void RootComplex::connect(CpuMemory& memory, const config::Cpu& cpu) {
  memory_ = &memory;
  agent_ = memory.connect_agent(*this);
  line_bytes_ = cpu.line_bytes;
  constexpr std::uint64_t kPicosecondsTimesKilohertz = 1'000'000'000;
  to_directory_ps_ = cpu.to_directory_cycles * kPicosecondsTimesKilohertz / cpu.clock_khz;
}

Picoseconds RootComplex::tick(Picoseconds now) {
  while (agent_.answers->can_pop(now)) {
    const CoherenceMessage message = agent_.answers->pop(now);
    if (message.kind == CoherenceKind::Grant) {
      granted(now, message);
      continue;
    }
    // A probe: the line has been given back already.
    CoherenceMessage answer = message;
    answer.kind = CoherenceKind::Answer;
    answer.bytes = nullptr;
    answer.dirty = answer.held = false;
    say(now, answer);
  }
  while (ports_.from_memory->can_pop(now)) ports_.to_link->push(now, ports_.from_memory->pop(now));
  bool full = false;
  while (!full && ports_.from_link->can_pop(now)) {
    if (lent_.backing(pool_[ports_.from_link->front().request].address).through_port)
      take(now, ports_.from_link->pop(now));
    else if (ports_.to_memory->can_push(now))
      ports_.to_memory->push(now, ports_.from_link->pop(now));
    else
      full = true;
  }
  Picoseconds next = kNever;
  for (const Picoseconds arrival : {agent_.answers->next_arrival(now), ports_.from_memory->next_arrival(now),
                                    ports_.from_link->next_arrival(now)})
    if (arrival != kNever) next = std::min(next, next_opportunity(arrival));
  return next;
}

void RootComplex::say(Picoseconds now, const CoherenceMessage& message) {
  CoherenceMessage own = message;
  own.cache = agent_.number;
  agent_.requests->push(now, own, now + to_directory_ps_);
}

void RootComplex::take(Picoseconds now, const Packet& packet) {
  const Request& request = pool_[packet.request];
  const VirtualAddress first(
      reinterpret_cast<std::uintptr_t>(lent_.backing(request.address).bytes));  // of the program
  std::uint32_t index = static_cast<std::uint32_t>(accesses_.size());
  if (free_accesses_.empty()) {
    accesses_.emplace_back();
  } else {
    index = free_accesses_.back();
    free_accesses_.pop_back();
  }
  accesses_[index] = {packet, 0};
  if (request.operation != Operation::Clean && request.operation != Operation::Invalidate)
    ++(request.operation == Operation::Write ? statistics_.writes : statistics_.reads);
  const bool moves = request.operation == Operation::Read || request.operation == Operation::Write ||
                     request.operation == Operation::Atomic;
  if (request.is_block()) throw Error(name() + " takes no requests of more than a line");
  for (Bytes done = 0; moves && done < request.bytes;) {
    const VirtualAddress at = first + done;
    const Bytes bytes = std::min<Bytes>(request.bytes - done, line_bytes_ - at % line_bytes_);
    const PhysicalAddress line = memory_->place_of(at).aligned_down(line_bytes_);
    const bool writes = request.operation != Operation::Read;
    const auto [place, is_new] = lines_.try_emplace(line.value());
    place->second.parts.push_back({index, static_cast<unsigned>(at % line_bytes_),
                                   static_cast<unsigned>(done), static_cast<unsigned>(bytes), writes});
    ++accesses_[index].parts_left;
    if (is_new) ask(now, line, writes);
    done += bytes;
  }
  if (accesses_[index].parts_left == 0) finish(now, index);
}

void RootComplex::ask(Picoseconds now, PhysicalAddress line, bool to_write) {
  ++statistics_.lines;
  CoherenceMessage message;
  message.line = line;
  message.kind = to_write ? CoherenceKind::GetExclusive : CoherenceKind::GetShared;
  say(now, message);
}

void RootComplex::granted(Picoseconds now, const CoherenceMessage& grant) {
  if (grant.source == memory::GrantSource::Domain) ++statistics_.from_domain;
  if (grant.source == memory::GrantSource::Cache) ++statistics_.from_cache;
  const auto place = lines_.find(grant.line.value());
  std::deque<Part>& parts = place->second.parts;
  bool written = false;
  while (!parts.empty() && (grant.exclusive || !parts.front().writes)) {
    const Part part = parts.front();
    parts.pop_front();
    perform(part, grant.bytes, grant.line);
    written |= part.writes;
    if (--accesses_[part.access].parts_left == 0) finish(now, part.access);
  }
  CoherenceMessage back;
  back.line = grant.line;
  back.kind = CoherenceKind::Put;
  back.dirty = written;
  say(now, back);
  if (parts.empty())
    lines_.erase(place);
  else
    ask(now, grant.line, true);
}

void RootComplex::perform(const Part& part, std::byte* line, PhysicalAddress address) {
  Request& request = pool_[accesses_[part.access].packet.request];
  std::byte* const at = line + part.of_line;
  if (request.operation == Operation::Read) {
    std::memcpy(request.data.data() + part.of_request, at, part.bytes);
    return;
  }
  memory_->agent_writes(address + part.of_line, part.bytes, at, agent_.number);
  if (request.operation == Operation::Atomic) {
    if (part.bytes != request.bytes) throw Error(name() + " performs no atomics on bytes of two lines");
    memory::perform_atomic(pool_, request, at, name());
    return;
  }
  for (unsigned i = 0; i < part.bytes; ++i)
    if (request.mask.test(part.of_request + i)) at[i] = request.data[part.of_request + i];
}

void RootComplex::finish(Picoseconds now, std::uint32_t access) {
  Packet packet = accesses_[access].packet;
  free_accesses_.push_back(access);
  packet.kind = memory::PacketKind::Response;
  packet.payload_bytes = memory::answer_bytes(pool_[packet.request]);
  packet.destination = packet.source;
  packet.source = number_;
  ports_.to_link->push(now, packet);
}

std::string RootComplex::waits_for() const {
  return lines_.empty() ? std::string() : fmt::format("the directory, for {} lines", lines_.size());
}

}  // namespace duet::machine
