// Queues: the program writes packets into a ring of pinned memory and rings the doorbell; the GPU's packet
// processor takes them. A soft queue has the ring, and its packets are the program's affair.
//
//   hsa_queue_t* queue = queues.create(64, HSA_QUEUE_TYPE_MULTI, {callback, data});
//   queues.find(queue)->write_index.load();
//
// The indices lie where amd_hsa_queue.h has them.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gpu/front_end/packet_processor.h"
#include "hsa/session/shared_word.h"

namespace duet::hsa {

class Session;

struct QueueErrors {
  void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data) = nullptr;
  void* data = nullptr;
};

struct Queue {
  hsa_queue_t* handle = nullptr;
  std::uint64_t id = 0;
  std::uint32_t size = 0;
  hsa_signal_t doorbell{0};
  SharedWord write_index, read_index;
  int number = -1;  // the packet processor's; -1: a soft queue
  bool active = true;
  bool profiled = false;
  QueueErrors errors;
};

class Queues {
 public:
  explicit Queues(Session& session) : session_(session) {}

  // Null: there is no memory for it, or the GPU has no more queues; a line says so.
  hsa_queue_t* create(std::uint32_t size, hsa_queue_type32_t type, QueueErrors errors);
  hsa_queue_t* create_soft(std::uint32_t size, hsa_queue_type32_t type, std::uint32_t features,
                           hsa_signal_t doorbell);
  // Null: it is none.
  Queue* find(const hsa_queue_t* handle);
  // It takes no further packet.
  void inactivate(Queue& queue);
  void destroy(Queue& queue);
  void close_all();
  // Their memory, too.
  void forget();

  // The packet processor has come to a packet that it cannot take.
  void refused(std::uint32_t number, const gpu::PacketRefusal& refusal);
  // The signal that a packet completes, where its queue is profiled; otherwise 0.
  std::uint64_t profiled_signal(std::uint32_t number, std::uint64_t packet) const;
  // A kernel has failed, and the device with it.
  void device_failed();

 private:
  Queue* make(std::uint32_t size, hsa_queue_type32_t type, std::uint32_t features);
  void set_doorbell(Queue& queue, hsa_signal_t doorbell);
  void tell(Queue& queue, hsa_status_t status);

  Session& session_;
  std::unordered_map<const hsa_queue_t*, Queue> queues_;
  struct Retired {
    hsa_queue_t* handle;
    std::uint32_t size;
  };
  std::vector<Retired> retired_;  // memory of queues that are gone: the processor may still read it
  std::uint64_t next_id_ = 0;
};

}  // namespace duet::hsa
