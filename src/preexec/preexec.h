// The pre-execution compiler: from a kernel's PTX to a C program that loads the data of the kernel's threads
// ahead of them.
//   vecadd's PTX  ->  FETCH(u32, A + 4 * n), FETCH(u32, B + 4 * n), FETCH(u32, C + 4 * n) for every
//   skip_factor-th thread n
// The C is compiled for RV64 without a library (elf.h) and runs on a core beside the GPU; context.h is its
// input. Source: yang2012 section 4 (Figs 2, 3, 5, 7, 8, 9). Left out: its start, and the choice of a core
// (the machine's business).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "ptx/ir.h"

namespace duet::preexec {

struct Dimensions {
  std::uint32_t x = 1, y = 1, z = 1;
};

// Guards of an access that depend on loaded values: `if (flag[n]) a[n] = 0;`.
enum class DataGuards : std::uint8_t {
  InSlice,  // kept where their data are loaded for an address of the same function anyway, else taken as true
  Keep,
  Drop
};

struct Options {
  unsigned unroll_factor = 8;       // threads in a row
  unsigned kernel_loop_unroll = 8;  // iterations of an innermost kernel loop in a row
  bool adaptive = true;             // Fig. 5; false: Fig. 7, skip_factor as it is given and no batches
  DataGuards data_guards = DataGuards::InSlice;
  // The ids of the blocks come from the GPU (section 4.1, for dispatch out of order), not 0, 1, 2.
  bool forwarded_blocks = false;
  bool bounded_skip_factor = false;  // Fig. 5 goes no higher than Context::skip_factor_most
  bool paced_blocks = false;         // it begins at a block, and waits for the GPU (Context::waves_ahead)
  // Of the launch, where it is known: divisions become shifts, and a number that the kernel makes with
  // constants of its own may be the thread's.
  std::optional<Dimensions> block;
  unsigned grid_dimensions = 3;  // there is one block in the further ones
};

enum class AccessKind : std::uint8_t { Load, Store, Atomic };

// One global access of the kernel, calls inlined.
struct Access {
  std::uint32_t ptx_line = 0;
  std::string source;  // "a.cu:7"; empty where no .loc says
  ptx::StateSpace space = ptx::StateSpace::Global;
  AccessKind kind = AccessKind::Load;
  unsigned bytes = 0;    // of a thread, all elements of a vector
  std::string function;  // of the fetching C function; empty: none
  std::string reason;    // why it is not prefetched; empty: it is
  bool covered() const { return reason.empty(); }
};

// yang2012 section 4: light workload in a thread (LWST), or heavy: in a loop (HWST).
enum class Workload : std::uint8_t { Light, Heavy };

struct FetchFunction {
  std::string name;  // "memory_fetch_for_thread_loop_1"
  Workload workload = Workload::Light;
  unsigned accesses = 0;
};

struct Program {
  std::string kernel;
  std::string c;
  std::string entry;  // void entry(struct duet_preexec *), it ends with the system call exit (a7 = 93)
  std::vector<Access> accesses;  // in the order of the PTX
  std::vector<FetchFunction> functions;
  std::vector<std::string> symbols;  // module variables whose addresses it wants in Context::symbols
  Bytes parameter_bytes = 0;
  bool fetches() const { return !functions.empty(); }  // else it ends at once
};

// Throws duet::Error with one line: no such kernel, or a kernel that Duet cannot compile.
Program generate(const ptx::ir::ParsedModule& module, const std::string& kernel, const Options& options = {});

// Names of the module's kernels with a body.
std::vector<std::string> kernels_of(const ptx::ir::ParsedModule& module);

}  // namespace duet::preexec
