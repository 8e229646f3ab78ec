#include "cli/compile/hsacc.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/compile/opencl_c.h"
#include "cli/usage.h"
#include "hsa/code_object/code_object.h"
#include "ptx/compiler.h"

namespace duet::cli {

namespace {

// CLOC's kernels: three global offsets, printf buffer, queue, the wrapper's own.
constexpr std::uint32_t kHiddenBytesOfBrig = 6 * 8;
constexpr Bytes kLeastKernargAlignment = 16;    // HSA Programmer's Reference Manual 1.2, section 4.21
constexpr std::uint32_t kKernargMultiple = 16;  // of its size: hsa.h

// How a program asks for a kernel, and what its packets bring before the kernel's arguments.
struct Manner {
  std::string symbols;  // with * where the kernel's name stands
  std::uint32_t hidden_bytes = 0;
  std::string variables;  // before a variable's name
};

// What --symbols says, which is taken out of the arguments; else what the output's name does.
Manner manner_of(std::vector<std::string>& arguments, bool is_brig) {
  Manner manner{is_brig ? "&__OpenCL_*_kernel" : "*", is_brig ? kHiddenBytesOfBrig : 0, is_brig ? "&" : ""};
  const auto option = std::find(arguments.begin(), arguments.end(), "--symbols");
  if (option == arguments.end()) return manner;
  const auto value = option + 1;
  if (value == arguments.end()) throw UsageError("hsacc: --symbols needs a value");
  if (std::count(value->begin(), value->end(), '*') != 1 ||
      value->find_first_of(" \t\n") != std::string::npos)
    throw UsageError(fmt::format(
        "hsacc: --symbols '{}': a word with one * where the kernel's name stands, as '&__*_kernel'", *value));
  manner.symbols = *value;
  manner.hidden_bytes = 0;
  arguments.erase(option, value + 1);
  return manner;
}

hsa::CodeKernel code_kernel(const ptx::Kernel& kernel, const Manner& manner) {
  Bytes alignment = kLeastKernargAlignment;
  for (const ptx::Parameter& parameter : kernel.parameters)
    alignment = std::max(alignment, parameter.alignment);
  hsa::CodeKernel made;
  made.name = kernel.name;
  made.symbol = manner.symbols;
  made.symbol.replace(made.symbol.find('*'), 1, kernel.name);
  made.hidden_bytes = manner.hidden_bytes;
  made.kernarg_bytes = made.hidden_bytes + static_cast<std::uint32_t>(kernel.argument_bytes());
  made.kernarg_bytes = (made.kernarg_bytes + kKernargMultiple - 1) / kKernargMultiple * kKernargMultiple;
  made.kernarg_alignment = static_cast<std::uint32_t>(alignment);
  made.group_bytes = static_cast<std::uint32_t>(kernel.own_shared_bytes());
  made.private_bytes = static_cast<std::uint32_t>(kernel.local_bytes);
  return made;
}

// A name that the text has given: what the compiler makes for its own use has a dot or a dollar.
bool is_identifier(const std::string& name) { return name.find_first_of(".$") == std::string::npos; }

hsa::CodeVariable code_variable(const ptx::Variable& variable, const Manner& manner) {
  return {variable.name, manner.variables + variable.name, static_cast<std::uint32_t>(variable.bytes),
          static_cast<std::uint32_t>(variable.alignment), variable.constant};
}

}  // namespace

int compile_for_hsa(std::vector<std::string> arguments) {
  const auto named = std::find(arguments.begin(), arguments.end(), "-o");
  const bool is_brig =
      named != arguments.end() && named + 1 != arguments.end() && (named + 1)->ends_with(".brig");
  const Manner manner = manner_of(arguments, is_brig);
  // Of any grid the border may cut groups off: packets know no other kind.
  OpenClC compiled = opencl_c_to_ptx("hsacc", arguments, true);
  if (compiled.status != 0) return compiled.status;
  const std::string output = compiled.output.empty()
                                 ? std::filesystem::path(compiled.source).stem().string() + ".hsaco"
                                 : compiled.output;
  hsa::CodeObject object;
  const ptx::Module module = ptx::compile_module(compiled.ptx, compiled.source);
  for (const ptx::Kernel& kernel : module.kernels) object.kernels.push_back(code_kernel(kernel, manner));
  for (const ptx::Variable& variable : module.variables)
    if (is_identifier(variable.name)) object.variables.push_back(code_variable(variable, manner));
  object.ptx = std::move(compiled.ptx);
  write_file(output, hsa::write_code_object(object));
  return 0;
}

}  // namespace duet::cli
