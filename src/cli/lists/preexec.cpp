// `duet preexec`: the pre-execution program of a kernel, as C, as an ELF file, or as a
// table of the kernel's accesses.
#include "preexec/preexec.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/options/dimensions.h"
#include "preexec/blocks/blocks.h"
#include "preexec/elf.h"
#include "ptx/text/parser.h"

namespace duet::cli {

namespace {

void print_report(const preexec::Program& program) {
  std::size_t covered = 0;
  for (const auto& access : program.accesses) covered += access.covered();
  fmt::print("{}: {} of {} global accesses are prefetched\n", program.kernel, covered,
             program.accesses.size());
  static constexpr const char* kKinds[] = {"load", "store", "atomic"};
  for (const auto& access : program.accesses)
    fmt::print("  {:>5} {:20} {:6} {:2} bytes  {}\n", access.ptx_line, access.source,
               kKinds[static_cast<unsigned>(access.kind)], access.bytes,
               access.covered() ? access.function : "not prefetched because " + access.reason);
}

struct Made {
  std::string c, entry;
};

preexec::Options options_of(const PreexecOptions& options) {
  preexec::Options own;
  own.forwarded_blocks = options.forwarded_blocks;
  if (!options.block.empty()) {
    const gpu::Dim3 grid = dimensions(options.grid, "--grid"), block = dimensions(options.block, "--block");
    own.block = preexec::Dimensions{block.x, block.y, block.z};
    own.grid_dimensions = grid.dimensions();
  }
  return own;
}

Made program_of(const ptx::ir::ParsedModule& module, const std::string& kernel,
                const preexec::Options& options, bool report) {
  const preexec::Program program = preexec::generate(module, kernel, options);
  if (report) print_report(program);
  return {program.c, program.entry};
}

Made blocks_of(const ptx::ir::ParsedModule& module, const std::string& kernel) {
  try {
    const preexec::BlockProgram program = preexec::generate_blocks(module, kernel);
    return {program.c, program.entry};
  } catch (const Error& error) {
    throw Error(fmt::format("kernel '{}' has no program for its blocks: {}", kernel, error.what()));
  }
}

}  // namespace

int preexecute(const PreexecOptions& options) {
  std::ifstream file(options.file, std::ios::binary);
  if (!file) throw Error("preexec: cannot read " + options.file);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const ptx::ir::ParsedModule module = ptx::parse_module(text, options.file);
  std::vector<std::string> kernels = preexec::kernels_of(module);
  if (kernels.empty()) throw Error("preexec: " + options.file + " has no kernel");
  if (!options.kernel.empty()) kernels = {options.kernel};
  if (kernels.size() > 1 && !options.elf.empty())
    throw Error("preexec: --elf takes one kernel: name it with --kernel");
  if (options.blocks && options.report) throw Error("preexec: --report and --blocks do not go together");
  if (options.blocks && !options.block.empty())
    throw Error("preexec: --block and --blocks do not go together");
  if (options.blocks && options.forwarded_blocks)
    throw Error("preexec: --forwarded-blocks and --blocks do not go together");
  const preexec::Options own = options_of(options);
  std::string c;
  std::size_t refused = 0;
  for (const std::string& name : kernels) {
    Made program;
    try {
      program = options.blocks ? blocks_of(module, name) : program_of(module, name, own, options.report);
    } catch (const Error& error) {  // concerns this kernel alone
      if (++refused == kernels.size()) throw;
      std::fprintf(stderr, "duet: %s\n", error.what());
      continue;
    }
    if (!options.elf.empty()) preexec::compile_elf(program.c, program.entry, options.elf);
    c += program.c;
  }
  if (!options.out.empty()) {
    std::ofstream out(options.out);
    if (!(out << c) || !out.flush()) throw Error("preexec: cannot write " + options.out);
  } else if (!options.report && options.elf.empty()) {
    std::fwrite(c.data(), 1, c.size(), stdout);
  }
  return 0;
}

}  // namespace duet::cli
