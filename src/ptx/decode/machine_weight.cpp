// How many machine instructions one PTX instruction becomes, for statistics and as weight in timing models,
// where a number in the table of opcodes does not say it.
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

namespace duet::ptx::weights {

namespace {

bool is_wide(const MicroOp& op) { return type_bytes(op.type) == 8; }
bool is_wide_integer(const MicroOp& op) { return is_wide(op) && op.type != Type::F64; }
bool is_immediate(const MicroOp& op, unsigned source) {
  return op.source_count > source && op.sources[source].bank == Bank::Immediate;
}

}  // namespace

// ---- arithmetic ----

unsigned sum(const MicroOp& op, bool) {
  if (op.saturate && !is_float(op.type)) return 5;
  return is_wide_integer(op) || op.type == Type::F16 ? 2 : 1;
}
unsigned negation(const MicroOp& op, bool) { return is_wide_integer(op) || op.type == Type::F16 ? 2 : 1; }
unsigned absolute(const MicroOp& op, bool) { return is_float(op.type) ? 1 : is_wide(op) ? 5 : 2; }
unsigned extremum(const MicroOp& op, bool) {
  return op.type == Type::F64 ? 7 : is_wide(op) ? 4 : type_bytes(op.type) == 2 ? 3 : 1;
}
unsigned fused(const MicroOp& op, bool) { return op.type == Type::F16 ? 2 : 1; }

unsigned product(const MicroOp& op, bool power_of_two) {
  if (is_float(op.type)) return op.type == Type::F16 ? 2 : 1;
  const bool wide = is_wide(op);
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

unsigned division(const MicroOp& op, bool) {
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

unsigned reciprocal(const MicroOp& op, bool) {
  if (op.type == Type::F64) return op.approximate ? 2 : 17;
  return !op.approximate ? 16 : op.flush_to_zero ? 1 : 7;
}
unsigned root(const MicroOp& op, bool) {
  if (op.type == Type::F64) return 25;
  return !op.approximate ? 16 : op.flush_to_zero ? 1 : 4;
}
unsigned reciprocal_root(const MicroOp& op, bool) {
  if (op.type == Type::F64) return op.flush_to_zero ? 2 : 18;
  return op.flush_to_zero ? 1 : 4;
}
// Logarithm and exponential: subnormals are scaled around MUFU.
unsigned scaled(const MicroOp& op, bool) { return op.flush_to_zero ? 1 : 4; }

unsigned test_property(const MicroOp& op, bool) {
  switch (static_cast<TestpMode>(op.mode)) {
    case TestpMode::Normal:
      return is_wide(op) ? 7 : 4;
    case TestpMode::Subnormal:
      return is_wide(op) ? 6 : 3;
    default:
      return is_wide(op) ? 3 : 2;
  }
}

// ---- bits ----

unsigned find_bit(const MicroOp& op, bool) { return is_wide(op) ? (is_signed(op.type) ? 15 : 8) : 1; }
unsigned extract(const MicroOp& op, bool) {
  if (is_wide(op)) return is_signed(op.type) ? 15 : 8;
  return is_immediate(op, 1) && is_immediate(op, 2) ? 2 : 5;
}
unsigned insert(const MicroOp& op, bool) {
  if (is_wide(op)) return 12;
  return is_immediate(op, 2) && is_immediate(op, 3) ? 2 : 6;
}
unsigned shift(const MicroOp& op, bool) {
  if (type_bytes(op.type) == 2) return is_signed(op.type) ? 5 : 4;
  return is_wide(op) ? 2 : 1;
}

// The machine has vabsdiff4 of unsigned bytes and tricks for some others; the rest take their parts and
// fields out, one by one. The rows that were measured stand for their like.
unsigned video(const MicroOp& op, bool) {
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

// ---- comparison and conversion ----

unsigned compare_to_predicate(const MicroOp& op, bool) {
  return type_bytes(op.source_type) == 8 && op.source_type != Type::F64 ? 2 : 1;
}
unsigned compare(const MicroOp& op, bool) {
  return is_float(op.type) == is_float(op.source_type) ? (is_float(op.type) ? 1 : 2) : 4;
}

unsigned conversion(const MicroOp& op, bool) {
  if (is_float(op.type) || is_float(op.source_type)) return 1;
  const unsigned to = type_bytes(op.type), from = type_bytes(op.source_type);
  if (op.saturate) return to == 1 ? 2 : 1;
  if (to == 8 && from == 8) return 2;
  if (from == 8) return to == 4 ? 0 : 1;  // the low register, as it is
  if (to == 8) return is_signed(op.source_type) ? (from == 4 ? 1 : 3) : 1;
  return 1;
}

// ---- exchange and memory ----

unsigned vote(const MicroOp& op, bool) { return static_cast<VoteMode>(op.mode) == VoteMode::Ballot ? 1 : 2; }
unsigned match(const MicroOp& op, bool) { return static_cast<MatchMode>(op.mode) == MatchMode::Any ? 1 : 4; }

unsigned atomic(const MicroOp& op, bool) {
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

unsigned fence(const MicroOp& op, bool) { return op.scope == MemoryScope::Cta ? 1 : 3; }

}  // namespace duet::ptx::weights
