// Device printf: C's conversions over vprintf's argument block: each argument is aligned to its size, and
// floating-point ones are double. Source: CUDA C++ Programming Guide, "Formatted Output". Left out: %n and
// long double.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/units.h"

namespace duet::gpu {

// `read_argument(offset, bytes)` reads from the argument block, `read_string(address)` a string of the
// device.
std::string format_device_text(
    const std::string& format,
    const std::function<std::uint64_t(Bytes offset, unsigned bytes)>& read_argument,
    const std::function<std::string(Address)>& read_string);

}  // namespace duet::gpu
