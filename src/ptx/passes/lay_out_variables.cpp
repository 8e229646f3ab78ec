// Offsets of shared, local and parameter variables. Shared: in order of declaration, each at its alignment,
// as far as the kernel names them; extern .shared arrays all start at the launch's dynamic part. The part
// reserved for the system lies in front of them, in kernels that ask for its address.
#include <algorithm>
#include <map>

#include "ptx/passes/passes.h"

namespace duet::ptx {

using ir::Instruction;
using ir::Value;
using ir::ValueKind;

void lay_out_variables(const ir::ParsedModule& module, ir::Function& function, Kernel& kernel) {
  std::map<std::uint32_t, Bytes> offset;  // by variable, ascending: order of declaration
  for (const Instruction& in : function.code)
    for (unsigned i = 0; i < in.op.source_count; ++i)
      if (in.sources[i].kind == ValueKind::Variable) {
        offset[in.sources[i].index] = 0;
        const auto& v = module.variables[in.sources[i].index];
        if (!v.unsupported.empty())
          throw ir::Unsupported{v.unsupported + " (" + module.name + ":" + std::to_string(in.op.ptx_line) +
                                ")"};
      }
  if (function.names_reserved_shared)
    kernel.static_shared_bytes = kernel.reserved_shared_bytes = kReservedSharedBytes;
  Bytes dynamic_alignment = 1;
  for (auto& [index, at] : offset) {
    const auto& v = module.variables[index];
    if (v.space == StateSpace::Shared && v.external) {
      dynamic_alignment = std::max(dynamic_alignment, v.alignment);
    } else if (v.space == StateSpace::Shared) {
      at = round_up(kernel.static_shared_bytes, v.alignment);
      kernel.static_shared_bytes = at + v.bytes;
    } else if (v.space == StateSpace::Local) {
      at = round_up(kernel.local_bytes, v.alignment);
      kernel.local_bytes = at + v.bytes;
    } else if (v.space == StateSpace::Param) {
      at = v.parameter_offset;
    }
  }
  kernel.dynamic_shared_offset = round_up(kernel.static_shared_bytes, dynamic_alignment);
  for (const auto& [index, at] : offset) {
    const auto& v = module.variables[index];
    if (v.space != StateSpace::Shared) continue;
    if (v.external) offset[index] = kernel.dynamic_shared_offset;
    kernel.shared_arrays.push_back({v.name, offset[index], v.external ? 0 : v.bytes});
  }
  kernel.local_bytes = round_up(kernel.local_bytes, Bytes{8});

  for (Instruction& in : function.code)
    for (unsigned i = 0; i < in.op.source_count; ++i) {
      Value& s = in.sources[i];
      if (s.kind != ValueKind::Variable) continue;
      const StateSpace space = module.variables[s.index].space;
      if (space == StateSpace::Global || space == StateSpace::Const) continue;
      s = Value::immediate(offset.at(s.index) + s.bits, s.type);
    }
}

}  // namespace duet::ptx
