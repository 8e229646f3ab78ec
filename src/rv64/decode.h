// Words of memory to instructions, and instructions to text.
#pragma once

#include <cstdint>
#include <string>

#include "rv64/instruction.h"

namespace duet::rv64 {

// Whether the instruction with these first 16 bits has 16 bits only.
constexpr bool is_compressed(std::uint32_t bits) { return (bits & 3) != 3; }

// The instruction at the lowest bits of `bits`; Illegal outside RV64GC in user mode, with a CSR that user
// mode lacks or may not write, or with a reserved rounding mode. Of an instruction of 16 bits only these are
// looked at.
Instruction decode(std::uint32_t bits);

// The word of 32 bits of a compressed instruction; 0, an illegal word, when there is none.
std::uint32_t expand_compressed(std::uint16_t bits);

// As GNU objdump writes it with -M no-aliases, compressed ones in their expanded form. Targets of jumps and
// branches are absolute: `pc` is where the instruction lies.
std::string disassemble(const Instruction& instruction, std::uint64_t pc);

}  // namespace duet::rv64
