// A program's memory and registers as Linux leaves them when it starts.
#pragma once

#include "rv64/hart.h"
#include "rv64/process/address_space.h"
#include "rv64/process/elf.h"
#include "rv64/process/process.h"

namespace duet::rv64 {

// Loads the file, and writes the first thread's stack; the hart stands at the entry. Error where arguments
// and environment are too large.
LoadedImage start(const ElfFile& file, AddressSpace& space, Hart& hart, const ProcessOptions& options);

}  // namespace duet::rv64
