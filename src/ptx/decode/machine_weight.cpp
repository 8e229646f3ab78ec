// How many machine instructions one PTX instruction becomes, for statistics and as weight in timing models.
// The numbers are measured for sm_75 with ptxas 13.0 by tests/assembler/measure_weights.py and stand in
// tests/assembler/weights_sm75.txt: inline code per use, rounded. Sequences with a slow path (division, root)
// count the inline code, in which the slow path's call stands too, and not the subroutine; division of 16-
// and 64-bit integers is a subroutine as a whole, so its body counts at every use. Shared atomics without an
// instruction of their own are compare-and-swap loops, counted as one turn.
// Not as measured: selp.b32, and.pred, widening cvt and cvt between 32 bits and fewer count one, though the
// assembler fuses some away (0) and sign-extends others in two. Not measured, but set like the nearest row:
// mad.hi.s64 (mul.hi.s64), mul and mad of 8 and 16 bits (mul.lo.s16), rem of 16 bits (div), vote.all and .uni
// (vote.any), shared 64-bit atomics other than add (add), isspacep and cvta of other windows, testp.subnormal
// of f64, bf16, and what PTX has from sm_80 on (one each); a call of the system is an estimate.
// Leaves out: what the assembler shares between instructions (a divisor's reciprocal, common constants),
// div.approx, which shares a flag with div.full and counts like it.
#include "ptx/decode/machine_weight.h"

#include "ptx/video.h"

