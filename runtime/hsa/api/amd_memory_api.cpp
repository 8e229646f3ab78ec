// AMD's extension: memory pools, which are the regions, and who may reach them; copies in the background.
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <array>

#include "core/copies.h"
#include "core/memory.h"
#include "core/queues.h"
#include "hsa/api/region_info.h"
#include "hsa/session/session.h"

namespace duet::hsa::api {

namespace {

constexpr auto kInvalidPool = static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);

hsa_status_t pool_access(RegionKind kind, hsa_agent_t agent, void* value) {
  const bool reaches = agent.handle == kGpuAgent.handle || kind == RegionKind::Fine;
  const bool is_global = kind == RegionKind::Fine || kind == RegionKind::Coarse;
  return answer(value, !is_global ? HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED
                       : reaches  ? HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT
                                  : HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
}

// The stream has come to here.
driver::EventId new_mark(Session& session, HostThread& host, driver::StreamId stream) {
  const driver::EventId event = core::create_event(session.core());
  core::record_event(session.core(), host, event, stream);
  return event;
}

// The signal goes down by one when the stream has come to here.
void complete_later(Session& session, HostThread& host, driver::StreamId stream, driver::EventId begin,
                    hsa_signal_t signal) {
  const driver::EventId end = new_mark(session, host, stream);
  session.when_ready([&session, begin, end, signal] {
    if (core::query_event(session.core(), end).failed()) return false;
    const driver::Driver& driver = session.core().driver();
    if (session.profiles.of_copies)
      session.profiles.copied(signal.handle, *driver.event_time(begin), *driver.event_time(end));
    core::destroy_event(session.core(), begin);
    core::destroy_event(session.core(), end);
    if (const Signal* const done = session.signals.find(signal)) {
      done->set(done->value() - 1);
      session.written(*done);
    }
    return true;
  });
}

}  // namespace

// ---- Pools ----

DUET_HSA(hsa_amd_memory_pool_get_info, Query,
         (hsa_amd_memory_pool_t pool, hsa_amd_memory_pool_info_t attribute, void* value)) {
  const std::optional<RegionKind> kind = Regions::find(pool.handle);
  if (!kind) return kInvalidPool;
  return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : region_info(session, *kind, attribute, value);
}
DUET_HSA_END

DUET_HSA_EXPORT hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t agent, hsa_status_t (*callback)(hsa_amd_memory_pool_t, void*), void* data) {
  static ApiFunction function{"hsa_amd_agent_iterate_memory_pools", CallKind::Query};
  return iterate<hsa_amd_memory_pool_t>(
      function, callback != nullptr,
      [agent](Session&, std::vector<hsa_amd_memory_pool_t>& all) {
        if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
        // A pool belongs to one agent: the fine-grained one is the processor's.
        for (const RegionKind kind : Regions::of(agent))
          if (agent.handle == kCpuAgent.handle || kind != RegionKind::Fine)
            all.push_back({Regions::handle(kind).handle});
        return HSA_STATUS_SUCCESS;
      },
      [&](hsa_amd_memory_pool_t pool) { return callback(pool, data); });
}

DUET_HSA(hsa_amd_memory_pool_allocate, Allocate,
         (hsa_amd_memory_pool_t pool, size_t bytes, std::uint32_t, void** pointer)) {
  const std::optional<RegionKind> kind = Regions::find(pool.handle);
  return kind ? allocate(session, *kind, bytes, pointer) : kInvalidPool;
}
DUET_HSA_END

