// What regions of the standard and pools of AMD's extension have in common.
#pragma once

#include "hsa/session/session.h"

namespace duet::hsa::api {

// hsa_region_global_flag_t of a region.
std::uint32_t flags_of(RegionKind kind);
// Attributes of hsa_region_info_t, and those of AMD's with numbers of their own.
hsa_status_t region_info(Session& session, RegionKind kind, int attribute, void* value);
hsa_status_t allocate(Session& session, RegionKind kind, std::size_t bytes, void** pointer);

}  // namespace duet::hsa::api
