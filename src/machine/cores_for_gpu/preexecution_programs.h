// The pre-execution programs of a process's kernels: made from the PTX of their modules when a kernel is
// first launched (preexec/), and laid into the memory of the machine's cores.
//
//   programs.prepare(grid);                                   // outside of simulated time
//   const PreexecutionProgram& program = programs.of(grid);
//   program.entry                                             // where a core begins
//
// The block and the dimensions of the grid are constants of a program, as they mostly are of a source; a
// kernel that is launched in many shapes gets one program for all further ones.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu/grid.h"
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
  // Makes the kernel's, the first time. Throws duet::Error with one line where its tools are missing, and
  // where a profile was asked for that does not have this kernel.
  void prepare(const gpu::Grid& grid);
  // One that was prepared.
  const PreexecutionProgram& of(const gpu::Grid& grid) const;

 private:
  static constexpr unsigned kMostShapes = 16;  // of a kernel
  // A block's extents and the grid's dimensions; zeros: any.
  using Shape = std::array<std::uint32_t, 4>;
  static Shape shape_of(const gpu::Grid& grid);
  unsigned skip_factor_of(const ptx::Kernel& kernel) const;
  PreexecutionProgram make(const ptx::Kernel& kernel, const Shape& shape);

  const PreexecutionOptions options_;
  rv64::PagedMemory& memory_;
  VirtualAddress next_;
  const unsigned own_skip_factor_;
  KernelSources sources_;
  std::map<const ptx::Kernel*, std::map<Shape, PreexecutionProgram>> programs_;
};

}  // namespace duet::machine
