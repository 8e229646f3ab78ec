// How many machine instructions one PTX instruction becomes, for statistics and as weight in timing models.
// Simple counts follow from the 32-bit data path of NVIDIA's machines (64-bit add: IADD3 and IADD3.X). The
// sequences (division, square root, transcendental functions) are estimates of their main path, inferred from
// the steps that the algorithms need (seed, Newton steps, fix-up); they are not measured.
#include "ptx/machine_weight.h"

namespace duet::ptx {

Unit unit_of(const MicroOp& op) {
  switch (op.kind) {
    case Kind::Load:
    case Kind::Store:
    case Kind::Atomic:
    case Kind::Fence:
      return Unit::LoadStore;
    case Kind::Branch:
    case Kind::BranchIndexed:
    case Kind::Barrier:
    case Kind::Exit:
    case Kind::SystemCall:
    case Kind::Trap:
    case Kind::Nop:
      return Unit::Control;
    default:
      break;
  }
  const Type compared = op.opcode == Opcode::Setp || op.opcode == Opcode::Set ? op.source_type : op.type;
  switch (op.opcode) {
    case Opcode::Cvt:
      return op.type == Type::F64 || op.source_type == Type::F64 ? Unit::Double
             : is_float(op.type) || is_float(op.source_type)     ? Unit::Conversion
                                                                 : Unit::Integer;
    case Opcode::Rcp:
    case Opcode::Sqrt:
    case Opcode::Rsqrt:
    case Opcode::Sin:
    case Opcode::Cos:
    case Opcode::Lg2:
    case Opcode::Ex2:
    case Opcode::Tanh:
      return op.type == Type::F64 ? Unit::Double : Unit::SpecialFunction;
    case Opcode::Popc:
    case Opcode::Bfind:
    case Opcode::Clz:
    case Opcode::Brev:
      return Unit::Conversion;  // quarter rate, on the units that convert
    case Opcode::Shfl:
      return Unit::LoadStore;
    case Opcode::Mov:
    case Opcode::Selp:
    case Opcode::Pack:
    case Opcode::Unpack:
      return Unit::Integer;
    case Opcode::Mul:
    case Opcode::Mad:
    case Opcode::Mul24:
    case Opcode::Mad24:
    case Opcode::Dp4a:
    case Opcode::Dp2a:
      if (!is_float(op.type)) return Unit::IntegerMultiply;
      break;
    default:
      break;
  }
  switch (compared) {
    case Type::F64:
      return Unit::Double;
    case Type::F32:
      return Unit::Float;
    case Type::F16:
    case Type::F16x2:
    case Type::BF16:
    case Type::BF16x2:
      return Unit::Half;
    default:
      return Unit::Integer;
  }
}

unsigned machine_instructions_of(const MicroOp& op, bool power_of_two_multiplier) {
  const bool wide = type_bytes(op.type) == 8;
  const bool wide_integer = wide && op.type != Type::F64;
  switch (op.opcode) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Mov:
    case Opcode::Selp:
    case Opcode::Neg:
    case Opcode::Cvta:
    case Opcode::Pack:
    case Opcode::Unpack:
      return wide_integer || (op.opcode == Opcode::Mov && wide) ? 2 : 1;
    case Opcode::Setp:
      return type_bytes(op.source_type) == 8 && op.source_type != Type::F64 ? 2 : 1;
    case Opcode::Set:
    case Opcode::Slct:
      return 2;
    case Opcode::Min:
    case Opcode::Max:
      return op.type == Type::F64 ? 6 : wide ? 4 : 1;  // compare and two selects
    case Opcode::Abs:
      return wide_integer ? 4 : 1;
    case Opcode::Shl:
    case Opcode::Shr:
      return wide ? 3 : 1;  // SHF.L.U64.HI and the low half, with a clamp
    case Opcode::Mul:
      if (op.product == Product::Wide) return 1;  // IMAD.WIDE
      if (op.product == Product::High) return wide_integer ? 11 : 1;
      if (!wide_integer) return 1;
      return power_of_two_multiplier ? 2 : 4;
    case Opcode::Mad:
      if (op.product == Product::Wide) return 1;
      if (op.product == Product::High) return wide_integer ? 13 : 2;
      if (!wide_integer) return 1;
      return power_of_two_multiplier ? 2 : 4;  // LEA, LEA.HI.X
    case Opcode::Mul24:
    case Opcode::Mad24:
      return 3;  // two field extractions; the multiplier has 32 bits
    case Opcode::Sad:
      return wide ? 6 : 3;
    case Opcode::Div:
      if (op.type == Type::F64) return 26;
      if (op.type == Type::F32) return op.approximate ? 5 : 10;
      if (is_float(op.type)) return 4;
      return wide ? 80 : 22;
    case Opcode::Rem:
      return wide ? 84 : 24;
    case Opcode::Rcp:
      return op.type == Type::F64 ? (op.approximate ? 1 : 12) : op.approximate ? 1 : 6;
    case Opcode::Sqrt:
      return op.type == Type::F64 ? 18 : op.approximate ? 3 : 9;
    case Opcode::Rsqrt:
      return op.type == Type::F64 ? 2 : 1;
    case Opcode::Sin:
    case Opcode::Cos:
      return 2;  // range reduction and MUFU
    case Opcode::Lg2:
    case Opcode::Ex2:
      return op.flush_to_zero ? 1 : 4;  // scaling of subnormals around MUFU
    case Opcode::Popc:
    case Opcode::Clz:
    case Opcode::Brev:
      return wide ? 3 : 2;
    case Opcode::Bfind:
      return wide ? 4 : 1;
    case Opcode::Bfe:
    case Opcode::Bfi:
      return wide ? 12 : 3;
    case Opcode::Fns:
      return 40;
    case Opcode::Szext:
    case Opcode::Bmsk:
      return 2;
    case Opcode::Vabsdiff2:
    case Opcode::Vabsdiff4:
      return 8;
    case Opcode::Copysign:
      return wide ? 2 : 1;
    case Opcode::Testp:
      return wide ? 4 : 2;
    case Opcode::Cvt:
      return 1;
    case Opcode::Match:
      return wide ? 4 : 2;
    case Opcode::SystemCall:
      return 20;  // the call, its register moves and the entry of the routine
    default:
      return 1;
  }
}

}  // namespace duet::ptx
