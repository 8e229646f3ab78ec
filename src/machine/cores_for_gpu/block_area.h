// The memory of a core for executing blocks (cpu_blocks.h): its own, below 2 GiB, as an address of shared
// memory may have 32 bits. The stack is at the area's end.
#pragma once

#include "base/address.h"
#include "base/units.h"
#include "preexec/blocks/blocks.h"

namespace duet::machine {

inline constexpr Bytes kAreaBytes = 64_MiB, kParametersAt = 4096, kSymbolsAt = 64_KiB, kSharedAt = 128_KiB,
                       kStackBytes = 1_MiB;

inline VirtualAddress area_of_core(std::size_t core) {
  return VirtualAddress(0x4000'0000) + core * kAreaBytes;
}

// Offsets in the area, for blocks of so many threads.
struct BlockLayout {
  BlockLayout(const preexec::BlockProgram& program, std::uint64_t threads, Bytes dynamic_shared_bytes)
      : threads_at(round_up(kSharedAt + program.dynamic_shared_offset + dynamic_shared_bytes, Bytes{4096})),
        local_at(round_up(threads_at + program.kept_bytes_of(threads), Bytes{4096})),
        end(local_at + program.local_bytes_of(threads)) {}
  Bytes threads_at, local_at, end;
};

}  // namespace duet::machine
