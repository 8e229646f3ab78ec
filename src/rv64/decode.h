// Words of memory to instructions, and instructions to text.
#pragma once

#include <cstdint>
#include <string>

#include "rv64/instruction.h"

namespace duet::rv64 {

// Whether the instruction that begins with these 16 bits has 16 bits only.
constexpr bool is_compressed(std::uint32_t bits) { return (bits & 3) != 3; }

// The instruction that begins in the lowest bits of `bits`; Illegal when it is none of RV64GC in user mode,
// or names a CSR that user mode does not have or may not write, or a reserved rounding mode. Of an
// instruction of 16 bits only these are looked at.
Instruction decode(std::uint32_t bits);

// The word of 32 bits that a compressed instruction stands for; 0, which is illegal, when it stands for none.
std::uint32_t expand_compressed(std::uint16_t bits);

// As GNU objdump writes it with -M no-aliases, compressed ones in their expanded form. Targets of jumps and
// branches are absolute: `pc` is where the instruction lies.
std::string disassemble(const Instruction& instruction, std::uint64_t pc);

}  // namespace duet::rv64
