// Lines on standard error about calls that fail for lack of a feature of the simulated machine: programs from
// a larger one often ignore errors, and would have wrong results without a message.
#pragma once

#include <string>

#include "core/runtime.h"

namespace duet::core {

// "duet: LINE" on standard error, each once; by any thread, at any time.
void say_once(const std::string& line);
// The same for all lines of one key.
void say_once(const std::string& key, const std::string& line);

// Said once per kernel and text. The result has both.
Status launch_fails(const Runtime& runtime, const ptx::Kernel& kernel, Reason reason,
                    const std::string& text);
// Device memory, or null with a line, said once.
const memory::Allocation* allocate_device(Runtime& runtime, Bytes bytes);

}  // namespace duet::core
