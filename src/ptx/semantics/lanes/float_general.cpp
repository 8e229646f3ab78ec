// Floating-point arithmetic, round to nearest, with operand modifiers, .ftz, .sat, .NaN, .xorsign.abs.
// Source: PTX ISA 9.0, section 9.7.3.
#include "ptx/semantics/lanes/float_operations.h"

namespace duet::ptx::DUET_LANES {
namespace {

// neg and abs. Of a NaN, too, the sign is changed.
template <typename T, bool Absolute>
class ChangeSign {
 public:
  explicit ChangeSign(const MicroOp& op) : input_(op.sources[0], op.flush_to_zero) {}
  T operator()(T a) const {
    const auto bits = std::bit_cast<Bits<T>>(input_(a));
    const T result = std::bit_cast<T>(Absolute ? bits & ~kSignBit<T> : bits ^ kSignBit<T>);
    return settle_nan(result, result);
  }

 private:
  Input<T> input_;
};
// div.approx: divisors beyond 2^126 have subnormal reciprocals, which count as zero.
struct ApproximateDivide {
  float operator()(float a, float b) const {
    const float magnitude = std::fabs(b);
    const bool large = magnitude > 0x1p126f && magnitude <= std::numeric_limits<float>::max();
    return large ? a * std::copysign(0.0f, b) : a / b;
  }
};
// min and max of three.
template <typename T, bool Maximum>
struct PickOfThree {
  PickWithMode<T, Maximum> pick;
  explicit PickOfThree(const MicroOp& op) : pick(op) {}
  T operator()(T a, T b, T c) const { return pick(pick(a, b), c); }
};

template <typename T>
Handlers general(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::Add:
      return elementwise_of<General<T, AddOf<T>>>();
    case Opcode::Sub:
      return elementwise_of<General<T, SubtractOf<T>>>();
    case Opcode::Mul:
      return elementwise_of<General<T, MultiplyOf<T>>>();
    case Opcode::Fma:
    case Opcode::Mad:
      return elementwise_of<General<T, FmaOf<T>>>();
    case Opcode::Div:
      if constexpr (sizeof(T) == 4)
        if (op.mode & 1) return elementwise_of<General<T, ApproximateDivide>>();
      return elementwise_of<General<T, DivideOf<T>>>();
    case Opcode::Sqrt:
      return elementwise_of<General<T, SquareRootOf<T>>>();
    case Opcode::Rcp:
      return elementwise_of<General<T, ReciprocalOf<T>>>();
    case Opcode::Min:
      if (op.source_count == 3) return elementwise_of<General<T, PickOfThree<T, false>>>();
      return elementwise_of<General<T, PickWithMode<T, false>>>();
    case Opcode::Max:
      if (op.source_count == 3) return elementwise_of<General<T, PickOfThree<T, true>>>();
      return elementwise_of<General<T, PickWithMode<T, true>>>();
    case Opcode::Neg:
      return elementwise_of<ChangeSign<T, false>>();
    case Opcode::Abs:
      return elementwise_of<ChangeSign<T, true>>();
    case Opcode::Copysign:  // the sign of a on the magnitude of b
      return elementwise([](T a, T b) { return std::copysign(b, a); });
    default:
      return {};
  }
}

}  // namespace

Handlers float_general_handlers(const MicroOp& op) {
  if (directed_rounding(op) || op.carry_in || op.carry_out) return {};
  if (op.type == Type::F32) return general<float>(op);
  if (op.type == Type::F64 && !op.approximate) return general<double>(op);
  return {};
}

}  // namespace duet::ptx::DUET_LANES
