#include "machine/cores_for_gpu/block_programs.h"

#include <cstdio>

#include "base/error.h"
#include "base/readable_name.h"
#include "preexec/elf.h"

namespace duet::machine {

void BlockPrograms::prepare(const ptx::Kernel& kernel) {
  if (programs_.contains(&kernel)) return;
  KernelSource& source = sources_.of(kernel);
  PlacedBlockProgram made;
  try {
    made.program = preexec::generate_blocks(source.parsed_module(), kernel.name);
    made.symbols = source.addresses_of(made.program.symbols);
    made.entry = place_program(made.program.c, made.program.entry, memory_, next_);
  } catch (const preexec::ToolError&) {
    throw;
  } catch (const Error& error) {  // the GPU runs it alone
    made.reason = error.what();
    std::fprintf(stderr, "duet: kernel '%s' runs on the GPU alone: %s\n", readable_name(kernel.name).c_str(),
                 made.reason.c_str());
  }
  programs_.emplace(&kernel, std::move(made));
}

}  // namespace duet::machine
