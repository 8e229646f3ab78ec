#include "hsa/session/queues.h"

#include <fmt/format.h>
#include <hsa/amd_hsa_queue.h>

#include <algorithm>
#include <cstdio>

#include "core/memory.h"
#include "core/notes.h"
#include "gpu/front_end/aql_packet.h"
#include "hsa/session/session.h"

namespace duet::hsa {

namespace {

// The queue's own words, then its packets.
constexpr Bytes kRingOffset = 4096;
static_assert(sizeof(amd_queue_t) <= kRingOffset);

// What a queue's callback gets; the statuses are those that runtimes on hardware give, and that the published
// conformance tests expect.
hsa_status_t status_of(gpu::PacketRefusal::Fault fault) {
  switch (fault) {
    case gpu::PacketRefusal::Fault::Kernel:
      return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    case gpu::PacketRefusal::Fault::Sizes:
      return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
    case gpu::PacketRefusal::Fault::Room:
      return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    case gpu::PacketRefusal::Fault::Format:
      break;
  }
  return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
}

}  // namespace

Queue* Queues::make(std::uint32_t size, hsa_queue_type32_t type, std::uint32_t features) {
  const auto old =
      std::find_if(retired_.begin(), retired_.end(), [size](const Retired& one) { return one.size == size; });
  void* pages = nullptr;
  if (old != retired_.end()) {
    pages = old->handle;
    retired_.erase(old);
  } else {
    pages = allocate_shared(session_.core(), kRingOffset + Bytes{size} * gpu::kAqlPacketBytes);
  }
  if (pages == nullptr) return nullptr;
  auto* const first = static_cast<std::byte*>(pages);
  amd_queue_t words{};
  words.hsa_queue.type = type;
  words.hsa_queue.features = features;
  words.hsa_queue.base_address = first + kRingOffset;
  words.hsa_queue.size = size;
  words.hsa_queue.id = next_id_;
  write_pinned(session_.core(), first, &words, sizeof words);
  std::vector<hsa_barrier_and_packet_t> ring(size);
  for (hsa_barrier_and_packet_t& packet : ring) packet.header = HSA_PACKET_TYPE_INVALID;
  write_pinned(session_.core(), first + kRingOffset, ring.data(), ring.size() * gpu::kAqlPacketBytes);
  auto* const handle = static_cast<hsa_queue_t*>(pages);
  Queue& queue = queues_[handle];
  queue = Queue{};
  queue.handle = handle;
  queue.id = next_id_++;
  queue.size = size;
  queue.write_index = SharedWord(session_.core(), first + offsetof(amd_queue_t, write_dispatch_id));
  queue.read_index = SharedWord(session_.core(), first + offsetof(amd_queue_t, read_dispatch_id));
  return &queue;
}

void Queues::set_doorbell(Queue& queue, hsa_signal_t doorbell) {
  queue.doorbell = doorbell;
  write_pinned(session_.core(),
               reinterpret_cast<std::byte*>(queue.handle) + offsetof(hsa_queue_t, doorbell_signal), &doorbell,
               sizeof doorbell);
}

hsa_queue_t* Queues::create(std::uint32_t size, hsa_queue_type32_t type, QueueErrors errors) {
  Queue* const queue = make(size, type, HSA_QUEUE_FEATURE_KERNEL_DISPATCH);
  if (queue == nullptr) return nullptr;
  queue->errors = errors;
  const VirtualAddress pages = duet::virtual_address(queue->handle);
  try {
    queue->number = static_cast<int>(session_.user_queues().open(
        {pages + kRingOffset, size, pages + offsetof(amd_queue_t, read_dispatch_id)}));
  } catch (const Error& error) {
    core::say_once(error.what());
    destroy(*queue);
    return nullptr;
  }
  const hsa_signal_t doorbell = session_.signals.create_doorbell(queue->number);
  if (doorbell.handle == 0) {
    destroy(*queue);
    return nullptr;
  }
  set_doorbell(*queue, doorbell);
  return queue->handle;
}

hsa_queue_t* Queues::create_soft(std::uint32_t size, hsa_queue_type32_t type, std::uint32_t features,
                                 hsa_signal_t doorbell) {
  Queue* const queue = make(size, type, features);
  if (queue == nullptr) return nullptr;
  set_doorbell(*queue, doorbell);
  return queue->handle;
}

Queue* Queues::find(const hsa_queue_t* handle) {
  const auto found = queues_.find(handle);
  return found != queues_.end() ? &found->second : nullptr;
}

void Queues::inactivate(Queue& queue) {
  if (!std::exchange(queue.active, false) || queue.number < 0) return;
  session_.user_queues().close(static_cast<std::uint32_t>(queue.number));
  session_.signals.silence(queue.doorbell);
}

void Queues::destroy(Queue& queue) {
  if (queue.number >= 0) {
    inactivate(queue);
    session_.signals.destroy(queue.doorbell);
  }
  const Retired gone{queue.handle, queue.size};
  queues_.erase(gone.handle);
  retired_.push_back(gone);
}

void Queues::close_all() {
  while (!queues_.empty()) destroy(queues_.begin()->second);
}

void Queues::forget() {
  for (const Retired& one : std::exchange(retired_, {}))
    core::release_unused(session_.core(), duet::virtual_address(one.handle));
}

void Queues::tell(Queue& queue, hsa_status_t status) {
  if (queue.errors.callback != nullptr)
    session_.call_later([errors = queue.errors, handle = queue.handle, status] {
      errors.callback(status, handle, errors.data);
    });
}

void Queues::refused(std::uint32_t number, const gpu::PacketRefusal& refusal) {
  for (auto& [handle, queue] : queues_) {
    if (queue.number != static_cast<int>(number) || !queue.active) continue;
    std::fprintf(stderr, "duet: queue %llu: %s: the queue takes no further packet\n",
                 static_cast<unsigned long long>(queue.id), refusal.why.c_str());
    queue.active = false;
    session_.signals.silence(queue.doorbell);
    tell(queue, status_of(refusal.fault));
  }
}

std::uint64_t Queues::profiled_signal(std::uint32_t number, std::uint64_t packet) const {
  for (const auto& [known, queue] : queues_) {
    if (queue.number != static_cast<int>(number) || !queue.active || !queue.profiled) continue;
    std::byte* const ring = reinterpret_cast<std::byte*>(queue.handle) + kRingOffset;
    return SharedWord(session_.core(), ring + packet % queue.size * gpu::kAqlPacketBytes +
                                           offsetof(hsa_kernel_dispatch_packet_t, completion_signal))
        .load();
  }
  return 0;
}

void Queues::device_failed() {
  for (auto& [handle, queue] : queues_)
    if (queue.number >= 0) tell(queue, HSA_STATUS_ERROR_EXCEPTION);
}

}  // namespace duet::hsa
