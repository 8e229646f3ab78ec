// The programs for thread blocks of a process's kernels (preexec/blocks), made at a kernel's first launch and
// laid into the memory of the machine's cores.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/cores_for_gpu/core_programs.h"
#include "preexec/blocks/blocks.h"
#include "ptx/kernel.h"
#include "rv64/memory.h"

namespace duet::machine {

struct PlacedBlockProgram {
  std::uint64_t entry = 0;  // 0: there is none, and `reason` says why
  std::string reason;
  preexec::BlockProgram program;
  std::vector<VirtualAddress> symbols;  // addresses that the program wants, in their order
};

class BlockPrograms {
 public:
  // Programs lie in `memory` from `first` on.
  BlockPrograms(rv64::PagedMemory& memory, VirtualAddress first) : memory_(memory), next_(first) {}

  KernelSources& sources() { return sources_; }
  // Makes it, the first time, and says on stderr why there is none. Throws duet::Error with one line where
  // its tools are missing.
  void prepare(const ptx::Kernel& kernel);
  // One that was prepared.
  const PlacedBlockProgram& of(const ptx::Kernel& kernel) const { return programs_.at(&kernel); }

 private:
  rv64::PagedMemory& memory_;
  VirtualAddress next_;
  KernelSources sources_;
  std::map<const ptx::Kernel*, PlacedBlockProgram> programs_;
};

}  // namespace duet::machine
