// What symbols of code objects and of executables have in common.
#pragma once

#include "hsa/session/session.h"

namespace duet::hsa::api {

// Attributes of hsa_executable_symbol_info_t, whose numbers hsa_code_symbol_info_t shares.
hsa_status_t symbol_info(const Symbol& symbol, int attribute, void* value);
// The symbol's handle, as the program asks for it.
hsa_status_t answer_symbol(Session& session, const std::vector<std::uint64_t>& among, const char* name,
                           std::uint64_t* handle);

}  // namespace duet::hsa::api
