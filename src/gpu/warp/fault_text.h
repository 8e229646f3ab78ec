// The one line for the user about a kernel's fault: kernel, thread, line, and for addresses the nearest
// allocation.
#pragma once

#include <string>

#include "gpu/functional/memory_unit.h"
#include "gpu/grid.h"

namespace duet::gpu {

struct ThreadName {
  Dim3 block, thread;
};
std::string name_of(const Dim3& index);  // "(x,y,z)"

std::string access_fault_text(const Grid& grid, const ptx::MicroOp& op, const AccessFault& fault,
                              const ThreadName& who, const memory::AddressSpace& address_space);
std::string trap_text(const Grid& grid, const ptx::MicroOp& op, const ThreadName& who);
std::string indexed_branch_text(const Grid& grid, const ptx::MicroOp& op, const ThreadName& who,
                                std::uint64_t value);
std::string stack_overflow_text(const Grid& grid, const ptx::MicroOp& call, const ThreadName& who);
std::string barrier_text(const Grid& grid, const ptx::MicroOp& op, const ThreadName& who,
                         std::uint64_t barrier);
// Why a kernel cannot run on warps of this width (with lane arrays of `lanes`); empty when it can.
std::string refusal(const ptx::Kernel& kernel, unsigned width, unsigned lanes);
// Why the functional GPU does not run a kernel with Kernel::names_bits.
std::string bits_refusal(const ptx::Kernel& kernel);
std::string hexadecimal(std::uint64_t value);  // "0x1f"
// "a.cu:7, k.ptx:12"
std::string place_of(const Grid& grid, const ptx::MicroOp& op);

}  // namespace duet::gpu
