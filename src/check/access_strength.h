// How far an access is meant to meet others at its address, and the loads in wait for a value.
//   if (strength_of(op) == Strength::Atomic) ...    const std::vector<bool> polls = polling_loads(kernel);
// A load polls when a loop without stores ends by the loaded value; so does the same load just in front of
// the loop, where a compiler has taken its first round out. Left out: values through memory.
#pragma once

#include <cstdint>
#include <vector>

#include "check/block_order.h"
#include "ptx/kernel.h"

namespace duet::check {

enum class Strength : std::uint8_t {
  Weak,
  Volatile,  // or .cg and .cv, which meet others in the L2 cache; it orders nothing
  Atomic     // atomic operations, and accesses with a memory order
};
Strength strength_of(const ptx::MicroOp& op);
// Of Volatile and Atomic ones.
StrongAccess strong_access(const ptx::MicroOp& op);

// By instruction.
std::vector<bool> polling_loads(const ptx::Kernel& kernel);

}  // namespace duet::check
