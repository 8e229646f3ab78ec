// Unit and machine instruction count of a micro-op.
#pragma once

#include "ptx/micro_op.h"

namespace duet::ptx {

Unit unit_of(const MicroOp& op);

// `power_of_two_multiplier`: Mul or Mad by a power of two, which an assembler turns into shifts.
unsigned machine_instructions_of(const MicroOp& op, bool power_of_two_multiplier);

}  // namespace duet::ptx
