// How text and page call things.
#pragma once

#include <string>

#include "explain/explanation.h"

namespace duet::explain {

std::string bytes_text(Bytes bytes);            // "64 KiB"
std::string moment_text(Picoseconds time);      // "99.755 us": a point of time, with a nanosecond's grain
std::string short_time_text(Picoseconds time);  // "5.2 ns"
std::string launch_text(const Launch& launch);  // "smooth <<<128, 128>>>"
std::string copy_text(const report::CopyRecord& copy);
// `launch` is null where the command is not described in full.
std::string effect_text(const PushBufferStep& step, const Command& command, const Launch* launch);

}  // namespace duet::explain
