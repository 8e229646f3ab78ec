// The pre-execution programs of a process's kernels: made from the PTX of their modules when a kernel is
// first launched (preexec/), and laid into the memory of the machine's cores.
//
//   const PreexecutionProgram& program = programs.of(module, kernel);   // outside of simulated time
//   program.entry                                                       // where a core begins
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/cores_for_gpu/core_programs.h"
#include "machine/cores_for_gpu/preexecution_options.h"
#include "preexec/preexec.h"
#include "ptx/kernel.h"
#include "rv64/memory.h"

namespace duet::machine {

struct PreexecutionProgram {
  std::uint64_t entry = 0;  // 0: there is none, and `reason` says why
  std::string reason;
  std::size_t accesses = 0, covered = 0;
  std::vector<std::string> not_prefetched;  // "k.ptx:12 load: because ..."
  std::vector<VirtualAddress> symbols;      // addresses that the program wants, in their order
  unsigned skip_factor = 0;                 // that it begins with
};

class PreexecutionPrograms {
 public:
  // Programs lie in `memory` from `first` on. `own_skip_factor`: where nothing else is said.
  PreexecutionPrograms(const PreexecutionOptions& options, rv64::PagedMemory& memory, VirtualAddress first,
                       unsigned own_skip_factor)
      : options_(options), memory_(memory), next_(first), own_skip_factor_(own_skip_factor) {}

  KernelSources& sources() { return sources_; }
  // Makes it, the first time. Throws duet::Error with one line where its tools are missing, and where a
  // profile was asked for that does not have this kernel.
  void prepare(const ptx::Kernel& kernel);
  // One that was prepared.
  const PreexecutionProgram& of(const ptx::Kernel& kernel) const { return programs_.at(&kernel); }

 private:
  unsigned skip_factor_of(const ptx::Kernel& kernel) const;

  const PreexecutionOptions options_;
  rv64::PagedMemory& memory_;
  VirtualAddress next_;
  const unsigned own_skip_factor_;
  KernelSources sources_;
  std::map<const ptx::Kernel*, PreexecutionProgram> programs_;
};

}  // namespace duet::machine
