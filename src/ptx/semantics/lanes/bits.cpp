// Bit fields, counts and permutations. Source: PTX ISA 9.0, sections 9.7.1 and 9.7.8.
#include "ptx/semantics/lanes/lanes.h"

namespace duet::ptx::DUET_LANES {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <typename T>
inline T reverse_bits(T x) {
  constexpr T k1 = static_cast<T>(0x5555555555555555ull), k2 = static_cast<T>(0x3333333333333333ull),
              k4 = static_cast<T>(0x0f0f0f0f0f0f0f0full);
  x = ((x >> 1) & k1) | ((x & k1) << 1);
  x = ((x >> 2) & k2) | ((x & k2) << 2);
  x = ((x >> 4) & k4) | ((x & k4) << 4);
  if constexpr (sizeof(T) == 8)
    return __builtin_bswap64(x);
  else
    return __builtin_bswap32(x);
}

// Position of the highest bit different from the sign (signed) or set (unsigned); -1 when there is none.
template <typename T, bool ShiftAmount>
inline U32 find_highest(T a) {
  using U = std::make_unsigned_t<T>;
  const U bits = std::is_signed_v<T> && a < 0 ? ~static_cast<U>(a) : static_cast<U>(a);
  if (bits == 0) return 0xffffffffu;
  const U32 leading = static_cast<U32>(std::countl_zero(bits));
  return ShiftAmount ? leading : static_cast<U32>(sizeof(T) * 8 - 1) - leading;
}

template <typename T>
inline T extract_field(T a, U32 b, U32 c) {
  using U = std::make_unsigned_t<T>;
  constexpr U32 kBits = sizeof(T) * 8;
  const U32 position = b & 0xff, length = c & 0xff;
  const U value = static_cast<U>(a);
  if (length == 0) return 0;
  U sign = 0;
  if constexpr (std::is_signed_v<T>) {
    const U32 top = position + length - 1 < kBits - 1 ? position + length - 1 : kBits - 1;
    sign = (value >> top) & 1;
  }
  const U shifted = position < kBits ? value >> position : U{0};
  // Bits of the field in the source; higher ones repeat the sign.
  const U32 available = position < kBits ? (length < kBits - position ? length : kBits - position) : 0;
  const U mask = available >= kBits ? ~U{0} : (U{1} << available) - 1;
  return static_cast<T>((shifted & mask) | (sign ? ~mask : U{0}));
}

template <typename T>
inline T insert_field(T a, T b, U32 c, U32 d) {
  constexpr U32 kBits = sizeof(T) * 8;
  const U32 position = c & 0xff, length = d & 0xff;
  if (position >= kBits) return b;
  const T field = length >= kBits ? ~T{0} : (T{1} << length) - 1;
  return (b & ~(field << position)) | ((a & field) << position);
}

// The n-th set bit of mask from base (fns.b32).
inline U32 find_nth_set(U32 mask, U32 base, std::int32_t offset) {
  if (base > 31) return 0xffffffffu;
  if (offset == 0) return (mask >> base) & 1 ? base : 0xffffffffu;
  const std::int32_t step = offset > 0 ? 1 : -1;
  U32 wanted = offset > 0 ? static_cast<U32>(offset) : 0u - static_cast<U32>(offset);
  for (std::int32_t i = static_cast<std::int32_t>(base); i >= 0 && i < 32; i += step)
    if ((mask >> i) & 1 && --wanted == 0) return static_cast<U32>(i);
  return 0xffffffffu;
}

template <bool Wrap>
inline U32 bit_mask(U32 a, U32 b) {
  const U32 position = Wrap ? a & 31 : a, width = Wrap ? b & 31 : b;
  if (position > 31) return 0;
  const U32 ones = width > 31 ? 0xffffffffu : (1u << width) - 1;
  return ones << position;
}
template <bool Signed, bool Wrap>
inline U32 extend(U32 a, U32 b) {
  const U32 width = Wrap ? b & 31 : b;
  if (width > 31) return a;
  if (width == 0) return 0;
  const U32 mask = (1u << width) - 1;
  return Signed && ((a >> (width - 1)) & 1) ? (a | ~mask) : (a & mask);
}

inline U32 byte_of(U64 bytes, U32 index) { return static_cast<U32>(bytes >> (8 * index)) & 0xff; }
// Selectors of the named modes, four nibbles for each value of c's low two bits (PTX ISA 9.0, table of prmt).
inline U32 selectors_of(PrmtMode mode, U32 c) {
  const U32 n = c & 3;
  switch (mode) {
    case PrmtMode::Default:
      return c;
    case PrmtMode::F4e:
      return 0x3210 + 0x1111 * n;
    case PrmtMode::B4e:
      return std::array<U32, 4>{0x5670, 0x6701, 0x7012, 0x0123}[n];
    case PrmtMode::Rc8:
      return 0x1111 * n;
    case PrmtMode::Ecl:
      return std::array<U32, 4>{0x3210, 0x3211, 0x3222, 0x3333}[n];
    case PrmtMode::Ecr:
      return std::array<U32, 4>{0x0000, 0x1110, 0x2210, 0x3210}[n];
    case PrmtMode::Rc16:
      return n & 1 ? 0x3232 : 0x1010;
  }
  return 0;
}
struct Permute {
  PrmtMode mode;
  explicit Permute(const MicroOp& op) : mode(static_cast<PrmtMode>(op.mode)) {}
  U32 operator()(U32 a, U32 b, U32 c) const {
    const U64 bytes = U64{b} << 32 | a;
    const U32 selectors = selectors_of(mode, c);
    U32 result = 0;
    for (U32 i = 0; i < 4; ++i) {
      const U32 selector = (selectors >> (4 * i)) & 15;
      U32 byte = byte_of(bytes, selector & 7);
      if (selector & 8) byte = byte & 0x80 ? 0xff : 0x00;
      result |= byte << (8 * i);
    }
    return result;
  }
};

// Funnel shifts: the upper 32 bits of b:a shifted left, or the lower 32 of it shifted right.
template <bool Right, bool Wrap>
inline U32 funnel_shift(U32 a, U32 b, U32 c) {
  const U32 n = Wrap ? c & 31 : (c < 32 ? c : 32);
  const U64 both = U64{b} << 32 | a;
  return Right ? static_cast<U32>(both >> n) : static_cast<U32>((both << n) >> 32);
}

template <typename T>
Handlers sized(const MicroOp& op) {
  using S = std::make_signed_t<T>;
  switch (op.opcode) {
    case Opcode::Popc:
      return elementwise([](T a) { return static_cast<U32>(std::popcount(a)); });
    case Opcode::Clz:
      return elementwise([](T a) { return static_cast<U32>(std::countl_zero(a)); });
    case Opcode::Brev:
      return elementwise([](T a) { return reverse_bits(a); });
    case Opcode::Bfi:
      return elementwise([](T a, T b, U32 c, U32 d) { return insert_field(a, b, c, d); });
    case Opcode::Bfe:
      if (is_signed(op.type)) return elementwise([](S a, U32 b, U32 c) { return extract_field(a, b, c); });
      return elementwise([](T a, U32 b, U32 c) { return extract_field(a, b, c); });
    case Opcode::Bfind:
      if (is_signed(op.type))
        return op.mode & 1 ? elementwise([](S a) { return find_highest<S, true>(a); })
                           : elementwise([](S a) { return find_highest<S, false>(a); });
      return op.mode & 1 ? elementwise([](T a) { return find_highest<T, true>(a); })
                         : elementwise([](T a) { return find_highest<T, false>(a); });
    default:
      return {};
  }
}

}  // namespace

