// Extensions by number: the finalizer 1.0. AMD's functions have no table: programs link with them.
//
//   extension_table(HSA_EXTENSION_FINALIZER, 1, sizeof table, &table)
#pragma once

#include <hsa/hsa.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace duet::hsa::api {

bool has_extension(unsigned extension);
std::array<std::uint8_t, 128> extension_bits();
hsa_status_t extension_supported(unsigned extension, unsigned major, unsigned minor, bool* result);
hsa_status_t extension_minor(unsigned extension, unsigned major, std::uint16_t* minor, bool* result);
// At most so many bytes of the table.
hsa_status_t extension_table(unsigned extension, unsigned major, std::size_t bytes, void* table);

}  // namespace duet::hsa::api
