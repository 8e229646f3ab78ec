// Regions, and memory in them.
#include "core/copies.h"
#include "core/memory.h"
#include "core/queues.h"
#include "hsa/api/region_info.h"
#include "hsa/session/session.h"

namespace duet::hsa::api {

DUET_HSA(hsa_region_get_info, Query, (hsa_region_t region, hsa_region_info_t attribute, void* value)) {
  const std::optional<RegionKind> kind = Regions::find(region.handle);
  if (!kind) return HSA_STATUS_ERROR_INVALID_REGION;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return region_info(session, *kind, attribute, value);
}
DUET_HSA_END

DUET_HSA_EXPORT hsa_status_t hsa_agent_iterate_regions(hsa_agent_t agent,
                                                       hsa_status_t (*callback)(hsa_region_t, void*),
                                                       void* data) {
  static ApiFunction function{"hsa_agent_iterate_regions", CallKind::Query};
  return iterate<hsa_region_t>(
      function, callback != nullptr,
      [agent](Session&, std::vector<hsa_region_t>& all) {
        if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
        for (const RegionKind kind : Regions::of(agent)) all.push_back(Regions::handle(kind));
        return HSA_STATUS_SUCCESS;
      },
      [&](hsa_region_t region) { return callback(region, data); });
}

DUET_HSA(hsa_memory_allocate, Allocate, (hsa_region_t region, size_t bytes, void** pointer)) {
  const std::optional<RegionKind> kind = Regions::find(region.handle);
  if (!kind) return HSA_STATUS_ERROR_INVALID_REGION;
  return allocate(session, *kind, bytes, pointer);
}
DUET_HSA_END

// A pointer that is not from there changes nothing, as the specification leaves it open.
DUET_HSA(hsa_memory_free, Allocate, (void* pointer)) {
  if (pointer != nullptr && !session.regions.release(pointer)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_memory_copy, MemcpySync, (void* to, const void* from, size_t bytes)) {
  if (to == nullptr || from == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (bytes == 0) return HSA_STATUS_SUCCESS;
  const core::CopySide target{to, bytes, bytes}, source{from, bytes, bytes};
  driver::Command command;
  const core::CopyShape shape{bytes, 1, 1};
  if (core::prepare_copy(session.core(), target, source, shape, core::Direction::Any, {}, command).failed())
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  command.cost = &session.core().cost(CallKind::MemcpySync);
  command.stream = session.stream_of_copies();
  core::submit_copy(session.core(), host, target, source, shape, std::move(command), false);
  core::wait_for_stream(session.core(), host, session.stream_of_copies());
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

// Both agents reach coarse-grained memory by turns, and the turns are packets: nothing is to be done.
DUET_HSA(hsa_memory_assign_agent, Other, (void* pointer, hsa_agent_t agent, hsa_access_permission_t access)) {
  if (pointer == nullptr || access < HSA_ACCESS_PERMISSION_RO || access > HSA_ACCESS_PERMISSION_RW)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return is_agent(agent) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
}
DUET_HSA_END

DUET_HSA(hsa_memory_register, Allocate, (void* pointer, size_t bytes)) {
  if (pointer == nullptr) return HSA_STATUS_SUCCESS;
  if (bytes == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const core::Status status =
      core::register_host(session.core(), pointer, bytes, 0, memory::AllocatingCall::HsaFine);
  return status.reason == core::Reason::NotSupported ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_memory_deregister, Allocate, (void* pointer, size_t)) {
  if (pointer != nullptr)
    static_cast<void>(core::unregister_host(session.core(), host, duet::virtual_address(pointer)));
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

}  // namespace duet::hsa::api
