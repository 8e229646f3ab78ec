// The source of programs for the machine's cores, the PTX of a process's kernels, and their way into the
// cores' memory.
//
//   KernelSources sources;
//   sources.add(module, text, name, variable_addresses);
//   KernelSource& source = sources.of(kernel);
//   const auto program = preexec::generate(source.parsed_module(), kernel.name);
//   const std::uint64_t entry = place_program(program.c, program.entry, memory, next);
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/address.h"
#include "ptx/ir.h"
#include "ptx/kernel.h"
#include "rv64/memory.h"

namespace duet::machine {

struct KernelSource {
  const ptx::Module* module;
  std::string text, name;
  std::map<std::string, VirtualAddress> variables;
  std::optional<ptx::ir::ParsedModule> parsed;

  // Throws duet::Error.
  const ptx::ir::ParsedModule& parsed_module();
  // Of variables of the module. Throws duet::Error where it does not have one.
  std::vector<VirtualAddress> addresses_of(const std::vector<std::string>& symbols) const;
};

class KernelSources {
 public:
  // The text of a module whose kernels may be launched, and where its variables are.
  void add(const ptx::Module& module, std::string text, std::string name,
           const std::vector<VirtualAddress>& variable_addresses);
  KernelSource& of(const ptx::Kernel& kernel);

 private:
  std::deque<KernelSource> sources_;
};

// Compiles a program and lays it into `memory` from `next` on, which goes to the first page behind it.
// Returns where it begins. Throws preexec::ToolError with one line where tools are missing.
std::uint64_t place_program(const std::string& c, const std::string& entry, rv64::PagedMemory& memory,
                            VirtualAddress& next);

}  // namespace duet::machine
