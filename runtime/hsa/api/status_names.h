// Names of status codes, for hsa_status_string.
#pragma once

#include <hsa/hsa.h>

namespace duet::hsa::api {

// Null: no status has this number.
const char* status_name(int status);

}  // namespace duet::hsa::api
