// Scalar and SIMD video instructions, cvt.pack, and integer arithmetic on pairs of 16-bit numbers. Source:
// PTX ISA 9.0, sections 9.7.1, 9.7.9, 9.7.18 and 9.7.19. Where the manual leaves the width of an intermediate
// result open (.min and .max of values too large for the result's type), it is exact.
#include "ptx/video.h"

#include "ptx/semantics/lanes/lanes.h"

namespace duet::ptx::DUET_LANES {
namespace {

using U32 = std::uint32_t;
__extension__ using Wide = __int128;

template <typename T>
inline T clamp(T value, T low, T high) {
  return value < low ? low : value > high ? high : value;
}
// The limits of a number of `bits` bits.
inline std::int64_t lowest(unsigned bits, bool is_signed) {
  return is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
}
inline std::int64_t highest(unsigned bits, bool is_signed) {
  return (std::int64_t{1} << (bits - is_signed)) - 1;
}
inline std::int64_t field(std::uint64_t value, unsigned position, unsigned bits, bool is_signed) {
  const auto shifted = static_cast<std::int64_t>(value >> position << (64 - bits));
  return is_signed ? shifted >> (64 - bits)
                   : static_cast<std::int64_t>(static_cast<std::uint64_t>(shifted) >> (64 - bits));
}

inline bool compare(Comparison comparison, std::int64_t a, std::int64_t b) {
  switch (comparison) {
    case Comparison::Eq:
      return a == b;
    case Comparison::Ne:
      return a != b;
    case Comparison::Lt:
      return a < b;
    case Comparison::Le:
      return a <= b;
    case Comparison::Gt:
      return a > b;
    default:
      return a >= b;
  }
}

// The common part of the scalar and the SIMD instructions.
inline Wide operate(VideoOperation operation, Comparison comparison, std::int64_t a, std::int64_t b) {
  switch (operation) {
    case VideoOperation::Add:
      return a + b;
    case VideoOperation::Subtract:
      return a - b;
    case VideoOperation::AbsoluteDifference:
      return a < b ? b - a : a - b;
    case VideoOperation::Minimum:
      return a < b ? a : b;
    case VideoOperation::Maximum:
      return a < b ? b : a;
    case VideoOperation::Average:  // halves go away from zero
      return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case VideoOperation::Compare:
      return compare(comparison, a, b);
    case VideoOperation::ShiftLeft:
      return Wide{a} * (Wide{1} << b);
    default:
      return Wide{a} >> b;
  }
}

// The parts of both kinds of instructions.
struct Parts {
  VideoForm form;
  Comparison comparison;
  bool result_signed, a_signed, b_signed, saturate;
  explicit Parts(const MicroOp& op)
      : form(VideoForm::of(op)),
        comparison(op.comparison),
        result_signed(is_signed(op.type)),
        a_signed(is_signed(op.source_type)),
        b_signed(form.has(VideoForm::kSecondSigned)),
        saturate(op.saturate) {}
};

struct Scalar : Parts {
  using Parts::Parts;

  static unsigned bits_of(VideoPart part) {
    return part == VideoPart::Whole ? 32 : part >= VideoPart::Half0 ? 16 : 8;
  }
  static unsigned position_of(VideoPart part) {
    if (part == VideoPart::Whole) return 0;
    const auto number = static_cast<unsigned>(part);
    return part >= VideoPart::Half0 ? 16 * (number - static_cast<unsigned>(VideoPart::Half0)) : 8 * number;
  }
  static std::int64_t select(U32 value, std::uint16_t selector, bool is_signed) {
    const auto part = static_cast<VideoPart>(selector);
    return field(value, position_of(part), bits_of(part), is_signed);
  }

  U32 operator()(U32 a, U32 b, U32 c) const {
    const std::int64_t left = select(a, form.select_a, a_signed);
    std::int64_t right = select(b, form.select_b, b_signed);
    if (form.operation == VideoOperation::MultiplyAdd) return multiply_add(left, right, c);
    if (form.operation == VideoOperation::ShiftLeft || form.operation == VideoOperation::ShiftRight)
      right = form.has(VideoForm::kWrap) ? right & 31 : right > 32 ? 32 : right;
    Wide result = operate(form.operation, comparison, left, right);
    const auto part = static_cast<VideoPart>(form.destination);
    const unsigned bits = bits_of(part);
    if (saturate) result = clamp<Wide>(result, lowest(bits, result_signed), highest(bits, result_signed));
    const Wide third = result_signed ? Wide{static_cast<std::int32_t>(c)} : Wide{c};
    switch (form.secondary) {
      case VideoSecondary::None:
        break;
      case VideoSecondary::Add:
        result += third;
        break;
      case VideoSecondary::Minimum:
        result = result < third ? result : third;
        break;
      case VideoSecondary::Maximum:
        result = result < third ? third : result;
        break;
      case VideoSecondary::Merge: {
        const U32 mask = static_cast<U32>(highest(bits, false)) << position_of(part);
        return (static_cast<U32>(result) << position_of(part) & mask) | (c & ~mask);
      }
    }
    return static_cast<U32>(result);
  }

