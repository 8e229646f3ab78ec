// Floating-point arithmetic in the common case: round to nearest, no modifiers. Square root, reciprocal and
// division .approx are the correctly rounded operations, within PTX's error bounds. Source: PTX ISA 9.0,
// section 9.7.3.
#include "ptx/semantics/lanes/float_operations.h"

namespace duet::ptx::DUET_LANES {
namespace {

template <typename T>
Handlers plain(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
      return elementwise_of<Plain<T, AddOf<T>>>();
    case Opcode::Sub:
      return elementwise_of<Plain<T, SubtractOf<T>>>();
    case Opcode::Mul:
      return elementwise_of<Plain<T, MultiplyOf<T>>>();
    case Opcode::Fma:
    case Opcode::Mad:
      return elementwise_of<Plain<T, FmaOf<T>>>();
    case Opcode::Div:
      return elementwise_of<Plain<T, DivideOf<T>>>();
    case Opcode::Sqrt:
      return elementwise_of<Plain<T, SquareRootOf<T>>>();
    case Opcode::Rcp:
      return elementwise_of<Plain<T, ReciprocalOf<T>>>();
    case Opcode::Min:
      return elementwise_of<Plain<T, PickOf<T, false>>>();
    case Opcode::Max:
      return elementwise_of<Plain<T, PickOf<T, true>>>();
    default:
      return {};
  }
}

}  // namespace

Handlers float_handlers(const MicroOp& op) {
  if (!plain_float(op) || directed_rounding(op) || op.carry_in || op.carry_out) return {};
  if (op.type == Type::F32) return plain<float>(op.opcode);
  if (op.type == Type::F64 && !op.approximate) return plain<double>(op.opcode);
  return {};
}

}  // namespace duet::ptx::DUET_LANES
