// A kernel as C for a core, block by block (yang2012 section 5.5: the CPU takes thread blocks of the kernel
// itself, from the far end):
//   vecadd's PTX  ->  for every thread of the block: f3 = f32_add(f1, f2); *(u32 *)(rd9) = f3;
// The program asks for a block (an environment call), executes it on the memory of the kernel's threads, and
// asks for the next one; context.h is its input. Every basic block of the PTX is a label, every register a
// variable, calls are inlined. A block's threads run one after the other up to a barrier. There each keeps
// the registers that it still needs; when all are there, they go on (as in Stratton, Stone and Hwu, "MCUDA",
// LCPC 2008).
//
// Refused by name: instructions without an equal on a core, and communication of threads beside barriers:
// atomics other than integer ones on shared memory without waits, volatile and ordered accesses, votes,
// shuffles, warp barriers, clocks, textures, system calls, carries, narrow floats. Left out: a barrier of a
// part of a block, and checks of an address's alignment.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "ptx/ir.h"

namespace duet::preexec {

struct BlockProgram {
  std::string kernel;
  std::string c;
  std::string entry;                 // void entry(struct duet_blocks *)
  std::vector<std::string> symbols;  // module variables whose addresses it wants in BlockContext::symbols
  Bytes parameter_bytes = 0;
  // Of a block: shared memory without the launch's part, which begins at dynamic_shared_offset.
  Bytes static_shared_bytes = 0, dynamic_shared_offset = 0;
  Bytes local_bytes = 0;  // of a thread
  unsigned barriers = 0;  // places of the kernel
  Bytes kept_bytes = 0;   // of a thread, between barriers; 0 without
  // Of BlockContext::threads and ::local, for blocks of so many threads.
  Bytes kept_bytes_of(std::uint64_t threads) const { return barriers == 0 ? 0 : threads * kept_bytes; }
  Bytes local_bytes_of(std::uint64_t threads) const {
    return barriers == 0 ? local_bytes : threads * local_bytes;
  }
};

// Throws duet::Error with one line, the reason, where the kernel's blocks cannot be executed so.
BlockProgram generate_blocks(const ptx::ir::ParsedModule& module, const std::string& kernel);

}  // namespace duet::preexec