Handlers bit_handlers(const MicroOp& op) {
  const bool wrap = op.mode & 1;
  switch (op.opcode) {
    case Opcode::Popc:
    case Opcode::Clz:
    case Opcode::Brev:
    case Opcode::Bfi:
    case Opcode::Bfe:
    case Opcode::Bfind:
      if (type_bytes(op.type) == 4) return sized<U32>(op);
      if (type_bytes(op.type) == 8) return sized<U64>(op);
      return {};
    case Opcode::Fns:
      return costly([](U32 mask, U32 base, std::int32_t offset) { return find_nth_set(mask, base, offset); });
    case Opcode::Bmsk:
      return wrap ? elementwise([](U32 a, U32 b) { return bit_mask<true>(a, b); })
                  : elementwise([](U32 a, U32 b) { return bit_mask<false>(a, b); });
    case Opcode::Szext:
      if (is_signed(op.type))
        return wrap ? elementwise([](U32 a, U32 b) { return extend<true, true>(a, b); })
                    : elementwise([](U32 a, U32 b) { return extend<true, false>(a, b); });
      return wrap ? elementwise([](U32 a, U32 b) { return extend<false, true>(a, b); })
                  : elementwise([](U32 a, U32 b) { return extend<false, false>(a, b); });
    case Opcode::Prmt:
      return elementwise_of<Permute>();
    case Opcode::Shf:
      if (op.mode & 1)
        return op.mode & 2
                   ? elementwise([](U32 a, U32 b, U32 c) { return funnel_shift<true, true>(a, b, c); })
                   : elementwise([](U32 a, U32 b, U32 c) { return funnel_shift<true, false>(a, b, c); });
      return op.mode & 2
                 ? elementwise([](U32 a, U32 b, U32 c) { return funnel_shift<false, true>(a, b, c); })
                 : elementwise([](U32 a, U32 b, U32 c) { return funnel_shift<false, false>(a, b, c); });
    default:
      return {};
  }
}

}  // namespace duet::ptx::DUET_LANES
