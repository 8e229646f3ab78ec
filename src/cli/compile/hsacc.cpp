#include "cli/compile/hsacc.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/compile/opencl_c.h"
#include "hsa/code_object/code_object.h"
#include "ptx/compiler.h"

namespace duet::cli {

namespace {

// CLOC's kernels: three global offsets, printf buffer, queue, the wrapper's own.
constexpr std::uint32_t kHiddenBytesOfBrig = 6 * 8;
constexpr Bytes kLeastKernargAlignment = 16;  // HSA Programmer's Reference Manual 1.2, section 4.21

hsa::CodeKernel code_kernel(const ptx::Kernel& kernel, bool is_brig) {
  Bytes alignment = kLeastKernargAlignment;
  for (const ptx::Parameter& parameter : kernel.parameters)
    alignment = std::max(alignment, parameter.alignment);
  hsa::CodeKernel made;
  made.name = kernel.name;
  made.symbol = is_brig ? "&__OpenCL_" + kernel.name + "_kernel" : kernel.name;
  made.hidden_bytes = is_brig ? kHiddenBytesOfBrig : 0;
  made.kernarg_bytes = made.hidden_bytes + static_cast<std::uint32_t>(kernel.argument_bytes());
  made.kernarg_alignment = static_cast<std::uint32_t>(alignment);
  made.group_bytes = static_cast<std::uint32_t>(kernel.own_shared_bytes());
  made.private_bytes = static_cast<std::uint32_t>(kernel.local_bytes);
  return made;
}

// A name that the text has given: what the compiler makes for its own use has a dot or a dollar.
bool is_identifier(const std::string& name) { return name.find_first_of(".$") == std::string::npos; }

hsa::CodeVariable code_variable(const ptx::Variable& variable, bool is_brig) {
  return {variable.name, (is_brig ? "&" : "") + variable.name, static_cast<std::uint32_t>(variable.bytes),
          static_cast<std::uint32_t>(variable.alignment), variable.constant};
}

}  // namespace

int compile_for_hsa(const std::vector<std::string>& arguments) {
  // Of any grid the border may cut groups off: packets know no other kind.
  OpenClC compiled = opencl_c_to_ptx("hsacc", arguments, true);
  if (compiled.status != 0) return compiled.status;
  const std::string output = compiled.output.empty()
                                 ? std::filesystem::path(compiled.source).stem().string() + ".hsaco"
                                 : compiled.output;
  hsa::CodeObject object;
  const bool is_brig = output.ends_with(".brig");
  const ptx::Module module = ptx::compile_module(compiled.ptx, compiled.source);
  for (const ptx::Kernel& kernel : module.kernels) object.kernels.push_back(code_kernel(kernel, is_brig));
  for (const ptx::Variable& variable : module.variables)
    if (is_identifier(variable.name)) object.variables.push_back(code_variable(variable, is_brig));
  object.ptx = std::move(compiled.ptx);
  write_file(output, hsa::write_code_object(object));
  return 0;
}

}  // namespace duet::cli
