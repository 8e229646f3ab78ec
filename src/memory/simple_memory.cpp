#include "memory/simple_memory.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "memory/atomic_request.h"

namespace duet::memory {

SimpleMemory::SimpleMemory(sim::Engine& engine, std::string name, const sim::Component* parent, int level,
                           const SimpleMemoryConfig& config, RequestPool& pool,
                           const AddressSpace& address_space, const HostAperture& aperture, HostPort& host)
    : Component(engine, std::move(name), parent, level, sim::Role::Memory),
      config_(config),
      pool_(pool),
      address_space_(address_space),
      aperture_(aperture),
      host_(host),
      bandwidth_(config.bandwidth_mb_per_s) {}

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
    service(request);
    packet.kind = PacketKind::Response;
    packet.payload_bytes = answer_bytes(request);
    packet.destination = packet.source;
    packet.source = config_.number;
    client->responses->push(now, packet, bandwidth_.reserve(now, request.bytes) + config_.latency_ps);
  }
  // A request that is there and is not serviced waits for the memory, or for room among its client's answers,
  // which wakes this component.
  Picoseconds next = kNever;
  for (const Client& client : clients_) {
    if (client.requests->size() == 0) continue;
    const Picoseconds arrival = client.requests->next_arrival(now);
    if (arrival != kNever) next = std::min(next, next_opportunity(arrival));
    if (arrival == kNever && bandwidth_.free_at() > now) next = std::min(next, bandwidth_.free_at());
  }
  return next;
}

void SimpleMemory::refuse_unmapped(const Request& request) const {
  throw Error(name() + ": nothing is mapped at physical address " + std::to_string(request.address.value()));
}

void SimpleMemory::service(Request& request) {
  if (request.trigger != Trigger::None || request.action != Action::None)
    throw Error(name() + " has no full/empty bits: use a machine with tracked memory");
  if (request.operation == Operation::Clean || request.operation == Operation::Invalidate) return;
  if (request.is_block()) return service_block(request);
  if (HostAperture::holds(request.address)) return service_window(request);
  service_mapped(request);
}

void SimpleMemory::move_block(std::byte* memory, const Request& request, bool through_port) {
  const bool read = request.operation == Operation::Read;
  if (through_port)
    return read ? host_.read(memory, request.block(), request.bytes)
                : host_.write(memory, request.block(), request.bytes);
  std::memcpy(read ? request.block() : memory, read ? memory : request.block(), request.bytes);
}

void SimpleMemory::service_block(const Request& request) {
  if (HostAperture::holds(request.address)) {
    const HostAperture::Window* window = aperture_.find(request.address, request.bytes);
    if (window == nullptr) refuse_unmapped(request);
    return move_block(window->host + HostAperture::offset_of(request.address), request, window->through_port);
  }
  std::byte* const bytes = address_space_.backing(request.address);
  if (bytes == nullptr ||
      address_space_.backing(request.address + request.bytes - 1) != bytes + request.bytes - 1)
    refuse_unmapped(request);
  move_block(bytes, request, false);
}

void SimpleMemory::service_window(Request& request) {
  if (request.operation == Operation::Atomic)
    throw Error(name() + " performs no atomics in the window of a command");
  const bool read = request.operation == Operation::Read;
  const HostAperture::Window* window = aperture_.find(request.address, request.bytes);
  if (window == nullptr) refuse_unmapped(request);
  std::byte* host = window->host + HostAperture::offset_of(request.address);
  if (window->through_port) {
    if (read) return host_.read(host, request.data.data(), request.bytes);
    if (request.mask.bits == ByteMask::first(request.bytes).bits)
      return host_.write(host, request.data.data(), request.bytes);
    for (unsigned i = 0; i < request.bytes; ++i)
      if (request.mask.test(i)) host_.write(host + i, &request.data[i], 1);
    return;
  }
  if (read) {
    std::memcpy(request.data.data(), host, request.bytes);
  } else {
    for (unsigned i = 0; i < request.bytes; ++i)
      if (request.mask.test(i)) host[i] = request.data[i];
  }
}

void SimpleMemory::service_mapped(Request& request) {
  std::byte* const bytes = address_space_.backing(request.address);
  const bool all_there = bytes != nullptr && address_space_.backing(request.address + request.bytes - 1) ==
                                                 bytes + request.bytes - 1;
  if (all_there && request.operation == Operation::Atomic)
    return perform_atomic(pool_, request, bytes, name());
  if (all_there && request.operation == Operation::Read) {
    std::memcpy(request.data.data(), bytes, request.bytes);
    return;
  }
  if (all_there && request.mask.bits == ByteMask::first(request.bytes).bits) {
    std::memcpy(bytes, request.data.data(), request.bytes);
    return;
  }
  // Registered host memory begins and ends anywhere: of its first and last line only some bytes exist. A
  // cache that reads such a line asks for all of it, and nobody can ask for the others.
  std::array<std::byte*, kLineBytes> places{};
  bool any = false;
  for (unsigned i = 0; i < request.bytes; ++i) {
    places[i] = address_space_.backing(request.address + i);
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
