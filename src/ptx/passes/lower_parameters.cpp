// Parameters (PTX ISA 9.0, sections 5.1.6.1 to 5.1.6.3): kernel parameters are read in place, as from the
// constant bank of the real machine; a call's parameters live in registers where their accesses allow.
#include <map>

#include "ptx/passes/passes.h"

namespace duet::ptx {

using ir::Function;
using ir::Instruction;
using ir::kNone;
using ir::ParsedModule;
using ir::Pseudo;
using ir::Value;
using ir::ValueKind;

namespace {

bool is_parameter(const ParsedModule& module, const Value& value) {
  return value.kind == ValueKind::Variable && module.variables[value.index].space == StateSpace::Param;
}
bool accesses_parameter(const ParsedModule& module, const Instruction& in) {
  return in.pseudo == Pseudo::None && (in.op.kind == Kind::Load || in.op.kind == Kind::Store) &&
         in.op.space == StateSpace::Param && is_parameter(module, in.sources[0]);
}

// A call parameter cut into the elements its accesses name.
struct Pieces {
  bool memory = false;  // accessed in overlapping ways, or its address is taken
  struct Piece {
    unsigned bytes;
    std::uint32_t reg;
  };
  std::map<std::uint64_t, Piece> by_offset;

  void access(std::uint64_t offset, unsigned bytes) {
    auto next = by_offset.lower_bound(offset);
    if (next != by_offset.end() && next->first == offset && next->second.bytes == bytes) return;
    if (next != by_offset.end() && next->first < offset + bytes) memory = true;
    if (next != by_offset.begin() && std::prev(next)->first + std::prev(next)->second.bytes > offset)
      memory = true;
    by_offset[offset] = {bytes, kNone};
  }
};

Type piece_type(unsigned bytes) { return bytes == 8 ? Type::B64 : Type::B32; }

// One element of a load or store as a move between registers.
Instruction move_element(const Instruction& access, const Value& destination, Value from,
                         bool destination_is_wide) {
  Instruction in;
  in.op.ptx_line = access.op.ptx_line;
  in.op.kind = Kind::Arithmetic;
  in.guard = access.guard;
  in.op.guard_negated = access.op.guard_negated;
  const Type type = access.op.type;
  const unsigned bytes = type_bytes(type);
  if (bytes == 8 || (bytes == 4 && !destination_is_wide)) {
    in.op.opcode = Opcode::Mov;
    in.op.type = bytes == 8 ? Type::B64 : Type::B32;
    from.type = in.op.type;
  } else {
    in.op.opcode = Opcode::Cvt;
    const bool negative = is_signed(type);
    static constexpr Type kUnsigned[5] = {{}, Type::U8, Type::U16, {}, Type::U32};
    static constexpr Type kSigned[5] = {{}, Type::S8, Type::S16, {}, Type::S32};
    in.op.source_type = negative ? kSigned[bytes] : kUnsigned[bytes];
    if (destination_is_wide)
      in.op.type = negative ? Type::S64 : Type::U64;
    else
      in.op.type = negative ? Type::S32 : Type::U32;
    from.type = in.op.source_type;
  }
  Value d = destination;
  d.type = in.op.type;
  in.add_destination(d);
  in.add_source(from);
  return in;
}

}  // namespace

void lower_parameters(ParsedModule& module, Function& function) {
  std::unordered_map<std::uint32_t, Pieces> calls;
  bool kernel_address_taken = false, call_address_taken = false;
  for (const Instruction& in : function.code) {
    if (in.pseudo != Pseudo::None) continue;
    const bool access = accesses_parameter(module, in);
    for (unsigned i = 0; i < in.op.source_count; ++i) {
      const Value& s = in.sources[i];
      if (!is_parameter(module, s)) continue;
      (module.variables[s.index].kernel_parameter ? kernel_address_taken : call_address_taken) |=
          !access || i != 0;
      if (module.variables[s.index].kernel_parameter) continue;
      Pieces& pieces = calls[s.index];
      if (!access || i != 0 || module.variables[s.index].in_frame) {
        pieces.memory = true;
        continue;
      }
      for (unsigned e = 0; e < in.op.vector_elements; ++e)
        pieces.access(s.bits + e * type_bytes(in.op.type), type_bytes(in.op.type));
    }
  }
  for (auto& [index, pieces] : calls) {
    if (pieces.memory) {
      module.variables[index].space = StateSpace::Local;
      continue;
    }
    for (auto& [offset, piece] : pieces.by_offset) piece.reg = function.add_register(piece_type(piece.bytes));
  }

  std::vector<Instruction> code;
  code.reserve(function.code.size());
  for (Instruction& in : function.code) {
    // A register holds the address: of a kernel's parameter, or of a call's, which lies in local memory now.
    const bool by_register = in.pseudo == Pseudo::None && in.op.space == StateSpace::Param &&
                             (in.op.kind == Kind::Load || in.op.kind == Kind::Store) &&
                             in.sources[0].is_register();
    if (by_register && call_address_taken) {
      if (kernel_address_taken)
        throw ir::Unsupported{
            "an access in .param space that may name a kernel's or a call's parameter is not supported (" +
            module.name + ":" + std::to_string(in.op.ptx_line) + ")"};
      in.op.space = StateSpace::Local;
    }
    if (in.pseudo != Pseudo::None || in.op.space != StateSpace::Param ||
        (in.op.kind != Kind::Load && in.op.kind != Kind::Store) ||
        in.sources[0].kind != ValueKind::Variable) {
      code.push_back(in);
      continue;
    }
    const auto& variable = module.variables[in.sources[0].index];
    if (variable.space == StateSpace::Local) {
      in.op.space = StateSpace::Local;
      code.push_back(in);
      continue;
    }
    const unsigned bytes = type_bytes(in.op.type);
    const bool load = in.op.kind == Kind::Load;
    if (variable.kernel_parameter && !load)
      throw ir::Unsupported{"PTX 'st.param' to a kernel parameter is not supported (" + module.name + ":" +
                            std::to_string(in.op.ptx_line) + ")"};
    for (unsigned e = 0; e < in.op.vector_elements; ++e) {
      const std::uint64_t offset = in.sources[0].bits + e * bytes;
      if (variable.kernel_parameter) {
        Value from;
        from.kind = ValueKind::Parameter;
        from.bits = variable.parameter_offset + offset;
        from.storage = in.op.type;
        const bool wide = type_bytes(function.registers[in.destinations[e].index]) == 8;
        code.push_back(move_element(in, in.destinations[e], from, wide));
        continue;
      }
      const auto& piece = calls.at(in.sources[0].index).by_offset.at(offset);
      const Value reg = Value::reg(piece.reg, piece_type(piece.bytes));
      if (load) {
        const bool wide = type_bytes(function.registers[in.destinations[e].index]) == 8;
        code.push_back(move_element(in, in.destinations[e], reg, wide));
      } else {
        code.push_back(move_element(in, reg, in.sources[1 + e], false));
      }
    }
  }
  function.code = std::move(code);
}

}  // namespace duet::ptx
