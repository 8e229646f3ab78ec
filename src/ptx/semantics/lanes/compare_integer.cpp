// setp and set of integers. Source: PTX ISA 9.0, section 9.7.6.
#include "ptx/semantics/lanes/compare.h"

namespace duet::ptx::DUET_LANES {
namespace {

template <typename T>
Handlers compared(const MicroOp& op) {
  switch (op.comparison) {
    case Comparison::Eq:
      return comparison(op, [](T a, T b) { return a == b; });
    case Comparison::Ne:
      return comparison(op, [](T a, T b) { return a != b; });
    case Comparison::Lt:
      return comparison(op, [](T a, T b) { return a < b; });
    case Comparison::Le:
      return comparison(op, [](T a, T b) { return a <= b; });
    case Comparison::Gt:
      return comparison(op, [](T a, T b) { return a > b; });
    case Comparison::Ge:
      return comparison(op, [](T a, T b) { return a >= b; });
    default:
      return {};
  }
}

}  // namespace

Handlers compare_integer_handlers(const MicroOp& op) {
  if (op.opcode != Opcode::Setp && op.opcode != Opcode::Set) return {};
  const Type type = op.opcode == Opcode::Set ? op.source_type : op.type;
  return for_integer_type(type, [&]<typename T>() { return compared<T>(op); });
}

}  // namespace duet::ptx::DUET_LANES
