// What a fault looks like to whoever wrote the program: address, kind, and the functions that were active.
#pragma once

#include "rv64/hart.h"
#include "rv64/interpreter.h"
#include "rv64/process/elf.h"

namespace duet::rv64 {

// On standard error. The hart stands at the instruction that has met the fault.
void tell_fault(const ElfFile& file, const LoadedImage& image, Memory& memory, const Trap& trap,
                const Hart& hart);

}  // namespace duet::rv64