DUET_HSA(hsa_amd_memory_pool_free, Allocate, (void* pointer)) {
  if (pointer != nullptr && !session.regions.release(pointer)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_amd_agent_memory_pool_get_info, Query,
         (hsa_agent_t agent, hsa_amd_memory_pool_t pool, hsa_amd_agent_memory_pool_info_t attribute,
          void* value)) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  const std::optional<RegionKind> kind = Regions::find(pool.handle);
  if (!kind) return kInvalidPool;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
      return pool_access(*kind, agent, value);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
      return answer(value, std::uint32_t{0});
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
DUET_HSA_END

// Both agents reach what a pool gives, whatever the program asks for.
DUET_HSA(hsa_amd_agents_allow_access, Other,
         (std::uint32_t count, const hsa_agent_t* agents, const std::uint32_t* flags, const void* pointer)) {
  if (count == 0 || agents == nullptr || flags != nullptr || pointer == nullptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (std::uint32_t i = 0; i < count; ++i)
    if (!is_agent(agents[i])) return HSA_STATUS_ERROR_INVALID_AGENT;
  return session.regions.find_allocation(pointer) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
DUET_HSA_END

DUET_HSA(hsa_amd_memory_pool_can_migrate, Query,
         (hsa_amd_memory_pool_t from, hsa_amd_memory_pool_t to, bool* result)) {
  if (!Regions::find(from.handle) || !Regions::find(to.handle)) return kInvalidPool;
  return result == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : answer(result, false);
}
DUET_HSA_END

// ---- Memory of the program itself ----

namespace {

hsa_status_t lock_memory(Session& session, void* pointer, std::size_t bytes, const hsa_agent_t* agents,
                         int count, void** agent_pointer) {
  if (pointer == nullptr || bytes == 0 || agent_pointer == nullptr || (count != 0) != (agents != nullptr))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const core::Status status = core::register_host(session.core(), pointer, bytes, 0);
  if (status.failed() && status.reason != core::Reason::AlreadyRegistered)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  return answer(agent_pointer, pointer);
}

// What is known of an address, for the GPU's agent.
hsa_amd_pointer_info_t info_of(Session& session, const void* pointer) {
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  if (const auto own = session.regions.find_allocation(pointer)) {
    const auto& [first, allocated] = *own;
    info.type = HSA_EXT_POINTER_TYPE_HSA;
    info.agentBaseAddress = info.hostBaseAddress = first;
    info.sizeInBytes = allocated.bytes;
    info.agentOwner = allocated.kind == RegionKind::Fine ? kCpuAgent : kGpuAgent;
    info.global_flags = flags_of(allocated.kind);
    return info;
  }
  const memory::Allocation* const found = session.core().space().find(duet::virtual_address(pointer));
  if (found == nullptr || found->kind != memory::AllocationKind::Registered) return info;
  info.type = HSA_EXT_POINTER_TYPE_LOCKED;
  info.agentBaseAddress = info.hostBaseAddress = duet::pointer_of(found->base);
  info.sizeInBytes = found->bytes;
  info.agentOwner = kCpuAgent;
  return info;
}

}  // namespace

DUET_HSA(hsa_amd_memory_lock, Allocate,
         (void* pointer, size_t bytes, hsa_agent_t* agents, int count, void** agent_pointer)) {
  return lock_memory(session, pointer, bytes, agents, count, agent_pointer);
}
DUET_HSA_END

DUET_HSA(hsa_amd_memory_lock_to_pool, Allocate,
         (void* pointer, size_t bytes, hsa_agent_t* agents, int count, hsa_amd_memory_pool_t pool,
          std::uint32_t, void** agent_pointer)) {
  if (Regions::find(pool.handle) != RegionKind::Fine) return kInvalidPool;
  return lock_memory(session, pointer, bytes, agents, count, agent_pointer);
}
DUET_HSA_END

// The program's function makes room for the list of agents: both reach whatever is known.
DUET_HSA_EXPORT hsa_status_t hsa_amd_pointer_info(const void* pointer, hsa_amd_pointer_info_t* info,
                                                  void* (*allocate)(size_t), std::uint32_t* count,
                                                  hsa_agent_t** agents) {
  static ApiFunction function{"hsa_amd_pointer_info", CallKind::Query};
  hsa_amd_pointer_info_t found{};
  std::uint32_t room = 0;
  const hsa_status_t status = call(function, [&](Session& session, HostThread&) -> hsa_status_t {
    if (info != nullptr) read_program(&room, &info->size, sizeof room);
    if (pointer == nullptr || room == 0 || (allocate != nullptr && (count == nullptr || agents == nullptr)))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    found = info_of(session, pointer);
    return HSA_STATUS_SUCCESS;
  });
  if (status != HSA_STATUS_SUCCESS) return status;
  found.size = std::min<std::uint32_t>(room, sizeof found);
  write_program(info, &found, found.size);
  if (allocate == nullptr) return HSA_STATUS_SUCCESS;
  answer(count, std::uint32_t{0});
  if (found.type == HSA_EXT_POINTER_TYPE_UNKNOWN) return HSA_STATUS_SUCCESS;
  const std::array both{kCpuAgent, kGpuAgent};
  auto* const place = static_cast<hsa_agent_t*>(allocate(sizeof both));
  if (place == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  answer(place, both);
  answer(agents, place);
  return answer(count, std::uint32_t{both.size()});
}

DUET_HSA(hsa_amd_memory_unlock, Allocate, (void* pointer)) {
  if (pointer == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const core::Status status = core::unregister_host(session.core(), host, duet::virtual_address(pointer));
  return status.failed() ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
}
DUET_HSA_END

// ---- Copies and fills ----

// The call waits for the signals that the copy depends on; the copy itself is in the background.
DUET_HSA(hsa_amd_memory_async_copy, MemcpyAsync,
         (void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent, size_t bytes,
          std::uint32_t count, const hsa_signal_t* depends, hsa_signal_t completion)) {
  if (!is_agent(to_agent) || !is_agent(from_agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (session.signals.find(completion) == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  if (to == nullptr || from == nullptr || (count != 0) != (depends != nullptr))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const std::vector<hsa_signal_t> all(depends, depends + count);
  for (const hsa_signal_t one : all)
    if (session.signals.find(one) == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  const auto ready = [&] {
    return std::all_of(all.begin(), all.end(), [&](hsa_signal_t one) {
      const Signal* const signal = session.signals.find(one);
      return signal == nullptr || signal->value() == 0;
    });
  };
  if (!ready()) session.wait(host, ready, kNever, false);
  const driver::StreamId stream = session.stream_of_copies();
  const core::CopySide target{to, bytes, bytes}, source{from, bytes, bytes};
  const core::CopyShape shape{bytes, 1, 1};
  driver::Command command;
  if (bytes != 0) {
    if (core::prepare_copy(session.core(), target, source, shape, core::Direction::Any, {}, command).failed())
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    command.cost = &session.core().cost(CallKind::MemcpyAsync);
    command.stream = stream;
  }
  const driver::EventId begin = new_mark(session, host, stream);
  if (bytes != 0) core::submit_copy(session.core(), host, target, source, shape, std::move(command), true);
  complete_later(session, host, stream, begin, completion);
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_amd_memory_fill, Memset, (void* to, std::uint32_t value, size_t count)) {
  if (to == nullptr || reinterpret_cast<std::uintptr_t>(to) % sizeof value != 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (count == 0) return HSA_STATUS_SUCCESS;
  core::FillRequest request;
  request.to = to;
  request.pitch = count * sizeof value;
  request.value = value;
  request.element_bytes = sizeof value;
  request.width = count;
  driver::Command command;
  if (core::prepare_fill(session.core(), request, command).failed()) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const driver::StreamId stream = session.stream_of_copies();
  command.stream = stream;
  host.submit(std::move(command));
  core::wait_for_stream(session.core(), host, stream);
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

}  // namespace duet::hsa::api
