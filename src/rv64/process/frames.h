// The active functions of a thread, innermost first, as addresses: where it stands, then return addresses.
//
//   frames_of(memory, registers, symbols)   ->   {0x10500 in leaf, 0x10478 in work, 0x103f0 in main}
//
// The caller of the innermost function is in ra unless the function has called another one; then, and for all
// others, in the frames behind the frame pointer, where the compiler keeps one (-fno-omit-frame-pointer; at
// -O0 it does). An address counts where it lies in a function and behind a call. Stores of the thread that no
// memory has yet are not seen.
#pragma once

#include <cstdint>
#include <vector>

#include "rv64/hart.h"
#include "rv64/process/elf.h"

namespace duet::rv64 {

std::vector<std::uint64_t> frames_of(Memory& memory, const Registers& registers, const SymbolTable& symbols);

}  // namespace duet::rv64
