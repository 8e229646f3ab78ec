// The only instruction set, PTX, and its wavefronts.
#include <array>
#include <cstring>

#include "hsa/api/limits.h"
#include "hsa/session/session.h"

namespace duet::hsa::api {

namespace {

constexpr const char* kName = "duet:ptx";
constexpr hsa_wavefront_t kWavefront{1};

hsa_status_t isa_info(Session& session, int attribute, void* value) {
  const config::Gpu& gpu = session.config().gpu;
  switch (attribute) {
    case HSA_ISA_INFO_NAME_LENGTH:
      return answer(value, static_cast<std::uint32_t>(std::strlen(kName)));
    case HSA_ISA_INFO_NAME:
      return answer_text(value, kName, std::strlen(kName) + 1);
    case HSA_ISA_INFO_CALL_CONVENTION_COUNT:
      return answer(value, std::uint32_t{1});
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE:
      return answer(value, static_cast<std::uint32_t>(gpu.sm.warp_width));
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT:
      return answer(value, static_cast<std::uint32_t>(gpu.sm.max_warps));
    case HSA_ISA_INFO_MACHINE_MODELS:
      return answer(value, std::array<bool, 2>{false, true});  // large
    case HSA_ISA_INFO_PROFILES:
      return answer(value, std::array<bool, 2>{true, false});  // base
    case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
    case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
      return answer(value, std::array<bool, 3>{false, false, true});  // near
    case HSA_ISA_INFO_FAST_F16_OPERATION:
      return answer(value, false);
    case HSA_ISA_INFO_WORKGROUP_MAX_DIM:
      return answer(value, most_in_group(gpu));
    case HSA_ISA_INFO_WORKGROUP_MAX_SIZE:
      return answer(value, static_cast<std::uint32_t>(gpu.sm.max_threads_per_block));
    case HSA_ISA_INFO_GRID_MAX_DIM:
      return answer(value, hsa_dim3_t{kMostWorkItems, kMostWorkItems, kMostWorkItems});
    case HSA_ISA_INFO_GRID_MAX_SIZE:
      return answer(value, std::uint64_t{kMostWorkItems});
    case HSA_ISA_INFO_FBARRIER_MAX_SIZE:
      return answer(value, kMostFbarriers);
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

}  // namespace

DUET_HSA(hsa_isa_from_name, Query, (const char* name, hsa_isa_t* isa)) {
  if (name == nullptr || isa == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return std::strcmp(name, kName) == 0 ? answer(isa, kIsa) : HSA_STATUS_ERROR_INVALID_ISA_NAME;
}
DUET_HSA_END

DUET_HSA_EXPORT hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent,
                                                    hsa_status_t (*callback)(hsa_isa_t, void*), void* data) {
  static ApiFunction function{"hsa_agent_iterate_isas", CallKind::Query};
  return iterate<hsa_isa_t>(
      function, callback != nullptr,
      [agent](Session&, std::vector<hsa_isa_t>& all) {
        if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
        if (agent.handle == kGpuAgent.handle) all = {kIsa};
        return HSA_STATUS_SUCCESS;
      },
      [&](hsa_isa_t isa) { return callback(isa, data); });
}

DUET_HSA(hsa_isa_get_info, Query,
         (hsa_isa_t isa, hsa_isa_info_t attribute, std::uint32_t index, void* value)) {
  if (isa.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (index != 0) return HSA_STATUS_ERROR_INVALID_INDEX;
  return isa_info(session, attribute, value);
}
DUET_HSA_END

DUET_HSA(hsa_isa_get_info_alt, Query, (hsa_isa_t isa, hsa_isa_info_t attribute, void* value)) {
  if (isa.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
  return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : isa_info(session, attribute, value);
}
DUET_HSA_END

DUET_HSA(hsa_isa_get_exception_policies, Query, (hsa_isa_t isa, hsa_profile_t profile, std::uint16_t* mask)) {
  if (isa.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
  if (is_outside(profile, HSA_PROFILE_FULL) || mask == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return answer(mask, std::uint16_t{0});
}
DUET_HSA_END

DUET_HSA(hsa_isa_get_round_method, Query,
         (hsa_isa_t isa, hsa_fp_type_t type, hsa_flush_mode_t flush, hsa_round_method_t* method)) {
  if (isa.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
  if ((type != HSA_FP_TYPE_16 && type != HSA_FP_TYPE_32 && type != HSA_FP_TYPE_64) ||
      (flush != HSA_FLUSH_MODE_FTZ && flush != HSA_FLUSH_MODE_NON_FTZ) || method == nullptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return answer(method, HSA_ROUND_METHOD_SINGLE);
}
DUET_HSA_END

DUET_HSA(hsa_isa_compatible, Query, (hsa_isa_t code, hsa_isa_t agent, bool* result)) {
  if (code.handle != kIsa.handle || agent.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
  return result == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : answer(result, true);
}
DUET_HSA_END

DUET_HSA_EXPORT hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t isa,
                                                        hsa_status_t (*callback)(hsa_wavefront_t, void*),
                                                        void* data) {
  static ApiFunction function{"hsa_isa_iterate_wavefronts", CallKind::Query};
  return iterate<hsa_wavefront_t>(
      function, callback != nullptr,
      [isa](Session&, std::vector<hsa_wavefront_t>& all) {
        if (isa.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
        all = {kWavefront};
        return HSA_STATUS_SUCCESS;
      },
      [&](hsa_wavefront_t wavefront) { return callback(wavefront, data); });
}

DUET_HSA(hsa_wavefront_get_info, Query,
         (hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute, void* value)) {
  if (wavefront.handle != kWavefront.handle) return HSA_STATUS_ERROR_INVALID_WAVEFRONT;
  if (value == nullptr || attribute != HSA_WAVEFRONT_INFO_SIZE) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return answer(value, static_cast<std::uint32_t>(session.config().gpu.sm.warp_width));
}
DUET_HSA_END

}  // namespace duet::hsa::api