  U32 multiply_add(std::int64_t a, std::int64_t b, U32 c) const {
    const bool negate_product = form.has(VideoForm::kNegateProduct);
    const bool negate_addend = form.has(VideoForm::kNegateAddend);
    const bool is_signed = a_signed || b_signed || negate_product || negate_addend;
    Wide result = Wide{a} * b;
    Wide addend = is_signed ? Wide{static_cast<std::int32_t>(c)} : Wide{c};
    bool one = false;
    if (form.has(VideoForm::kPlusOne)) {
      one = true;
    } else if (negate_product) {
      result = ~result;
      one = true;
    } else if (negate_addend) {
      addend = ~addend;
      one = true;
    }
    result += addend + one;
    result >>= form.has(VideoForm::kShift7) ? 7 : form.has(VideoForm::kShift15) ? 15 : 0;
    if (saturate) result = clamp<Wide>(result, lowest(32, is_signed), highest(32, is_signed));
    return static_cast<U32>(result);
  }
};

template <unsigned Fields>
struct Simd : Parts {
  static constexpr unsigned kBits = 32 / Fields;
  using Parts::Parts;

  U32 operator()(U32 a, U32 b, U32 c) const {
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    const bool add = form.secondary == VideoSecondary::Add;
    U32 result = c;
    for (unsigned i = 0; i < Fields; ++i) {
      if ((form.destination >> i & 1) == 0) continue;
      const std::int64_t left = field(both, (form.select_a >> (4 * i) & 15) * kBits, kBits, a_signed);
      const std::int64_t right = field(both, (form.select_b >> (4 * i) & 15) * kBits, kBits, b_signed);
      auto value = static_cast<std::int64_t>(operate(form.operation, comparison, left, right));
      if (saturate) value = clamp(value, lowest(kBits, result_signed), highest(kBits, result_signed));
      if (add) {
        result += static_cast<U32>(value);
      } else {
        constexpr U32 kMask = (1u << kBits) - 1;
        result = (result & ~(kMask << (i * kBits))) | (static_cast<U32>(value) & kMask) << (i * kBits);
      }
    }
    return result;
  }
};

// cvt.pack: b clamped into the lowest bits, a above it, c above both. MicroOp::mode is the width in bits.
struct PackClamped {
  unsigned bits;
  std::int32_t low, high;
  explicit PackClamped(const MicroOp& op)
      : bits(op.mode),
        low(static_cast<std::int32_t>(lowest(bits, is_signed(op.type)))),
        high(static_cast<std::int32_t>(highest(bits, is_signed(op.type)))) {}
  U32 operator()(std::int32_t a, std::int32_t b, U32 c) const {
    const U32 mask = (1u << bits) - 1;
    const U32 pair = (static_cast<U32>(clamp(a, low, high)) & mask) << bits |
                     (static_cast<U32>(clamp(b, low, high)) & mask);
    return bits == 16 ? pair : pair | c << (2 * bits);
  }
};

template <typename T, typename F>
inline U32 on_halves(U32 a, U32 b, F f) {
  const auto one = [&](unsigned shift) {
    return U32{static_cast<std::uint16_t>(f(static_cast<T>(a >> shift), static_cast<T>(b >> shift)))}
           << shift;
  };
  return one(0) | one(16);
}
template <typename T>
Handlers pairs(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
      return elementwise([](U32 a, U32 b) { return on_halves<T>(a, b, [](T x, T y) { return x + y; }); });
    case Opcode::Min:
      return elementwise(
          [](U32 a, U32 b) { return on_halves<T>(a, b, [](T x, T y) { return y < x ? y : x; }); });
    case Opcode::Max:
      return elementwise(
          [](U32 a, U32 b) { return on_halves<T>(a, b, [](T x, T y) { return x < y ? y : x; }); });
    default:
      return {};
  }
}

}  // namespace

Handlers video_handlers(const MicroOp& op) {
  if (op.opcode == Opcode::CvtPack)
    return op.mode == 16 || op.mode == 8 || op.mode == 4 || op.mode == 2 ? costly_of<PackClamped>()
                                                                         : Handlers{};
  if (op.opcode == Opcode::Video) {
    if (op.mode == 1) return costly_of<Scalar>();
    return op.mode == 2 ? costly_of<Simd<2>>() : costly_of<Simd<4>>();
  }
  if (op.carry_in || op.carry_out || op.saturate) return {};
  if (op.type == Type::U16x2) return pairs<std::uint16_t>(op.opcode);
  if (op.type == Type::S16x2) return pairs<std::int16_t>(op.opcode);
  return {};
}

}  // namespace duet::ptx::DUET_LANES
