#include "hsa/api/region_info.h"

#include <hsa/hsa_ext_amd.h>

namespace duet::hsa::api {

namespace {

hsa_region_segment_t segment_of(RegionKind kind) {
  return kind == RegionKind::Group     ? HSA_REGION_SEGMENT_GROUP
         : kind == RegionKind::Private ? HSA_REGION_SEGMENT_PRIVATE
                                       : HSA_REGION_SEGMENT_GLOBAL;
}

}  // namespace

std::uint32_t flags_of(RegionKind kind) {
  if (kind == RegionKind::Fine) return HSA_REGION_GLOBAL_FLAG_KERNARG | HSA_REGION_GLOBAL_FLAG_FINE_GRAINED;
  return kind == RegionKind::Coarse ? std::uint32_t{HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED} : 0;
}

hsa_status_t region_info(Session& session, RegionKind kind, int attribute, void* value) {
  const Regions& regions = session.regions;
  const Bytes most = regions.most(kind);
  switch (attribute) {
    case HSA_REGION_INFO_SEGMENT:
      return answer(value, segment_of(kind));
    case HSA_REGION_INFO_GLOBAL_FLAGS:
      return answer(value, flags_of(kind));
    case HSA_REGION_INFO_SIZE:
      return answer(value, std::size_t{regions.bytes(kind)});
    case HSA_REGION_INFO_ALLOC_MAX_SIZE:
    case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
      return answer(value, std::size_t{most});
    case HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE:
      return answer(value, static_cast<std::uint32_t>(session.config().gpu.sm.max_threads_per_block));
    case HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED:
    case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE:
      return answer(value, most != 0);
    case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
      return answer(value, kind == RegionKind::Fine);
    case HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT:
      return answer(value, std::size_t{most != 0 ? regions.granule() : 0});
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t allocate(Session& session, RegionKind kind, std::size_t bytes, void** pointer) {
  if (pointer == nullptr || bytes == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (bytes > session.regions.most(kind)) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  void* const made = session.regions.allocate(kind, bytes);
  return made == nullptr ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : answer(pointer, made);
}

}  // namespace duet::hsa::api
