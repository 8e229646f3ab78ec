#include "hsa/api/extensions.h"

#include <hsa/hsa_ext_finalize.h>

#include <algorithm>

#include "hsa/session/session.h"

namespace duet::hsa::api {

namespace {

// Those that the specification or AMD's header has numbers for.
bool is_known(unsigned extension) {
  return extension <= HSA_EXTENSION_STD_LAST ||
         (extension >= HSA_AMD_FIRST_EXTENSION && extension <= HSA_AMD_LAST_EXTENSION);
}

}  // namespace

bool has_extension(unsigned extension) { return extension == HSA_EXTENSION_FINALIZER; }

std::array<std::uint8_t, 128> extension_bits() {
  std::array<std::uint8_t, 128> bits{};
  bits[HSA_EXTENSION_FINALIZER / 8] = 1 << HSA_EXTENSION_FINALIZER % 8;
  return bits;
}

hsa_status_t extension_supported(unsigned extension, unsigned major, unsigned minor, bool* result) {
  if (result == nullptr || !is_known(extension)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return answer(result, has_extension(extension) && major == 1 && minor == 0);
}

hsa_status_t extension_minor(unsigned extension, unsigned major, std::uint16_t* minor, bool* result) {
  if (minor == nullptr || result == nullptr || !is_known(extension)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  answer(minor, std::uint16_t{0});
  return answer(result, has_extension(extension) && major == 1);
}

hsa_status_t extension_table(unsigned extension, unsigned major, std::size_t bytes, void* table) {
  if (table == nullptr || !has_extension(extension) || major != 1) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const hsa_ext_finalizer_1_00_pfn_t all{&hsa_ext_program_create,     &hsa_ext_program_destroy,
                                         &hsa_ext_program_add_module, &hsa_ext_program_iterate_modules,
                                         &hsa_ext_program_get_info,   &hsa_ext_program_finalize};
  write_program(table, &all, std::min(bytes, sizeof all));
  return HSA_STATUS_SUCCESS;
}

}  // namespace duet::hsa::api
