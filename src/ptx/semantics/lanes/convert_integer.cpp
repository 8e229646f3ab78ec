// Conversions between integers; .sat clamps to the destination's range. Source: PTX ISA 9.0, cvt.
#include "ptx/semantics/lanes/convert.h"

namespace duet::ptx::DUET_LANES {
namespace {

template <typename To, typename From>
inline To clamped(From value) {
  constexpr To kMin = std::numeric_limits<To>::min(), kMax = std::numeric_limits<To>::max();
  return std::cmp_less(value, kMin) ? kMin : std::cmp_greater(value, kMax) ? kMax : static_cast<To>(value);
}

}  // namespace

Handlers convert_integer_handlers(const MicroOp& op) {
  if (op.opcode != Opcode::Cvt || is_float(op.type) || is_float(op.source_type)) return {};
  return for_convertible_integer(op.source_type, [&]<typename From>() {
    return for_convertible_integer(op.type, [&]<typename To>() {
      if (op.saturate) return elementwise([](From a) { return clamped<To>(a); });
      return elementwise([](From a) { return static_cast<To>(a); });
    });
  });
}

}  // namespace duet::ptx::DUET_LANES
