// The runtime itself: its beginning and end, status codes, the system, extensions.
#include <hsa/hsa_ext_finalize.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "core/notes.h"
#include "hsa/api/extensions.h"
#include "hsa/api/status_names.h"
#include "hsa/session/session.h"
#include "memory/allocation_methods.h"

namespace duet::hsa::api {

DUET_HSA_EXPORT hsa_status_t hsa_init() {
  static ApiFunction function{"hsa_init", CallKind::Other};
  return call_first(function, [](Session& session, HostThread& host) -> hsa_status_t {
    if (session.user_queues().most() == 0) {
      core::say_once(
          "hsa_init: machine " + session.config().name +
          " has no user queues (gpu.front_end.user_queues is 0): duet run --machine mi300a has them");
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    if (session.core().program().side() != nullptr &&
        memory::uncached_on_cores(session.config(), memory::AllocatingCall::HsaFine)) {
      core::say_once(
          "hsa_init: the cores of machine " + session.config().name +
          " reach pinned memory past their caches, without atomics: run the program natively, or on "
          "mi300a");
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    if (session.references == std::numeric_limits<std::int32_t>::max())
      return HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
    session.start_up(host);
    ++session.references;
    return HSA_STATUS_SUCCESS;
  });
}

DUET_HSA(hsa_shut_down, Other, ()) {
  if (--session.references == 0) session.forget(host);
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_status_string, Other, (hsa_status_t status, const char** text)) {
  if (text == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const char* const name = status_name(status);
  return name == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : answer(text, name);
}
DUET_HSA_END

DUET_HSA(hsa_system_get_info, Query, (hsa_system_info_t attribute, void* value)) {
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (static_cast<int>(attribute)) {
    case HSA_SYSTEM_INFO_VERSION_MAJOR:
      return answer(value, std::uint16_t{1});
    case HSA_SYSTEM_INFO_VERSION_MINOR:
      return answer(value, std::uint16_t{2});
    case HSA_SYSTEM_INFO_TIMESTAMP:
      return answer(value, std::uint64_t{host.clock() / kTickPs});
    case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
      return answer(value, std::uint64_t{1'000'000'000'000 / kTickPs});
    case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT:
      return answer(value, std::numeric_limits<std::uint64_t>::max());
    case HSA_SYSTEM_INFO_ENDIANNESS:
      return answer(value, HSA_ENDIANNESS_LITTLE);
    case HSA_SYSTEM_INFO_MACHINE_MODEL:
      return answer(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_SYSTEM_INFO_EXTENSIONS:
      return answer(value, extension_bits());
    case HSA_AMD_SYSTEM_INFO_BUILD_VERSION:
      return answer(value, static_cast<const char*>("Duet"));
    case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:
    case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
      return answer(value, false);
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
DUET_HSA_END

// ---- Extensions ----

DUET_HSA(hsa_extension_get_name, Query, (std::uint16_t extension, const char** name)) {
  if (name == nullptr || !has_extension(extension)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return answer(name, static_cast<const char*>("HSA_EXTENSION_FINALIZER"));
}
DUET_HSA_END

DUET_HSA(hsa_system_extension_supported, Query,
         (std::uint16_t extension, std::uint16_t major, std::uint16_t minor, bool* result)) {
  return extension_supported(extension, major, minor, result);
}
DUET_HSA_END

DUET_HSA(hsa_system_major_extension_supported, Query,
         (std::uint16_t extension, std::uint16_t major, std::uint16_t* minor, bool* result)) {
  return extension_minor(extension, major, minor, result);
}
DUET_HSA_END

DUET_HSA(hsa_agent_extension_supported, Query,
         (std::uint16_t extension, hsa_agent_t agent, std::uint16_t major, std::uint16_t minor,
          bool* result)) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  return extension_supported(extension, major, minor, result);
}
DUET_HSA_END

DUET_HSA(hsa_agent_major_extension_supported, Query,
         (std::uint16_t extension, hsa_agent_t agent, std::uint16_t major, std::uint16_t* minor,
          bool* result)) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  return extension_minor(extension, major, minor, result);
}
DUET_HSA_END

DUET_HSA(hsa_system_get_extension_table, Query,
         (std::uint16_t extension, std::uint16_t major, std::uint16_t minor, void* table)) {
  if (minor != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return extension_table(extension, major, sizeof(hsa_ext_finalizer_1_00_pfn_t), table);
}
DUET_HSA_END

DUET_HSA(hsa_system_get_major_extension_table, Query,
         (std::uint16_t extension, std::uint16_t major, size_t bytes, void* table)) {
  return extension_table(extension, major, bytes, table);
}
DUET_HSA_END

}  // namespace duet::hsa::api
