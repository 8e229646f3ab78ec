#include "memory/simple_memory.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "memory/atomic_request.h"

namespace duet::memory {

SimpleMemory::SimpleMemory(sim::Engine& engine, std::string name, const sim::Component* parent, int level,
                           const SimpleMemoryConfig& config, RequestPool& pool, const PhysicalMemory& memory,
                           HostPort& host)
    : Component(engine, std::move(name), parent, level, sim::Role::Memory),
      config_(config),
      pool_(pool),
      memory_(memory),
      host_(host),
      bandwidth_(config.bandwidth_mb_per_s) {
  if (!config_.kind.empty()) statistics_.emplace(*this, config_.kind + ".");
}

void SimpleMemory::connect(sim::Queue<Packet>& requests, sim::Queue<Packet>& responses) {
  clients_.push_back({&requests, &responses});
}

SimpleMemory::Client* SimpleMemory::next_client(Picoseconds now) {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    std::size_t index = round_robin_ + i;
    if (index >= clients_.size()) index -= clients_.size();
    Client& client = clients_[index];
    if (!client.requests->can_pop(now) || !client.responses->can_push(now)) continue;
    round_robin_ = index + 1 == clients_.size() ? 0 : index + 1;
    return &client;
  }
  return nullptr;
}

Picoseconds SimpleMemory::tick(Picoseconds now) {
  while (bandwidth_.free_at() <= now) {
    Client* client = next_client(now);
    if (client == nullptr) break;
    Packet packet = client->requests->pop(now);
    Request& request = pool_[packet.request];
    if (before_write_ && (request.operation == Operation::Write || request.operation == Operation::Atomic))
      before_write_(request);
    if (before_read_ && request.operation == Operation::Read) before_read_(request);
    service(request);
    if (statistics_) count(request);
    packet.kind = PacketKind::Response;
    packet.payload_bytes = answer_bytes(request);
    packet.destination = packet.source;
    packet.source = config_.number;
    client->responses->push(now, packet, bandwidth_.reserve(now, request.bytes) + config_.latency_ps);
  }
  // A request that is not serviced waits for the memory, or for room among its client's answers; such room
  // wakes this component.
  Picoseconds next = kNever;
  for (const Client& client : clients_) {
    if (client.requests->empty()) continue;
    const Picoseconds arrival = client.requests->next_arrival(now);
    if (arrival != kNever) next = std::min(next, next_opportunity(arrival));
    if (arrival == kNever && bandwidth_.free_at() > now) next = std::min(next, bandwidth_.free_at());
  }
  return next;
}

void SimpleMemory::count(const Request& request) {
  if (request.operation == Operation::Read || request.operation == Operation::Atomic) {
    ++statistics_->reads;
    statistics_->read_bytes += request.bytes;
  } else if (request.operation == Operation::Write) {
    ++statistics_->writes;
    statistics_->written_bytes += request.bytes;
  }
}

void SimpleMemory::refuse_unmapped(const Request& request) const {
  throw Error(name() + ": nothing is mapped at physical address " + std::to_string(request.address.value()));
}

void SimpleMemory::service(Request& request) {
  if (request.trigger != Trigger::None || request.action != Action::None)
    throw Error(name() + " has no full/empty bits: use a machine with tracked memory");
  if (request.operation == Operation::Clean || request.operation == Operation::Invalidate) return;
  if (request.is_block()) return service_block(request);
  const Backing at = memory_.backing(request.address);
  if (at.through_port) {
    if (at.left < request.bytes) refuse_unmapped(request);
    return service_through_port(request, at.bytes);
  }
  if (at.left < request.bytes) return service_bytes(request);
  if (request.operation == Operation::Atomic) return perform_atomic(pool_, request, at.bytes, name());
  if (request.operation == Operation::Read) {
    std::memcpy(request.data.data(), at.bytes, request.bytes);
  } else if (request.mask.bits == ByteMask::first(request.bytes).bits) {
    std::memcpy(at.bytes, request.data.data(), request.bytes);
  } else {
    for (unsigned i = 0; i < request.bytes; ++i)
      if (request.mask.test(i)) at.bytes[i] = request.data[i];
  }
}

void SimpleMemory::service_block(const Request& request) {
  const Backing at = memory_.backing(request.address);
  if (at.left < request.bytes) refuse_unmapped(request);
  const bool read = request.operation == Operation::Read;
  if (at.through_port)
    return read ? host_.read(at.bytes, request.block(), request.bytes)
                : host_.write(at.bytes, request.block(), request.bytes);
  std::memcpy(read ? request.block() : at.bytes, read ? at.bytes : request.block(), request.bytes);
}

void SimpleMemory::service_through_port(Request& request, std::byte* host) {
  if (request.operation == Operation::Atomic)
    throw Error(name() + " performs no atomics on memory that is lent for a command");
  if (request.operation == Operation::Read) return host_.read(host, request.data.data(), request.bytes);
  if (request.mask.bits == ByteMask::first(request.bytes).bits)
    return host_.write(host, request.data.data(), request.bytes);
  for (unsigned i = 0; i < request.bytes; ++i)
    if (request.mask.test(i)) host_.write(host + i, &request.data[i], 1);
}

// Byte by byte, where not all of them lie together.
void SimpleMemory::service_bytes(Request& request) {
  // Registered host memory begins and ends anywhere: of its first and last line only some bytes exist. A
  // cache asks for all of such a line, and only for existing bytes is there a place.
  std::array<std::byte*, kLineBytes> places{};
  bool any = false;
  for (unsigned i = 0; i < request.bytes; ++i) {
    places[i] = memory_.bytes(request.address + i);
    any |= places[i] != nullptr;
    if (places[i] == nullptr && request.operation != Operation::Read && request.mask.test(i))
      refuse_unmapped(request);
  }
  if (!any) refuse_unmapped(request);
  if (request.operation != Operation::Write) {
    std::array<std::byte, kLineBytes> line{};
    for (unsigned i = 0; i < request.bytes; ++i)
      if (places[i] != nullptr) line[i] = *places[i];
    if (request.operation == Operation::Read) {
      request.data = line;
      return;
    }
    perform_atomic(pool_, request, line.data(), name());
    for (unsigned i = 0; i < request.bytes; ++i)
      if (request.mask.test(i)) *places[i] = line[i];
    return;
  }
  for (unsigned i = 0; i < request.bytes; ++i)
    if (request.mask.test(i)) *places[i] = request.data[i];
}

std::string SimpleMemory::waits_for() const {
  for (const Client& client : clients_)
    if (client.requests->size() != 0 && client.responses->size() == client.responses->capacity())
      return "room in a client's queue of answers";
  return {};
}

}  // namespace duet::memory
