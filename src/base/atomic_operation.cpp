// What an atomic does to the bytes it names (PTX ISA 9.0, atom and red). Left out: who orders atomics; that
// is the memory system's.
#include "base/atomic_operation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace duet {

namespace {

template <typename T>
T combine(AtomicOperation operation, T old, T b, T c) {
  switch (operation) {
    case AtomicOperation::Exchange:
      return b;
    case AtomicOperation::Add:
      return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(b));
    case AtomicOperation::Increment:
      return old >= b ? T{0} : static_cast<T>(old + 1);
    case AtomicOperation::Decrement:
      return old == 0 || old > b ? b : static_cast<T>(old - 1);
    case AtomicOperation::Minimum:
      return std::min(old, b);
    case AtomicOperation::Maximum:
      return std::max(old, b);
    case AtomicOperation::And:
      return old & b;
    case AtomicOperation::Or:
      return old | b;
    case AtomicOperation::Xor:
      return old ^ b;
    case AtomicOperation::CompareAndSwap:
      return old == b ? c : old;
  }
  return old;
}

template <typename T>
T load(const std::byte* from) {
  T value{};
  if (from != nullptr) std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void perform(AtomicOperation operation, std::byte* location, const std::byte* b, const std::byte* c,
             std::byte* old_value) {
  const T old = load<T>(location);
  const T result = combine<T>(operation, old, load<T>(b), load<T>(c));
  std::memcpy(old_value, &old, sizeof(T));
  std::memcpy(location, &result, sizeof(T));
}

float flush(float x, bool flush_to_zero) {
  return flush_to_zero && std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
}
// A NaN yields to a number; -0 is below +0.
template <typename T>
T minimum(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T>
T combine_float(AtomicOperation operation, T old, T b) {
  switch (operation) {
    case AtomicOperation::Add:
      return old + b;
    case AtomicOperation::Minimum:
      return minimum(old, b);
    case AtomicOperation::Maximum:
      return -minimum(-old, -b);
    default:
      return b;
  }
}

// Half-precision values as single-precision ones; the sum of two is exact enough to be rounded once more.
float widen(std::uint16_t bits, bool brain) {
  if (brain) return std::bit_cast<float>(std::uint32_t{bits} << 16);
  const std::uint32_t magnitude = bits & 0x7fffu, sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t wide =
      magnitude >= 0x7c00u ? (magnitude << 13) | 0x7f800000u
                           : std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
  return std::bit_cast<float>(wide | sign);
}
std::uint16_t narrow(float value, bool brain) {
  if (value != value) return 0x7fff;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  if (brain) return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f) return sign | 0x7c00;
  // Adding a power of two whose last place is that of the result rounds to it: 2^-24 for subnormal results.
  const int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
  const float magic = std::ldexp(1.5f, exponent + 13);
  const float rounded = (magnitude + magic) - magic;
  const auto units = static_cast<std::uint32_t>(std::ldexp(rounded, 10 - exponent));  // of the last place
  return static_cast<std::uint16_t>(sign + (static_cast<std::uint32_t>(exponent + 14) << 10) + units);
}
std::uint16_t combine_half(AtomicOperation operation, std::uint16_t old, std::uint16_t b, bool brain) {
  if (operation == AtomicOperation::Exchange) return b;
  return narrow(combine_float(operation, widen(old, brain), widen(b, brain)), brain);
}

template <typename T>
void perform_float(AtomicOperation operation, bool flush_to_zero, std::byte* location,
                   const std::byte* operand, std::byte* old_value) {
  const T old = load<T>(location), b = load<T>(operand);
  T result;
  if constexpr (sizeof(T) == 4) {
    result =
        flush(combine_float(operation, flush(old, flush_to_zero), flush(b, flush_to_zero)), flush_to_zero);
    if (operation == AtomicOperation::Exchange)
      result = b;
    else if (result != result)
      result = std::bit_cast<float>(0x7fffffffu);
  } else {
    result = combine_float(operation, old, b);
  }
  std::memcpy(old_value, &old, sizeof(T));
  std::memcpy(location, &result, sizeof(T));
}
void perform_halves(AtomicOperation operation, unsigned count, bool brain, std::byte* location,
                    const std::byte* operand, std::byte* old_value) {
  for (unsigned i = 0; i < count; ++i) {
    const auto old = load<std::uint16_t>(location + 2 * i), b = load<std::uint16_t>(operand + 2 * i);
    const std::uint16_t result = combine_half(operation, old, b, brain);
    std::memcpy(old_value + 2 * i, &old, 2);
    std::memcpy(location + 2 * i, &result, 2);
  }
}

}  // namespace

unsigned atomic_type_bytes(AtomicType type) {
  switch (type) {
    case AtomicType::B16:
    case AtomicType::F16:
    case AtomicType::BF16:
      return 2;
    case AtomicType::U64:
    case AtomicType::S64:
    case AtomicType::B64:
    case AtomicType::F64:
      return 8;
    default:
      return 4;
  }
}

void perform_atomic(AtomicOperation operation, AtomicType type, bool flush_to_zero, std::byte* location,
                    const std::byte* operand, const std::byte* operand2, std::byte* old_value) {
  switch (type) {
    case AtomicType::B16:
      return perform<std::uint16_t>(operation, location, operand, operand2, old_value);
    case AtomicType::U32:
    case AtomicType::B32:
      return perform<std::uint32_t>(operation, location, operand, operand2, old_value);
    case AtomicType::S32:
      return perform<std::int32_t>(operation, location, operand, operand2, old_value);
    case AtomicType::U64:
    case AtomicType::B64:
      return perform<std::uint64_t>(operation, location, operand, operand2, old_value);
    case AtomicType::S64:
      return perform<std::int64_t>(operation, location, operand, operand2, old_value);
    case AtomicType::F32:
      return perform_float<float>(operation, flush_to_zero, location, operand, old_value);
    case AtomicType::F64:
      return perform_float<double>(operation, flush_to_zero, location, operand, old_value);
    case AtomicType::F16:
      return perform_halves(operation, 1, false, location, operand, old_value);
    case AtomicType::F16x2:
      return perform_halves(operation, 2, false, location, operand, old_value);
    case AtomicType::BF16:
      return perform_halves(operation, 1, true, location, operand, old_value);
    case AtomicType::BF16x2:
      return perform_halves(operation, 2, true, location, operand, old_value);
  }
}

}  // namespace duet
