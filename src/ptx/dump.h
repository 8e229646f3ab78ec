// A readable listing of a kernel's micro-ops.
#pragma once

#include <string>

#include "ptx/kernel.h"

namespace duet::ptx {

std::string dump(const MicroOp& op, const Kernel& kernel);
std::string dump(const Kernel& kernel);

}  // namespace duet::ptx
