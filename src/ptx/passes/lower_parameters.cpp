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

class ParameterLowering {
 public:
  ParameterLowering(ParsedModule& module, Function& function) : module_(module), function_(function) {}

  void run() {
    find_accesses();
    place_call_parameters();
    std::vector<Instruction> code = std::move(function_.code);
    function_.code.clear();
    function_.code.reserve(code.size());
    for (Instruction& in : code) {
      if (is_access(in)) name_the_space(in);
      if (is_access(in) && in.sources[0].kind == ValueKind::Variable)
        read_or_write_in_place(in);
      else
        function_.code.push_back(in);
    }
  }

 private:
  static bool is_access(const Instruction& in) {
    return in.pseudo == Pseudo::None && in.op.space == StateSpace::Param &&
           (in.op.kind == Kind::Load || in.op.kind == Kind::Store);
  }

  void find_accesses() {
    for (const Instruction& in : function_.code) {
      if (in.pseudo != Pseudo::None) continue;
      const bool access = is_access(in) && is_parameter(module_, in.sources[0]);
      for (unsigned i = 0; i < in.op.source_count; ++i) {
        const Value& s = in.sources[i];
        if (!is_parameter(module_, s)) continue;
        const bool whole = access && i == 0;
        (module_.variables[s.index].kernel_parameter ? kernel_address_taken_ : call_address_taken_) |= !whole;
        if (module_.variables[s.index].kernel_parameter) continue;
        Pieces& pieces = calls_[s.index];
        if (!whole || module_.variables[s.index].in_frame) {
          pieces.memory = true;
          continue;
        }
        for (unsigned e = 0; e < in.op.vector_elements; ++e)
          pieces.access(s.bits + e * type_bytes(in.op.type), type_bytes(in.op.type));
      }
    }
  }

  // In registers, or in local memory.
  void place_call_parameters() {
    for (auto& [index, pieces] : calls_) {
      if (pieces.memory) {
        module_.variables[index].space = StateSpace::Local;
        continue;
      }
      for (auto& [offset, piece] : pieces.by_offset)
        piece.reg = function_.add_register(piece_type(piece.bytes));
    }
  }

  // An access whose address names, or may name, a call's parameter that lies in local memory now.
  void name_the_space(Instruction& in) const {
    const Value& address = in.sources[0];
    if (address.is_register() && call_address_taken_) {
      if (kernel_address_taken_)
        throw ir::Unsupported{
            "an access in .param space that may name a kernel's or a call's parameter is not supported" +
            place(in)};
      in.op.space = StateSpace::Local;
    }
    if (address.kind == ValueKind::Variable && module_.variables[address.index].space == StateSpace::Local)
      in.op.space = StateSpace::Local;
  }

  void read_or_write_in_place(const Instruction& in) {
    const auto& variable = module_.variables[in.sources[0].index];
    const bool load = in.op.kind == Kind::Load;
    if (variable.kernel_parameter && !load)
      throw ir::Unsupported{"PTX 'st.param' to a kernel parameter is not supported" + place(in)};
    for (unsigned e = 0; e < in.op.vector_elements; ++e) {
      const std::uint64_t offset = in.sources[0].bits + e * type_bytes(in.op.type);
      Value parameter;
      if (variable.kernel_parameter) {
        parameter.kind = ValueKind::Parameter;
        parameter.bits = variable.parameter_offset + offset;
        parameter.storage = in.op.type;
      } else {
        const auto& piece = calls_.at(in.sources[0].index).by_offset.at(offset);
        parameter = Value::reg(piece.reg, piece_type(piece.bytes));
      }
      if (load) {
        const bool wide = type_bytes(function_.registers[in.destinations[e].index]) == 8;
        function_.code.push_back(move_element(in, in.destinations[e], parameter, wide));
      } else {
        function_.code.push_back(move_element(in, parameter, in.sources[1 + e], false));
      }
    }
  }

  std::string place(const Instruction& in) const {
    return " (" + module_.name + ":" + std::to_string(in.op.ptx_line) + ")";
  }

  ParsedModule& module_;
  Function& function_;
  std::unordered_map<std::uint32_t, Pieces> calls_;
  bool kernel_address_taken_ = false, call_address_taken_ = false;
};

}  // namespace

void lower_parameters(ParsedModule& module, Function& function) { ParameterLowering(module, function).run(); }

}  // namespace duet::ptx
