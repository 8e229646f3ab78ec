// The stack of a starting program: argc, argv, envp and the auxiliary vector. Source: System V ABI, RISC-V
// psABI; Linux, fs/binfmt_elf.c.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rv64/memory.h"
#include "rv64/process/elf.h"

namespace duet::rv64 {

// Writes it below `top`. Returns the stack pointer, which is 62 KiB below where arguments and environment fit
// in that, and otherwise 126 KiB, and so on. Error where they take more than `most_bytes`.
std::uint64_t write_initial_stack(Memory& memory, std::uint64_t top, std::uint64_t most_bytes,
                                  const ElfFile& file, const LoadedImage& image,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& environment);

}  // namespace duet::rv64
