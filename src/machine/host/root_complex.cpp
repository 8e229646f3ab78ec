#include "machine/host/root_complex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

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

void RootComplex::connect(CpuMemory& memory, const config::Cpu& cpu, Picoseconds link_latency_ps) {
  memory_ = &memory;
  agent_ = memory.connect_agent(*this);
  cores_ = memory.connect_device(*this);
  line_bytes_ = cpu.line_bytes;
  constexpr std::uint64_t kPicosecondsTimesKilohertz = 1'000'000'000;
  to_directory_ps_ = cpu.to_directory_cycles * kPicosecondsTimesKilohertz / cpu.clock_khz;
  link_latency_ps_ = link_latency_ps;
  memory.agent_asks_from([this](Picoseconds now) { return asks_from(now); });
}

Picoseconds RootComplex::asks_from(Picoseconds now) const {
  if (!lines_.empty() || ports_.from_link->can_pop(now)) return now;
  const Picoseconds arrival = ports_.from_link->next_arrival(now);
  return (arrival != kNever ? arrival : now + link_latency_ps_) + to_directory_ps_;
}

Picoseconds RootComplex::tick(Picoseconds now) {
  while (agent_.answers->can_pop(now)) {
    const CoherenceMessage message = agent_.answers->pop(now);
    if (message.kind == CoherenceKind::Grant)
      granted(now, message);
    else
      probed(now, message);
  }
  take_from_cores(now);
  for (; !answers_.empty() && ports_.to_link->can_push(now); answers_.pop_front())
    ports_.to_link->push(now, answers_.front());
  while (ports_.from_memory->can_pop(now)) answer(now, ports_.from_memory->pop(now));
  bool full = lines_.size() >= kMostLines;
  while (!full && ports_.from_link->can_pop(now)) {
    const Request& request = pool_[ports_.from_link->front().request];
    // Registered memory begins and ends anywhere: of its first and last line only some bytes exist.
    if (lent_.home_at_host(request.address, request.bytes) == memory::Home::Program) {
      take(now, ports_.from_link->pop(now));
      full = lines_.size() >= kMostLines;
    } else if (ports_.to_memory->can_push(now)) {
      ports_.to_memory->push(now, ports_.from_link->pop(now));
    } else {
      full = true;
    }
  }
  Picoseconds next = kNever;
  for (const Picoseconds arrival : {agent_.answers->next_arrival(now), ports_.from_memory->next_arrival(now),
                                    ports_.from_link->next_arrival(now), cores_.requests->next_arrival(now)})
    if (arrival != kNever) next = std::min(next, next_opportunity(arrival));
  return next;
}

// An access of a core to the GPU's page. Other stores than of a word, and loads, find nothing there.
void RootComplex::take_from_cores(Picoseconds now) {
  while (cores_.requests->can_pop(now)) {
    Request& request = memory_->requests()[cores_.requests->front().request];
    constexpr Bytes kDoorbellBytes = sizeof(std::uint64_t);
    const Bytes offset = request.address % rv64::kPageBytes;
    const bool rings = request.operation == Operation::Write && request.bytes == kDoorbellBytes &&
                       offset % kDoorbellBytes == 0 && ports_.doorbells != nullptr;
    if (rings && !ports_.doorbells->can_push(now)) return;
    Packet packet = cores_.requests->pop(now);
    if (rings) {
      std::uint64_t packet_number = 0;
      std::memcpy(&packet_number, request.data.data(), sizeof packet_number);
      Packet doorbell;
      doorbell.kind = memory::PacketKind::Doorbell;
      doorbell.payload_bytes = kDoorbellBytes;
      doorbell.tag = static_cast<std::uint16_t>(offset / kDoorbellBytes);
      doorbell.source = number_;
      doorbell.destination = ports_.packet_processor;
      doorbell.argument = packet_number + 1;
      ports_.doorbells->push(now, doorbell);
    }
    if (request.operation == Operation::Read) std::fill_n(request.data.data(), request.bytes, std::byte{0});
    packet.kind = memory::PacketKind::Response;
    cores_.responses->push(now, packet, now + to_directory_ps_);
  }
}

void RootComplex::say(Picoseconds now, const CoherenceMessage& message) {
  CoherenceMessage own = message;
  own.cache = agent_.number;
  agent_.requests->push(now, own, now + to_directory_ps_);
}

void RootComplex::take(Picoseconds now, const Packet& packet) {
  const Request& request = pool_[packet.request];
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
    const memory::Backing there = lent_.backing(request.address + done);
    if (there.bytes == nullptr) {
      if (request.operation != Operation::Read && request.mask.test(static_cast<unsigned>(done)))
        throw Error(fmt::format("{}: nothing is mapped at physical address {:#x}", name(),
                                (request.address + done).value()));
      ++done;
      continue;
    }
    const VirtualAddress at(reinterpret_cast<std::uintptr_t>(there.bytes));  // of the program
    const Bytes bytes = std::min({request.bytes - done, there.left, line_bytes_ - at % line_bytes_});
    rv64::MemoryType type{};
    const PhysicalAddress line = memory_->place_of(at, agent_.number, &type).aligned_down(line_bytes_);
    Part part;
    part.cached = type == rv64::MemoryType::WriteBack;
    part.access = index;
    part.of_line = static_cast<unsigned>(at % line_bytes_);
    part.of_request = static_cast<unsigned>(done);
    part.bytes = static_cast<unsigned>(bytes);
    part.writes = request.operation != Operation::Read;
    part.posted = request.operation == Operation::Write;
    part.writes_before = writes_taken_;
    writes_taken_ += part.posted;
    part.whole = writes_all(request, part.of_request, part.bytes);
    part.place = at;
    const auto [place, is_new] = lines_.try_emplace(line.value());
    place->second.parts.push_back(part);
    ++accesses_[index].parts_left;
    if (is_new) ask(now, line, part);
    done += bytes;
  }
  if (accesses_[index].parts_left == 0) finish(now, index);
}

