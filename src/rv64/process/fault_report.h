// The report of a fault for the program's author: address, kind, and the active functions.
#pragma once

#include "rv64/hart.h"
#include "rv64/interpreter.h"
#include "rv64/process/elf.h"

namespace duet::rv64 {

// On standard error. The hart stands at the faulting instruction.
void tell_fault(const ElfFile& file, const LoadedImage& image, Memory& memory, const Trap& trap,
                const Hart& hart);

}  // namespace duet::rv64
