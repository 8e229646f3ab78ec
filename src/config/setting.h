// One key of a resolved machine, as messages about its value name it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/loader.h"

namespace duet::config {

// The machine has the key.
const ResolvedValue& setting(const std::vector<ResolvedValue>& values, std::string_view key);

// Throws duet::Error with "FILE:LINE: KEY = VALUE WHAT"; "--set" for a value of the command line.
[[noreturn]] void refuse(const std::vector<ResolvedValue>& values, std::string_view key,
                         const std::string& what);

}  // namespace duet::config
