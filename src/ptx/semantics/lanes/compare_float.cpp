// setp and set of floating-point values; the ..U comparisons also hold when an operand is a NaN.
// Half-precision values are compared as single-precision ones. Source: PTX ISA 9.0, sections 9.7.6 and 9.7.7.
#include "ptx/semantics/lanes/compare.h"
#include "ptx/semantics/lanes/float_operations.h"
#include "ptx/semantics/lanes/half.h"

namespace duet::ptx::DUET_LANES {
namespace {

template <Comparison Kind, typename T>
inline bool holds(T a, T b) {
  switch (Kind) {
    case Comparison::Eq:
      return a == b;
    case Comparison::Ne:
      return a < b || a > b;
    case Comparison::Lt:
      return a < b;
    case Comparison::Le:
      return a <= b;
    case Comparison::Gt:
      return a > b;
    case Comparison::Ge:
      return a >= b;
    case Comparison::EqU:
      return !(a < b || a > b);
    case Comparison::NeU:
      return a != b;
    case Comparison::LtU:
      return !(a >= b);
    case Comparison::LeU:
      return !(a > b);
    case Comparison::GtU:
      return !(a <= b);
    case Comparison::GeU:
      return !(a < b);
    case Comparison::Num:
      return a == a && b == b;
    case Comparison::Nan:
      return a != a || b != b;
  }
  return false;
}

template <typename T, Comparison Kind>
struct Compare {
  bool operator()(T a, T b) const { return holds<Kind>(a, b); }
};
template <typename T, Comparison Kind>
struct CompareGeneral {
  Input<T> a_, b_;
  explicit CompareGeneral(const MicroOp& op)
      : a_(op.sources[0], op.flush_to_zero), b_(op.sources[1], op.flush_to_zero) {}
  bool operator()(T a, T b) const { return holds<Kind>(a_(a), b_(b)); }
};
template <typename H, Comparison Kind>
struct CompareHalf {
  HalfInput<H> a_, b_;
  explicit CompareHalf(const MicroOp& op)
      : a_(op.sources[0], op.flush_to_zero), b_(op.sources[1], op.flush_to_zero) {}
  bool operator()(H a, H b) const { return holds<Kind>(to_float(a_(a)), to_float(b_(b))); }
};

template <typename T, template <typename, Comparison> class F>
Handlers compared(const MicroOp& op) {
  switch (op.comparison) {
#define DUET_COMPARISON(kind) \
  case Comparison::kind:      \
    return comparison_of<F<T, Comparison::kind>>(op);
    DUET_COMPARISON(Eq)
    DUET_COMPARISON(Ne)
    DUET_COMPARISON(Lt)
    DUET_COMPARISON(Le)
    DUET_COMPARISON(Gt)
    DUET_COMPARISON(Ge)
    DUET_COMPARISON(EqU)
    DUET_COMPARISON(NeU)
    DUET_COMPARISON(LtU)
    DUET_COMPARISON(LeU)
    DUET_COMPARISON(GtU)
    DUET_COMPARISON(GeU)
    DUET_COMPARISON(Num)
    DUET_COMPARISON(Nan)
#undef DUET_COMPARISON
  }
  return {};
}

}  // namespace

Handlers compare_float_handlers(const MicroOp& op) {
  if (op.opcode != Opcode::Setp && op.opcode != Opcode::Set) return {};
  const Type type = op.opcode == Opcode::Set ? op.source_type : op.type;
  switch (type) {
    case Type::F32:
      return plain_float(op) ? compared<float, Compare>(op) : compared<float, CompareGeneral>(op);
    case Type::F64:
      return compared<double, CompareGeneral>(op);
    case Type::F16:
      return compared<Half, CompareHalf>(op);
    case Type::BF16:
      return compared<BFloat, CompareHalf>(op);
    default:
      return {};
  }
}

}  // namespace duet::ptx::DUET_LANES
