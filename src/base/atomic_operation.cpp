// The effect of an atomic on its bytes (PTX ISA 9.0, atom and red). Left out: the order of atomics, which the
// memory system decides.
#include "base/atomic_operation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace duet {

namespace {

template <typename T>
constexpr T combine(AtomicOperation operation, T old, T b, T c) {
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
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// Every operation as a function of its own, so nothing is decided lane by lane.
template <typename F>
AtomicFunction for_operation(AtomicOperation operation, F f) {
  switch (operation) {
    case AtomicOperation::Exchange:
      return f.template operator()<AtomicOperation::Exchange>();
    case AtomicOperation::Add:
      return f.template operator()<AtomicOperation::Add>();
    case AtomicOperation::Increment:
      return f.template operator()<AtomicOperation::Increment>();
    case AtomicOperation::Decrement:
      return f.template operator()<AtomicOperation::Decrement>();
    case AtomicOperation::Minimum:
      return f.template operator()<AtomicOperation::Minimum>();
    case AtomicOperation::Maximum:
      return f.template operator()<AtomicOperation::Maximum>();
    case AtomicOperation::And:
      return f.template operator()<AtomicOperation::And>();
    case AtomicOperation::Or:
      return f.template operator()<AtomicOperation::Or>();
    case AtomicOperation::Xor:
      return f.template operator()<AtomicOperation::Xor>();
    case AtomicOperation::CompareAndSwap:
      return f.template operator()<AtomicOperation::CompareAndSwap>();
  }
  return nullptr;
}

template <typename T>
AtomicFunction integer_function(AtomicOperation operation) {
  return for_operation(operation, []<AtomicOperation O>() -> AtomicFunction {
    return [](std::byte* location, const std::byte* b, const std::byte* c, std::byte* old_value) {
      const T old = load<T>(location);
      const T result =
          combine<T>(O, old, load<T>(b), O == AtomicOperation::CompareAndSwap ? load<T>(c) : T{});
      std::memcpy(old_value, &old, sizeof(T));
      std::memcpy(location, &result, sizeof(T));
    };
  });
}

AtomicFunction wide_function(AtomicOperation operation) {
  constexpr std::size_t kBytes = 16;
  if (operation == AtomicOperation::Exchange)
    return [](std::byte* location, const std::byte* b, const std::byte*, std::byte* old_value) {
      std::byte result[kBytes];
      std::memcpy(result, b, kBytes);
      std::memcpy(old_value, location, kBytes);
      std::memcpy(location, result, kBytes);
    };
  if (operation == AtomicOperation::CompareAndSwap)
    return [](std::byte* location, const std::byte* b, const std::byte* c, std::byte* old_value) {
      const bool equal = std::memcmp(location, b, kBytes) == 0;
      std::memcpy(old_value, location, kBytes);
      if (equal) std::memcpy(location, c, kBytes);
    };
  return nullptr;
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
  // Adding a power of two with the last place of the result rounds to it: 2^-24 for subnormal results.
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

template <typename T, bool Flush>
AtomicFunction float_function(AtomicOperation operation) {
  return for_operation(operation, []<AtomicOperation O>() -> AtomicFunction {
    return [](std::byte* location, const std::byte* operand, const std::byte*, std::byte* old_value) {
      const T old = load<T>(location), b = load<T>(operand);
      T result;
      if constexpr (O == AtomicOperation::Exchange) {
        result = b;
      } else if constexpr (sizeof(T) == 4) {
        result = flush(combine_float(O, flush(old, Flush), flush(b, Flush)), Flush);
        if (result != result) result = std::bit_cast<float>(0x7fffffffu);
      } else {
        result = combine_float(O, old, b);
      }
      std::memcpy(old_value, &old, sizeof(T));
      std::memcpy(location, &result, sizeof(T));
    };
  });
}

template <unsigned Count, bool Brain>
AtomicFunction half_function(AtomicOperation operation) {
  return for_operation(operation, []<AtomicOperation O>() -> AtomicFunction {
    return [](std::byte* location, const std::byte* operand, const std::byte*, std::byte* old_value) {
      for (unsigned i = 0; i < Count; ++i) {
        const auto old = load<std::uint16_t>(location + 2 * i), b = load<std::uint16_t>(operand + 2 * i);
        const std::uint16_t result = combine_half(O, old, b, Brain);
        std::memcpy(old_value + 2 * i, &old, 2);
        std::memcpy(location + 2 * i, &result, 2);
      }
    };
  });
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
    case AtomicType::B128:
      return 16;
    default:
      return 4;
  }
}

AtomicFunction atomic_function(AtomicOperation operation, AtomicType type, bool flush_to_zero) {
  switch (type) {
    case AtomicType::B16:
      return integer_function<std::uint16_t>(operation);
    case AtomicType::B128:
      return wide_function(operation);
    case AtomicType::U32:
    case AtomicType::B32:
      return integer_function<std::uint32_t>(operation);
    case AtomicType::S32:
      return integer_function<std::int32_t>(operation);
    case AtomicType::U64:
    case AtomicType::B64:
      return integer_function<std::uint64_t>(operation);
    case AtomicType::S64:
      return integer_function<std::int64_t>(operation);
    case AtomicType::F32:
      return flush_to_zero ? float_function<float, true>(operation) : float_function<float, false>(operation);
    case AtomicType::F64:
      return float_function<double, false>(operation);
    case AtomicType::F16:
      return half_function<1, false>(operation);
    case AtomicType::F16x2:
      return half_function<2, false>(operation);
    case AtomicType::BF16:
      return half_function<1, true>(operation);
    case AtomicType::BF16x2:
      return half_function<2, true>(operation);
  }
  return nullptr;
}

}  // namespace duet