bool RootComplex::writes_all(const Request& request, unsigned from, unsigned bytes) const {
  if (request.operation != Operation::Write || bytes != line_bytes_) return false;
  for (unsigned i = 0; i < bytes; ++i)
    if (!request.mask.test(from + i)) return false;
  return true;
}

// `first` is what will be done with it first.
void RootComplex::ask(Picoseconds now, PhysicalAddress line, const Part& first) {
  ++statistics_.lines;
  if (first.whole) ++statistics_.whole_lines;
  CoherenceMessage message;
  message.line = line;
  message.kind = first.writes ? CoherenceKind::GetExclusive : CoherenceKind::GetShared;
  message.overwrites = first.whole;
  message.cached_below = first.cached;
  say(now, message);
}

void RootComplex::granted(Picoseconds now, const CoherenceMessage& grant) {
  if (grant.source == memory::GrantSource::Domain) ++statistics_.from_domain;
  if (grant.source == memory::GrantSource::Cache) ++statistics_.from_cache;
  Line& line = lines_.at(grant.line.value());
  line.bytes = grant.bytes;
  line.exclusive = grant.exclusive;
  held_.push_back(grant.line.value());
  // What is done with one line may let others go on.
  for (std::size_t i = 0; i < held_.size();) {
    const std::uint64_t address = held_[i];
    if (serve(now, address))
      i = 0;
    else if (i < held_.size() && held_[i] == address)
      ++i;
  }
}

bool RootComplex::has_turn(const Part& part) const { return part.writes_before <= writes_made_; }

// Does what can be done with a line that is held, and gives it back where nothing has to wait for its turn.
// Whether it has made a write.
bool RootComplex::serve(Picoseconds now, std::uint64_t address) {
  const auto place = lines_.find(address);
  Line& line = place->second;
  const std::uint64_t before = writes_made_;
  while (!line.parts.empty() && (line.exclusive || !line.parts.front().writes)) {
    if (!has_turn(line.parts.front())) return writes_made_ != before;
    const Part part = line.parts.front();
    line.parts.pop_front();
    perform(part, line.bytes, PhysicalAddress(address));
    line.written |= part.writes;
    writes_made_ += part.posted;
    if (--accesses_[part.access].parts_left == 0) finish(now, part.access);
  }
  CoherenceMessage back;
  back.line = PhysicalAddress(address);
  back.kind = CoherenceKind::Put;
  back.dirty = line.written;
  say(now, back);
  line.bytes = nullptr;
  line.written = false;
  std::erase(held_, address);
  if (line.probe) probed(now, *std::exchange(line.probe, std::nullopt));
  if (line.parts.empty())
    lines_.erase(place);
  else
    ask(now, PhysicalAddress(address), line.parts.front());
  return writes_made_ != before;
}

// Answered when the line has been given back.
void RootComplex::probed(Picoseconds now, const CoherenceMessage& probe) {
  const auto place = lines_.find(probe.line.value());
  if (place != lines_.end() && place->second.bytes != nullptr) {
    place->second.probe = probe;
    return;
  }
  CoherenceMessage answer = probe;
  answer.kind = CoherenceKind::Answer;
  answer.bytes = nullptr;
  answer.dirty = answer.held = false;
  say(now, answer);
}

void RootComplex::perform(const Part& part, std::byte* line, PhysicalAddress address) {
  Request& request = pool_[accesses_[part.access].packet.request];
  std::byte* const at = line + part.of_line;
  if (request.operation == Operation::Read) {
    std::memcpy(request.data.data() + part.of_request, at, part.bytes);
    return;
  }
  memory_->about_to_write(address + part.of_line, part.bytes, at, agent_.number);
  if (memory_->may_have_code(part.place))  // whoever has decoded some is told when all have been ticked
    engine().after_ticks(
        [this, place = part.place, bytes = part.bytes] { memory_->bytes_changed(place, bytes); });
  if (request.operation == Operation::Atomic) {
    // Its elements in this line, as if the others were not there.
    const memory::ByteMask all = request.mask;
    std::array<std::byte, memory::kLineBytes> bytes;
    for (unsigned i = 0; i < request.bytes; ++i)
      if (i < part.of_request || i >= part.of_request + part.bytes)
        request.mask.bits[i / 64] &= ~(std::uint64_t{1} << i % 64);
    std::memcpy(bytes.data() + part.of_request, at, part.bytes);
    memory::perform_atomic(pool_, request, bytes.data(), name());
    std::memcpy(at, bytes.data() + part.of_request, part.bytes);
    request.mask = all;
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
  answer(now, packet);
}

void RootComplex::answer(Picoseconds now, const Packet& packet) {
  if (answers_.empty() && ports_.to_link->can_push(now))
    ports_.to_link->push(now, packet);
  else
    answers_.push_back(packet);
}

std::string RootComplex::waits_for() const {
  if (lines_.empty() && !answers_.empty()) return "room on the link for its answers";
  return lines_.empty() ? std::string() : fmt::format("the directory, for {} lines", lines_.size());
}

}  // namespace duet::machine
