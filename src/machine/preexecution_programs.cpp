#include "machine/preexecution_programs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>

#include "base/error.h"
#include "preexec/elf.h"
#include "ptx/text/parser.h"
#include "rv64/process/elf.h"

namespace duet::machine {

namespace {

// A file that goes with its object.
struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() / "duet-preexec-elf-XXXXXX").string();
  TemporaryFile() {
    const int file = mkstemp(path.data());
    if (file < 0)
      throw preexec::ToolError(
          fmt::format("preexec: cannot make a temporary file: {}", std::strerror(errno)));
    close(file);
  }
  ~TemporaryFile() { unlink(path.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
};

preexec::DataGuards data_guards(const std::string& name) {
  return name == "keep"   ? preexec::DataGuards::Keep
         : name == "drop" ? preexec::DataGuards::Drop
                          : preexec::DataGuards::InSlice;
}

}  // namespace

void PreexecutionPrograms::add_module(const ptx::Module& module, std::string text, std::string name,
                                      const std::vector<VirtualAddress>& variable_addresses) {
  Source& source = sources_.emplace_back(Source{&module, std::move(text), std::move(name), {}, {}});
  for (std::size_t i = 0; i < variable_addresses.size(); ++i)
    source.variables[module.variables[i].name] = variable_addresses[i];
}

PreexecutionPrograms::Source& PreexecutionPrograms::source_of(const ptx::Kernel& kernel) {
  for (Source& source : sources_) {
    const auto& kernels = source.module->kernels;
    if (!kernels.empty() && !std::less<>()(&kernel, kernels.data()) &&
        std::less<>()(&kernel, kernels.data() + kernels.size()))
      return source;
  }
  throw Error("preexec: kernel '" + kernel.name + "' is of no module");
}

unsigned PreexecutionPrograms::skip_factor_of(const ptx::Kernel& kernel) const {
  if (options_.skip_factor != 0) return options_.skip_factor;
  if (options_.mode != PreexecutionMode::Profiled) return own_skip_factor_;
  const auto known = options_.profile.find(kernel.name);
  if (known == options_.profile.end())
    throw Error(
        fmt::format("the profile does not have kernel '{}': make it anew with --profile", kernel.name));
  return known->second;
}

void PreexecutionPrograms::prepare(const ptx::Kernel& kernel) {
  if (programs_.contains(&kernel)) return;
  Source& source = source_of(kernel);
  PreexecutionProgram made;
  made.skip_factor = skip_factor_of(kernel);
  try {
    if (!source.parsed) source.parsed = ptx::parse_module(source.text, source.name);
    preexec::Options options;
    options.unroll_factor = options_.unroll_factor;
    options.kernel_loop_unroll = options_.kernel_loop_unroll;
    options.adaptive = options_.mode == PreexecutionMode::Adaptive;
    options.data_guards = data_guards(options_.data_guards);
    const preexec::Program program = preexec::generate(*source.parsed, kernel.name, options);
    made.accesses = program.accesses.size();
    for (const preexec::Access& access : program.accesses) {
      made.covered += access.covered();
      if (!access.covered())
        made.not_prefetched.push_back(fmt::format("{}:{}: {}", source.name, access.ptx_line, access.reason));
    }
    for (const std::string& symbol : program.symbols) {
      const auto variable = source.variables.find(symbol);
      if (variable == source.variables.end())
        throw Error(fmt::format("it wants the address of '{}', which the module does not have", symbol));
      made.symbols.push_back(variable->second);
    }
    if (program.fetches())
      place(program, made);
    else
      made.reason = "it has no access that could be prefetched";
  } catch (const preexec::ToolError&) {
    throw;
  } catch (const Error& error) {  // the kernel runs without
    made.reason = error.what();
  }
  programs_.emplace(&kernel, std::move(made));
}

void PreexecutionPrograms::place(const preexec::Program& program, PreexecutionProgram& made) {
  const TemporaryFile file;
  preexec::compile_elf(program.c, program.entry, file.path, {next_.value()});
  const rv64::ElfFile elf = rv64::read_elf(file.path);
  const rv64::LoadedImage image = rv64::load(elf, memory_);
  made.entry = image.entry;
  next_ = VirtualAddress(image.end).aligned_up(rv64::kPageBytes);
}

}  // namespace duet::machine
