// Conversions to floating-point formats, from integers and from other formats, under every rounding.
// MicroOp::mode bit 0 is .relu (negative results become +0), bit 1 .satfinite. Source: PTX ISA 9.0, cvt.
#include "ptx/semantics/lanes/convert.h"

namespace duet::ptx::DUET_LANES {
namespace {

// Round to nearest is what the host does.
template <typename From, typename To>
struct NativeFromInteger {
  To operator()(From a) const { return static_cast<To>(a); }
};
template <typename T>
inline T from_encoding(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>(static_cast<Bits<T>>(bits));
  else
    return T{static_cast<std::uint16_t>(bits)};
}

// .sat, .relu and .satfinite on the encoded result.
struct Limits {
  bool saturate, relu, finite;
  explicit Limits(const MicroOp& op) : saturate(op.saturate), relu(op.mode & 1), finite(op.mode & 2) {}
};
template <typename To>
inline To finish(To value, const Limits& limits) {
  if (!limits.saturate && !limits.relu && !limits.finite) return value;
  const auto x = to_arithmetic(value);
  if (limits.relu && x < 0) return To{};
  if constexpr (!std::is_floating_point_v<To>)
    if (limits.finite && std::isinf(x)) return To{static_cast<std::uint16_t>(value.bits - 1)};
  if (!limits.saturate) return value;
  if (!(x > 0)) return To{};
  return x < 1 ? value : from_encoding<To>(encode<To>(1.0, Rounding::NearestEven));
}

template <typename From, typename To>
struct FromInteger {
  Rounding rounding;
  Limits limits;
  explicit FromInteger(const MicroOp& op) : rounding(op.rounding), limits(op) {}
  To operator()(From a) const {
    if (a == 0) return To{};
    const bool negative = a < 0;
    const std::uint64_t magnitude =
        negative ? 0 - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
    return finish(from_encoding<To>(round_to_format<Format<To>::kExponentBits, Format<To>::kMantissaBits>(
                      negative, magnitude, 0, rounding)),
                  limits);
  }
};

template <typename From, typename To>
struct FromFloat {
  Input<Arithmetic<From>> input;
  Rounding rounding;
  bool flush;
  Limits limits;
  explicit FromFloat(const MicroOp& op)
      : input(op.sources[0], flushes<From>(op)), rounding(op.rounding), flush(flushes<To>(op)), limits(op) {}
  To operator()(From a) const {
    const double value = round_to_integral(static_cast<double>(input(to_arithmetic(a))), rounding);
    To result = from_encoding<To>(encode<To>(value, rounding));
    if constexpr (std::is_same_v<To, float>)
      if (flush && std::fabs(result) < std::numeric_limits<float>::min())
        result = std::copysign(0.0f, result);
    if constexpr (std::is_same_v<To, double>)
      if (value != value) result = value;  // the payload stays
    return finish(result, limits);
  }
};

template <Rounding R>
struct IntegralFloat {
  float operator()(float a) const { return round_to_integral(a, R); }
};
struct Widen {
  double operator()(float a) const { return a; }
};
struct WidenHalf {
  float operator()(Half a) const { return settle_nan(to_float(a)); }
};
struct Narrow {
  float operator()(double a) const { return settle_nan(static_cast<float>(a)); }
};

// d = the pair of two rounded values, the first in the upper half.
template <typename H>
struct PairFromFloats {
  Rounding rounding;
  Input<float> upper, lower;
  Limits limits;
  explicit PairFromFloats(const MicroOp& op)
      : rounding(op.rounding), upper(op.sources[0], false), lower(op.sources[1], false), limits(op) {}
  std::uint32_t operator()(float a, float b) const {
    const H high = finish(to_half<H>(upper(a), rounding), limits);
    const H low = finish(to_half<H>(lower(b), rounding), limits);
    return std::uint32_t{high.bits} << 16 | low.bits;
  }
};
// tf32: an f32 whose lower 13 mantissa bits are zero.
struct ToTensorFloat {
  Rounding rounding;
  Limits limits;
  explicit ToTensorFloat(const MicroOp& op) : rounding(op.rounding), limits(op) {}
  std::uint32_t operator()(float a) const {
    if (a != a) return 0x7fffffffu;
    if (limits.relu && a < 0) return 0;
    const auto bits = std::bit_cast<std::uint32_t>(a);
    if (a == 0) return bits;
    constexpr std::uint32_t kInfinity = 0x7f800000u >> 13;
    const std::uint32_t exponent = (bits >> 23) & 0xff, mantissa = bits & 0x7fffff;
    std::uint32_t magnitude = kInfinity;
    if (!std::isinf(a))
      magnitude = static_cast<std::uint32_t>(
          round_to_format<8, 10>(false, exponent ? mantissa | 0x800000 : mantissa,
                                 static_cast<int>(exponent ? exponent : 1) - 150, rounding));
    if (limits.finite && magnitude == kInfinity) --magnitude;
    return magnitude << 13 | (bits & 0x80000000u);
  }
};

template <typename To>
Handlers from_integer(const MicroOp& op) {
  const bool nearest = op.rounding == Rounding::NearestEven || op.rounding == Rounding::None;
  return for_convertible_integer(op.source_type, [&]<typename From>() {
    if constexpr (std::is_floating_point_v<To>)
      if (nearest && !op.saturate && op.mode == 0) return elementwise_of<NativeFromInteger<From, To>>();
    return costly_of<FromInteger<From, To>>();
  });
}

template <typename To>
Handlers from_any(const MicroOp& op) {
  const bool plain =
      !op.saturate && !op.flush_to_zero && op.mode == 0 && !op.sources[0].negate && !op.sources[0].absolute;
  const bool nearest = op.rounding == Rounding::NearestEven || op.rounding == Rounding::None;
  switch (op.source_type) {
    case Type::F16:
      if constexpr (std::is_same_v<To, float>)
        if (plain && nearest) return elementwise_of<WidenHalf>();
      return costly_of<FromFloat<Half, To>>();
    case Type::BF16:
      return costly_of<FromFloat<BFloat, To>>();
    case Type::F32:
      if constexpr (std::is_same_v<To, double>)
        if (plain && nearest) return elementwise_of<Widen>();
      if constexpr (std::is_same_v<To, float>) {
        if (op.mode != 0) return {};
        if (op.rounding == Rounding::IntegerNearestEven)
          return elementwise_of<General<float, IntegralFloat<Rounding::IntegerNearestEven>>>();
        if (op.rounding == Rounding::IntegerZero)
          return elementwise_of<General<float, IntegralFloat<Rounding::IntegerZero>>>();
        if (op.rounding == Rounding::IntegerMinusInfinity)
          return elementwise_of<General<float, IntegralFloat<Rounding::IntegerMinusInfinity>>>();
        if (op.rounding == Rounding::IntegerPlusInfinity)
          return elementwise_of<General<float, IntegralFloat<Rounding::IntegerPlusInfinity>>>();
        return elementwise_of<General<float, IntegralFloat<Rounding::None>>>();
      }
      return costly_of<FromFloat<float, To>>();
    case Type::F64:
      if constexpr (std::is_same_v<To, float>)
        if (plain && nearest) return elementwise_of<Narrow>();
      return costly_of<FromFloat<double, To>>();
    case Type::F16x2:
    case Type::BF16x2:
      return {};
    default:
      return from_integer<To>(op);
  }
}

}  // namespace

Handlers convert_float_handlers(const MicroOp& op) {
  if (op.opcode != Opcode::Cvt) return {};
  switch (op.type) {
    case Type::F16:
      return from_any<Half>(op);
    case Type::BF16:
      return from_any<BFloat>(op);
    case Type::F32:
      return from_any<float>(op);
    case Type::F64:
      return from_any<double>(op);
    case Type::F16x2:
      return op.source_type == Type::F32 && op.source_count == 2 ? costly_of<PairFromFloats<Half>>()
                                                                 : Handlers{};
    case Type::BF16x2:
      return op.source_type == Type::F32 && op.source_count == 2 ? costly_of<PairFromFloats<BFloat>>()
                                                                 : Handlers{};
    case Type::TF32:
      return op.source_type == Type::F32 ? costly_of<ToTensorFloat>() : Handlers{};
    default:
      return {};
  }
}

}  // namespace duet::ptx::DUET_LANES
