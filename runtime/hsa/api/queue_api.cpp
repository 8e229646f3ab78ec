// Queues and their indices.
#include "core/notes.h"
#include "hsa/api/limits.h"
#include "hsa/session/session.h"

namespace duet::hsa::api {

namespace {

bool is_power_of_two(std::uint32_t size) { return size != 0 && (size & (size - 1)) == 0; }

// Null, with a line: it is no queue.
Queue* queue_of(Session& session, const ApiFunction& function, const hsa_queue_t* handle) {
  Queue* const queue = session.queues.find(handle);
  if (queue == nullptr)
    core::say_once(std::string(function.name) +
                   ": the pointer is no queue's, or the queue has been destroyed");
  return queue;
}

enum class Index : std::uint8_t { Write, Read };

// The index before.
template <typename Next>
std::uint64_t change(ApiFunction& function, const hsa_queue_t* handle, Index index, Next next) {
  return value_of<std::uint64_t>(function, [&](Session& session, HostThread&) -> std::uint64_t {
    const Queue* const queue = queue_of(session, function, handle);
    if (queue == nullptr) return 0;
    const SharedWord& word = index == Index::Write ? queue->write_index : queue->read_index;
    const std::uint64_t before = word.load();
    word.store(next(before));
    return before;
  });
}

}  // namespace

DUET_HSA(hsa_queue_create, Allocate,
         (hsa_agent_t agent, std::uint32_t size, hsa_queue_type32_t type,
          void (*callback)(hsa_status_t, hsa_queue_t*, void*), void* data, std::uint32_t, std::uint32_t,
          hsa_queue_t** queue)) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!is_power_of_two(size) || size > kMostPackets || type > HSA_QUEUE_TYPE_COOPERATIVE || queue == nullptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  // The processor takes no packets, and the GPU has no way to start blocks of several kernels at once.
  if (agent.handle == kCpuAgent.handle || type == HSA_QUEUE_TYPE_COOPERATIVE)
    return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
  hsa_queue_t* const made = session.queues.create(std::max(size, kLeastPackets), type, {callback, data});
  return made == nullptr ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : answer(queue, made);
}
DUET_HSA_END

DUET_HSA(hsa_soft_queue_create, Allocate,
         (hsa_region_t region, std::uint32_t size, hsa_queue_type32_t type, std::uint32_t features,
          hsa_signal_t doorbell, hsa_queue_t** queue)) {
  const std::optional<RegionKind> kind = Regions::find(region.handle);
  if (!is_power_of_two(size) || size > kMostPackets || type > HSA_QUEUE_TYPE_SINGLE || doorbell.handle == 0 ||
      queue == nullptr || !kind || session.regions.most(*kind) == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_queue_t* const made = session.queues.create_soft(size, type, features, doorbell);
  return made == nullptr ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : answer(queue, made);
}
DUET_HSA_END

DUET_HSA(hsa_queue_destroy, Other, (hsa_queue_t * handle)) {
  if (handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Queue* const queue = session.queues.find(handle);
  if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  session.queues.destroy(*queue);
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_queue_inactivate, Other, (hsa_queue_t * handle)) {
  if (handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Queue* const queue = session.queues.find(handle);
  if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  session.queues.inactivate(*queue);
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

// ---- Indices ----

#define DUET_HSA_LOAD_INDEX(name, index)                                                \
  DUET_HSA_EXPORT std::uint64_t name(const hsa_queue_t* queue) {                        \
    static ApiFunction function{#name, CallKind::Other};                                \
    return change(function, queue, index, [](std::uint64_t before) { return before; }); \
  }
#define DUET_HSA_STORE_INDEX(name, index)                                     \
  DUET_HSA_EXPORT void name(const hsa_queue_t* queue, std::uint64_t value) {  \
    static ApiFunction function{#name, CallKind::Other};                      \
    change(function, queue, index, [value](std::uint64_t) { return value; }); \
  }
#define DUET_HSA_ADD_INDEX(name)                                                                            \
  DUET_HSA_EXPORT std::uint64_t name(const hsa_queue_t* queue, std::uint64_t value) {                       \
    static ApiFunction function{#name, CallKind::Other};                                                    \
    return change(function, queue, Index::Write, [value](std::uint64_t before) { return before + value; }); \
  }
#define DUET_HSA_CAS_INDEX(name)                                                              \
  DUET_HSA_EXPORT std::uint64_t name(const hsa_queue_t* queue, std::uint64_t expected,        \
                                     std::uint64_t value) {                                   \
    static ApiFunction function{#name, CallKind::Other};                                      \
    return change(function, queue, Index::Write,                                              \
                  [=](std::uint64_t before) { return before == expected ? value : before; }); \
  }
DUET_HSA_LOAD_INDEX(hsa_queue_load_read_index_acquire, Index::Read)
DUET_HSA_LOAD_INDEX(hsa_queue_load_read_index_scacquire, Index::Read)
DUET_HSA_LOAD_INDEX(hsa_queue_load_read_index_relaxed, Index::Read)
DUET_HSA_LOAD_INDEX(hsa_queue_load_write_index_acquire, Index::Write)
DUET_HSA_LOAD_INDEX(hsa_queue_load_write_index_scacquire, Index::Write)
DUET_HSA_LOAD_INDEX(hsa_queue_load_write_index_relaxed, Index::Write)
DUET_HSA_STORE_INDEX(hsa_queue_store_write_index_relaxed, Index::Write)
DUET_HSA_STORE_INDEX(hsa_queue_store_write_index_release, Index::Write)
DUET_HSA_STORE_INDEX(hsa_queue_store_write_index_screlease, Index::Write)
DUET_HSA_STORE_INDEX(hsa_queue_store_read_index_relaxed, Index::Read)
DUET_HSA_STORE_INDEX(hsa_queue_store_read_index_release, Index::Read)
DUET_HSA_STORE_INDEX(hsa_queue_store_read_index_screlease, Index::Read)
DUET_HSA_ADD_INDEX(hsa_queue_add_write_index_acq_rel)
DUET_HSA_ADD_INDEX(hsa_queue_add_write_index_scacq_screl)
DUET_HSA_ADD_INDEX(hsa_queue_add_write_index_acquire)
DUET_HSA_ADD_INDEX(hsa_queue_add_write_index_scacquire)
DUET_HSA_ADD_INDEX(hsa_queue_add_write_index_relaxed)
DUET_HSA_ADD_INDEX(hsa_queue_add_write_index_release)
DUET_HSA_ADD_INDEX(hsa_queue_add_write_index_screlease)
DUET_HSA_CAS_INDEX(hsa_queue_cas_write_index_acq_rel)
DUET_HSA_CAS_INDEX(hsa_queue_cas_write_index_scacq_screl)
DUET_HSA_CAS_INDEX(hsa_queue_cas_write_index_acquire)
DUET_HSA_CAS_INDEX(hsa_queue_cas_write_index_scacquire)
DUET_HSA_CAS_INDEX(hsa_queue_cas_write_index_relaxed)
DUET_HSA_CAS_INDEX(hsa_queue_cas_write_index_release)
DUET_HSA_CAS_INDEX(hsa_queue_cas_write_index_screlease)

}  // namespace duet::hsa::api
