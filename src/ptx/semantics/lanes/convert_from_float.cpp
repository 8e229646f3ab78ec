// Conversions of floating-point values to integers: values beyond the destination's range are clamped to it.
// A NaN gives zero, or the top bit alone when the source is f64 or the destination has 64 bits. Source: PTX
// ISA 9.0, cvt.
#include "ptx/semantics/lanes/convert.h"

namespace duet::ptx::DUET_LANES {
namespace {

template <typename From, typename To>
inline To integer_of(Arithmetic<From> value) {
  using A = Arithmetic<From>;
  constexpr To kMin = std::numeric_limits<To>::min(), kMax = std::numeric_limits<To>::max();
  constexpr A kLow = static_cast<A>(kMin);
  constexpr A kBeyond = static_cast<A>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * 2;
  constexpr To kNan = std::is_same_v<From, double> || sizeof(To) == 8
                          ? static_cast<To>(std::uint64_t{1} << (sizeof(To) * 8 - 1))
                          : To{0};
  const bool inside = value >= kLow && value < kBeyond;
  const A safe = inside ? value : A{0};
  To converted;
  if constexpr (sizeof(To) == 8)
    converted = static_cast<To>(safe);
  else if constexpr (std::is_same_v<To, std::uint32_t>)
    converted = static_cast<To>(static_cast<std::int64_t>(safe));
  else
    converted = static_cast<To>(static_cast<std::int32_t>(safe));
  const To outside = value < kLow ? kMin : value != value ? kNan : kMax;
  return inside ? converted : outside;
}

template <typename From, typename To>
struct TruncateToInteger {
  To operator()(From a) const {
    const Arithmetic<From> value = to_arithmetic(a);
    return integer_of<From, To>(std::trunc(value));
  }
};
template <typename From, typename To>
struct ToInteger {
  Input<Arithmetic<From>> input;
  Rounding rounding;
  explicit ToInteger(const MicroOp& op) : input(op.sources[0], flushes<From>(op)), rounding(op.rounding) {}
  To operator()(From a) const {
    return integer_of<From, To>(round_to_integral(input(to_arithmetic(a)), rounding));
  }
};

template <typename From>
Handlers converted(const MicroOp& op) {
  const bool plain = op.rounding == Rounding::IntegerZero && !op.sources[0].negate && !op.sources[0].absolute;
  return for_convertible_integer(op.type, [&]<typename To>() {
    return plain ? elementwise_of<TruncateToInteger<From, To>>() : costly_of<ToInteger<From, To>>();
  });
}

}  // namespace

Handlers convert_from_float_handlers(const MicroOp& op) {
  if (op.opcode != Opcode::Cvt || is_float(op.type)) return {};
  switch (op.source_type) {
    case Type::F16:
      return converted<Half>(op);
    case Type::BF16:
      return converted<BFloat>(op);
    case Type::F32:
      if (op.rounding == Rounding::NearestAway) return {};
      return converted<float>(op);
    case Type::F64:
      return converted<double>(op);
    default:
      return {};
  }
}

}  // namespace duet::ptx::DUET_LANES
