#include "machine/cores_for_gpu/core_programs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <utility>

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

}  // namespace

const ptx::ir::ParsedModule& KernelSource::parsed_module() {
  if (!parsed) parsed = ptx::parse_module(text, name);
  return *parsed;
}

std::vector<VirtualAddress> KernelSource::addresses_of(const std::vector<std::string>& symbols) const {
  std::vector<VirtualAddress> addresses;
  for (const std::string& symbol : symbols) {
    const auto variable = variables.find(symbol);
    if (variable == variables.end())
      throw Error(fmt::format("it wants the address of '{}', which the module does not have", symbol));
    addresses.push_back(variable->second);
  }
  return addresses;
}

void KernelSources::add(const ptx::Module& module, std::string text, std::string name,
                        const std::vector<VirtualAddress>& variable_addresses) {
  KernelSource& source =
      sources_.emplace_back(KernelSource{&module, std::move(text), std::move(name), {}, {}});
  for (std::size_t i = 0; i < variable_addresses.size(); ++i)
    source.variables[module.variables[i].name] = variable_addresses[i];
}

KernelSource& KernelSources::of(const ptx::Kernel& kernel) {
  for (KernelSource& source : sources_) {
    const auto& kernels = source.module->kernels;
    if (!kernels.empty() && !std::less<>()(&kernel, kernels.data()) &&
        std::less<>()(&kernel, kernels.data() + kernels.size()))
      return source;
  }
  throw Error("kernel '" + kernel.name + "' is of no module");
}

std::uint64_t place_program(const std::string& c, const std::string& entry, rv64::PagedMemory& memory,
                            VirtualAddress& next) {
  const TemporaryFile file;
  preexec::compile_elf(c, entry, file.path, {next.value()});
  const rv64::ElfFile elf = rv64::read_elf(file.path, std::uint64_t{1} << rv64::PagedMemory::kAddressBits);
  const rv64::LoadedImage image = rv64::load(elf, memory);
  next = VirtualAddress(image.end).aligned_up(rv64::kPageBytes);
  return image.entry;
}

}  // namespace duet::machine
