// Approximate functions and floating-point classification. Single-precision functions are computed by the C
// library in double precision and rounded once, so their error is half a unit in the last place, within every
// bound that PTX states; double-precision .approx reciprocals follow PTX's description of 20-bit mantissas.
// Source: PTX ISA 9.0, section 9.7.3.
#include "ptx/semantics/lanes/compare.h"
#include "ptx/semantics/lanes/float_operations.h"

namespace duet::ptx::DUET_LANES {
namespace {

struct Sine {
  float operator()(float a) const { return static_cast<float>(std::sin(static_cast<double>(a))); }
};
struct Cosine {
  float operator()(float a) const { return static_cast<float>(std::cos(static_cast<double>(a))); }
};
struct Logarithm2 {
  float operator()(float a) const { return static_cast<float>(std::log2(static_cast<double>(a))); }
};
struct Exponential2 {
  float operator()(float a) const { return static_cast<float>(std::exp2(static_cast<double>(a))); }
};
struct HyperbolicTangent {
  float operator()(float a) const { return static_cast<float>(std::tanh(static_cast<double>(a))); }
};
struct ReciprocalSquareRoot {
  float operator()(float a) const { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); }
};
struct DoubleReciprocalSquareRoot {
  double operator()(double a) const { return 1.0 / std::sqrt(a); }
};
// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: only the upper 32 bits of operand and result count.
inline double upper_word(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000ull);
}
struct GrossReciprocal {
  double operator()(double a) const { return upper_word(1.0 / upper_word(a)); }
};
struct GrossReciprocalSquareRoot {
  double operator()(double a) const { return upper_word(1.0 / std::sqrt(upper_word(a))); }
};

// The named class of a value (testp).
template <typename T, TestpMode Mode>
struct IsClass {
  bool operator()(T a) const {
    const T magnitude = std::fabs(a);
    constexpr T kInfinity = std::numeric_limits<T>::infinity(), kNormal = std::numeric_limits<T>::min();
    switch (Mode) {
      case TestpMode::Finite:
        return magnitude < kInfinity;
      case TestpMode::Infinite:
        return magnitude == kInfinity;
      case TestpMode::Number:
        return a == a;
      case TestpMode::NotANumber:
        return a != a;
      case TestpMode::Normal:  // as PTX has it, zeros are normal
        return (magnitude >= kNormal && magnitude < kInfinity) || magnitude == 0;
      case TestpMode::Subnormal:
        return magnitude < kNormal && magnitude > 0;
    }
    return false;
  }
};
template <typename T>
Handlers classify(const MicroOp& op) {
  switch (static_cast<TestpMode>(op.mode)) {
    case TestpMode::Finite:
      return comparison_of<IsClass<T, TestpMode::Finite>>(op);
    case TestpMode::Infinite:
      return comparison_of<IsClass<T, TestpMode::Infinite>>(op);
    case TestpMode::Number:
      return comparison_of<IsClass<T, TestpMode::Number>>(op);
    case TestpMode::NotANumber:
      return comparison_of<IsClass<T, TestpMode::NotANumber>>(op);
    case TestpMode::Normal:
      return comparison_of<IsClass<T, TestpMode::Normal>>(op);
    case TestpMode::Subnormal:
      return comparison_of<IsClass<T, TestpMode::Subnormal>>(op);
  }
  return {};
}

Handlers single_precision(Opcode opcode) {
  switch (opcode) {
    case Opcode::Sin:
      return costly_of<General<float, Sine>>();
    case Opcode::Cos:
      return costly_of<General<float, Cosine>>();
    case Opcode::Lg2:
      return costly_of<General<float, Logarithm2>>();
    case Opcode::Ex2:
      return costly_of<General<float, Exponential2>>();
    case Opcode::Tanh:
      return costly_of<General<float, HyperbolicTangent>>();
    case Opcode::Rsqrt:
      return elementwise_of<General<float, ReciprocalSquareRoot>>();
    default:
      return {};
  }
}

}  // namespace

Handlers float_function_handlers(const MicroOp& op) {
  if (op.opcode == Opcode::Testp) {
    if (op.type == Type::F32) return classify<float>(op);
    return op.type == Type::F64 ? classify<double>(op) : Handlers{};
  }
  if (op.type == Type::F32) return single_precision(op.opcode);
  if (op.type != Type::F64) return {};
  if (op.opcode == Opcode::Rcp && op.approximate) return costly_of<General<double, GrossReciprocal>>();
  if (op.opcode == Opcode::Rsqrt)
    return op.flush_to_zero ? costly_of<General<double, GrossReciprocalSquareRoot>>()
                            : costly_of<General<double, DoubleReciprocalSquareRoot>>();
  return {};
}

}  // namespace duet::ptx::DUET_LANES