namespace duet::ptx {

namespace {

bool is_immediate(const MicroOp& op, unsigned source) {
  return op.source_count > source && op.sources[source].bank == Bank::Immediate;
}

unsigned conversion(const MicroOp& op) {
  if (is_float(op.type) || is_float(op.source_type)) return 1;
  const unsigned to = type_bytes(op.type), from = type_bytes(op.source_type);
  if (op.saturate) return to == 1 ? 2 : 1;
  if (to == 8 && from == 8) return 2;
  if (from == 8) return to == 4 ? 0 : 1;  // the low register, as it is
  if (to == 8) return is_signed(op.source_type) ? (from == 4 ? 1 : 3) : 1;
  return 1;
}

unsigned product(const MicroOp& op, bool power_of_two) {
  const bool wide = type_bytes(op.type) == 8;
  const bool narrow = type_bytes(op.type) == 2;
  if (op.opcode == Opcode::Mul) {
    if (narrow) return 3;
    if (op.product == Product::Wide) return 1;  // IMAD.WIDE
    if (op.product == Product::High) return wide ? (is_signed(op.type) ? 17 : 7) : 1;
    return wide ? (power_of_two ? 3 : 4) : 1;
  }
  if (narrow) return 3;
  // IMAD.WIDE adds from the constant bank; a sum with registers is LEA and LEA.HI.X or two IADD3 behind it.
  if (op.product == Product::Wide) return op.sources[2].bank == Bank::Register ? (power_of_two ? 2 : 3) : 1;
  if (op.product == Product::High) return wide ? (is_signed(op.type) ? 17 : 7) : 1;
  return wide ? (power_of_two ? 4 : 5) : 1;
}

unsigned division(const MicroOp& op) {
  const bool rem = op.opcode == Opcode::Rem;
  if (op.type == Type::F64) return 26;
  if (op.type == Type::F32) {
    if (!op.approximate) return op.flush_to_zero ? 16 : 15;
    // .full scales the divisor, .approx does not; they share a flag, and compilers write .full.
    return op.flush_to_zero ? 5 : 8;
  }
  const bool is_s = is_signed(op.type);
  switch (type_bytes(op.type)) {
    case 8:
      return rem ? (is_s ? 82 : 68) : (is_s ? 88 : 72);
    case 2:
      return is_s ? 30 : 21;
    default:
      return rem ? (is_s ? 24 : 17) : (is_s ? 26 : 18);
  }
}

// The machine has vabsdiff4 of unsigned bytes and tricks for some others; the rest take their parts and
// fields out, one by one. The rows that were measured stand for their like.
unsigned video(const MicroOp& op) {
  const VideoForm form = VideoForm::of(op);
  const bool is_s = is_signed(op.source_type);
  switch (form.operation) {
    case VideoOperation::Add:
    case VideoOperation::Subtract:
      if (op.mode == 4) return op.saturate ? 43 : 4;
      if (op.mode == 2) return op.saturate ? 23 : 19;
      break;
    case VideoOperation::AbsoluteDifference:
      if (op.mode == 4) return is_s ? 35 : 1;
      if (op.mode == 2) return 11;
      break;
    case VideoOperation::Minimum:
    case VideoOperation::Maximum:
      if (op.mode == 1) return form.secondary == VideoSecondary::None ? 7 : 12;
      return op.mode == 4 ? 19 : 6;
    case VideoOperation::Average:
      return op.mode == 4 ? 31 : 25;
    case VideoOperation::Compare:
      return op.mode == 4 ? 27 : op.mode == 2 ? 23 : 10;
    case VideoOperation::ShiftLeft:
    case VideoOperation::ShiftRight:
      return 6;
    case VideoOperation::MultiplyAdd:
      break;
  }
  return 3 + (op.saturate ? 4 : 0) + (form.secondary == VideoSecondary::None ? 0 : 4);
}

unsigned atomic(const MicroOp& op) {
  if (op.space != StateSpace::Shared) return 1;
  switch (op.atomic_operation) {
    case AtomicOperation::Exchange:
    case AtomicOperation::CompareAndSwap:
      return 1;
    case AtomicOperation::Add:
      if (op.type == Type::U64 || op.type == Type::S64) return 10;
      if (op.type == Type::F64) return 9;
      return op.type == Type::F32 ? 8 : 1;
    default:
      return type_bytes(op.type) == 8 ? 10 : 1;
  }
}

}  // namespace

Unit unit_of(const MicroOp& op) {
  switch (op.kind) {
    case Kind::Load:
    case Kind::Store:
    case Kind::Atomic:
    case Kind::Image:
    case Kind::Fence:
      return Unit::LoadStore;
    case Kind::Branch:
    case Kind::BranchIndexed:
    case Kind::Call:
    case Kind::Return:
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
      if (op.saturate && !is_float(op.type)) return 5;
      return wide_integer ? 2 : op.type == Type::F16 ? 2 : 1;
    case Opcode::Neg:
      return wide_integer || op.type == Type::F16 ? 2 : 1;
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Selp:
    case Opcode::Cvta:
    case Opcode::Mov:
      return wide ? 2 : 1;
    case Opcode::Pack:
    case Opcode::Unpack:
      return wide ? 0 : 1;  // the two halves of a register pair
    case Opcode::Setp:
      return type_bytes(op.source_type) == 8 && op.source_type != Type::F64 ? 2 : 1;
    case Opcode::Set:
      return is_float(op.type) == is_float(op.source_type) ? (is_float(op.type) ? 1 : 2) : 4;
    case Opcode::Min:
    case Opcode::Max:
      return op.type == Type::F64 ? 7 : wide ? 4 : type_bytes(op.type) == 2 ? 3 : 1;
    case Opcode::Abs:
      return is_float(op.type) ? 1 : wide ? 5 : 2;
    case Opcode::Shl:
    case Opcode::Shr:
      if (type_bytes(op.type) == 2) return is_signed(op.type) ? 5 : 4;
      return wide ? 2 : 1;
    case Opcode::Mul:
    case Opcode::Mad:
      if (is_float(op.type)) return op.type == Type::F16 ? 2 : 1;
      return product(op, power_of_two_multiplier);
    case Opcode::Fma:
      return op.type == Type::F16 ? 2 : 1;
    case Opcode::Mul24:
    case Opcode::Mad24:
      return 3;  // two field extractions; the multiplier has 32 bits
    case Opcode::Sad:
      return wide ? 10 : 1;
    case Opcode::Div:
    case Opcode::Rem:
      return division(op);
    case Opcode::Rcp:
      if (op.type == Type::F64) return op.approximate ? 2 : 17;
      return !op.approximate ? 16 : op.flush_to_zero ? 1 : 7;
    case Opcode::Sqrt:
      if (op.type == Type::F64) return 25;
      return !op.approximate ? 16 : op.flush_to_zero ? 1 : 4;
    case Opcode::Rsqrt:
      if (op.type == Type::F64) return op.flush_to_zero ? 2 : 18;
      return op.flush_to_zero ? 1 : 4;
    case Opcode::Sin:
    case Opcode::Cos:
      return 2;  // range reduction and MUFU
    case Opcode::Lg2:
    case Opcode::Ex2:
      return op.flush_to_zero ? 1 : 4;  // scaling of subnormals around MUFU
    case Opcode::Popc:
      return wide ? 3 : 1;
    case Opcode::Clz:
      return wide ? 6 : 2;
    case Opcode::Brev:
      return wide ? 2 : 1;
    case Opcode::Bfind:
      return wide ? (is_signed(op.type) ? 15 : 8) : 1;
    case Opcode::Bfe:
      if (wide) return is_signed(op.type) ? 15 : 8;
      return is_immediate(op, 1) && is_immediate(op, 2) ? 2 : 5;
    case Opcode::Bfi:
      if (wide) return 12;
      return is_immediate(op, 2) && is_immediate(op, 3) ? 2 : 6;
    case Opcode::Fns:
      return 53;
    case Opcode::Video:
      return video(op);
    case Opcode::Testp:
      switch (static_cast<TestpMode>(op.mode)) {
        case TestpMode::Normal:
          return wide ? 7 : 4;
        case TestpMode::Subnormal:
          return wide ? 6 : 3;
        default:
          return wide ? 3 : 2;
      }
    case Opcode::Cnot:
      return wide ? 5 : 3;
    case Opcode::Cvt:
      return conversion(op);
    case Opcode::Vote:
      return static_cast<VoteMode>(op.mode) == VoteMode::Ballot ? 1 : 2;
    case Opcode::Match:
      return static_cast<MatchMode>(op.mode) == MatchMode::Any ? 1 : 4;
    case Opcode::Atom:
    case Opcode::Red:
      return atomic(op);
    case Opcode::Membar:
      return op.scope == MemoryScope::Cta ? 1 : 3;
    case Opcode::SystemCall:
      return 20;  // an estimate: the call, its register moves and the entry of the routine
    default:
      return 1;
  }
}

}  // namespace duet::ptx
