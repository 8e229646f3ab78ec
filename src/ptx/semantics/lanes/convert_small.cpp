// Conversions to and from pairs of 8-bit floating-point numbers: e4m3 has neither infinity nor more than one
// NaN, e5m2 is binary16 with its fraction cut. Both only saturate to the largest finite number. MicroOp::mode
// bit 0 is .relu. Source: PTX ISA 9.0, cvt; OCP 8-bit Floating Point Specification (OFP8).
#include "ptx/semantics/lanes/convert.h"

namespace duet::ptx::DUET_LANES {

struct E4M3 {};
struct E5M2 {};
// With a five-bit exponent, whose values are 2^-8 of e4m3's.
template <>
struct Format<E4M3> {
  static constexpr unsigned kExponentBits = 5, kMantissaBits = 3;
};
template <>
struct Format<E5M2> {
  static constexpr unsigned kExponentBits = 5, kMantissaBits = 2;
};

namespace {

template <typename T>
struct Small;
template <>
struct Small<E4M3> {
  static constexpr double kScale = 0x1p-8;
  static constexpr std::uint64_t kLargest = 0x7e;
};
template <>
struct Small<E5M2> {
  static constexpr double kScale = 1;
  static constexpr std::uint64_t kLargest = 0x7b;
};

template <typename T>
inline std::uint32_t to_small(double value, bool relu) {
  if (value != value) return 0x7f;
  if (relu && value < 0) return 0;
  const std::uint32_t sign = std::signbit(value) ? 0x80 : 0;
  const std::uint64_t bits = encode<T>(std::fabs(value) * Small<T>::kScale, Rounding::NearestEven);
  return sign | static_cast<std::uint32_t>(bits < Small<T>::kLargest ? bits : Small<T>::kLargest);
}
inline Half to_half_float(E4M3, std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7f;
  if (magnitude == 0x7f) return Half{0x7fff};
  // The significand is an integer of four bits: exact in every step.
  const std::uint32_t exponent = magnitude >> 3, mantissa = magnitude & 7;
  const double value =
      std::ldexp(exponent ? mantissa + 8 : mantissa, static_cast<int>(exponent ? exponent : 1) - 10);
  return to_half<Half>(bits & 0x80 ? -value : value);
}
inline Half to_half_float(E5M2, std::uint32_t bits) {
  if ((bits & 0x7f) > 0x7c) return Half{0x7fff};
  return Half{static_cast<std::uint16_t>(bits << 8)};
}

template <typename T>
struct SmallFromFloats {
  bool relu;
  explicit SmallFromFloats(const MicroOp& op) : relu(op.mode & 1) {}
  std::uint32_t operator()(float a, float b) const {
    return to_small<T>(a, relu) << 8 | to_small<T>(b, relu);
  }
};
template <typename T>
struct SmallFromHalves {
  bool relu;
  explicit SmallFromHalves(const MicroOp& op) : relu(op.mode & 1) {}
  std::uint32_t operator()(std::uint32_t a) const {
    return to_small<T>(to_float(Half{static_cast<std::uint16_t>(a >> 16)}), relu) << 8 |
           to_small<T>(to_float(Half{static_cast<std::uint16_t>(a)}), relu);
  }
};
template <typename T>
struct HalvesFromSmall {
  bool relu;
  explicit HalvesFromSmall(const MicroOp& op) : relu(op.mode & 1) {}
  std::uint32_t operator()(std::uint32_t a) const { return one(a >> 8 & 0xff) << 16 | one(a & 0xff); }
  std::uint32_t one(std::uint32_t bits) const {
    const std::uint32_t half = to_half_float(T{}, bits).bits;
    return relu && (half & 0x8000) != 0 && (half & 0x7fff) <= 0x7c00 ? 0 : half;
  }
};

template <typename T>
Handlers to_pair_of(Type from) {
  if (from == Type::F32) return costly_of<SmallFromFloats<T>>();
  return from == Type::F16x2 ? costly_of<SmallFromHalves<T>>() : Handlers{};
}

}  // namespace

Handlers convert_small_handlers(const MicroOp& op) {
  if (op.opcode != Opcode::Cvt) return {};
  if (op.type == Type::E4M3x2) return to_pair_of<E4M3>(op.source_type);
  if (op.type == Type::E5M2x2) return to_pair_of<E5M2>(op.source_type);
  if (op.type != Type::F16x2) return {};
  if (op.source_type == Type::E4M3x2) return costly_of<HalvesFromSmall<E4M3>>();
  if (op.source_type == Type::E5M2x2) return costly_of<HalvesFromSmall<E5M2>>();
  return {};
}

}  // namespace duet::ptx::DUET_LANES
