// Half-precision arithmetic on f16, bf16 and pairs of them. Each operation is computed exactly, or rounded to
// odd, in double precision and rounded once. Source: PTX ISA 9.0, sections 9.7.4 and 9.7.5.
#include "ptx/semantics/lanes/half.h"

#include "ptx/semantics/lanes/compare.h"

namespace duet::ptx::DUET_LANES {
namespace {

// MicroOp::mode bit 0 of Fma is .relu.
struct HalfAdd {
  double operator()(double a, double b) const { return add_to_odd(a, b); }
};
struct HalfSubtract {
  double operator()(double a, double b) const { return add_to_odd(a, -b); }
};
struct HalfMultiply {
  double operator()(double a, double b) const { return a * b; }
};
struct HalfFma {
  bool relu;
  explicit HalfFma(const MicroOp& op) : relu(op.mode & 1) {}
  double operator()(double a, double b, double c) const {
    const double result = add_to_odd(a * b, c);
    return relu && result < 0 ? 0.0 : result;
  }
};
struct HalfNegate {
  double operator()(double a) const { return -a; }
};
struct HalfAbsolute {
  double operator()(double a) const { return std::fabs(a); }
};
struct HalfExponential2 {
  double operator()(double a) const { return std::exp2(a); }
};
struct HalfTangent {
  double operator()(double a) const { return std::tanh(a); }
};

template <typename H, typename Core, bool Pair, typename Arguments = ArgumentsOf<Core>>
class HalfOperation;
template <typename H, typename Core, bool Pair, typename... A>
class HalfOperation<H, Core, Pair, TypeList<A...>> {
 public:
  using Value = std::conditional_t<Pair, std::uint32_t, H>;
  explicit HalfOperation(const MicroOp& op)
      : core_(make_function<Core>(op)),
        inputs_{{op.sources[0], op.flush_to_zero},
                {op.sources[1], op.flush_to_zero},
                {op.sources[2], op.flush_to_zero}},
        saturate_(op.saturate) {}
  template <typename>
  using Same = Value;
  Value operator()(Same<A>... in) const {
    if constexpr (Pair) {
      const std::uint32_t low = one(H{static_cast<std::uint16_t>(in)}...).bits;
      const std::uint32_t high = one(H{static_cast<std::uint16_t>(in >> 16)}...).bits;
      return high << 16 | low;
    } else {
      return one(in...);
    }
  }

 private:
  template <typename... Halves>
  H one(Halves... in) const {
    std::size_t i = 0;
    ((in = inputs_[i++](in)), ...);
    double result = core_(static_cast<double>(to_float(in))...);
    if (saturate_) result = result > 0 ? (result < 1 ? result : 1.0) : 0.0;
    return inputs_[0].flush(to_half<H>(result));
  }
  Core core_;
  HalfInput<H> inputs_[3];
  bool saturate_;
};

template <typename H, bool Pair>
Handlers of_format(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::Add:
      return costly_of<HalfOperation<H, HalfAdd, Pair>>();
    case Opcode::Sub:
      return costly_of<HalfOperation<H, HalfSubtract, Pair>>();
    case Opcode::Mul:
      return costly_of<HalfOperation<H, HalfMultiply, Pair>>();
    case Opcode::Fma:
      return costly_of<HalfOperation<H, HalfFma, Pair>>();
    case Opcode::Neg:
      return costly_of<HalfOperation<H, HalfNegate, Pair>>();
    case Opcode::Abs:
      return costly_of<HalfOperation<H, HalfAbsolute, Pair>>();
    case Opcode::Min:
      return costly_of<HalfOperation<H, PickWithMode<double, false>, Pair>>();
    case Opcode::Max:
      return costly_of<HalfOperation<H, PickWithMode<double, true>, Pair>>();
    case Opcode::Ex2:
      return costly_of<HalfOperation<H, HalfExponential2, Pair>>();
    case Opcode::Tanh:
      return costly_of<HalfOperation<H, HalfTangent, Pair>>();
    default:
      return {};
  }
}

inline bool holds(Comparison comparison, float a, float b) {
  const bool unordered = a != a || b != b;
  switch (comparison) {
    case Comparison::Eq:
      return a == b;
    case Comparison::Ne:
      return !unordered && a != b;
    case Comparison::Lt:
      return a < b;
    case Comparison::Le:
      return a <= b;
    case Comparison::Gt:
      return a > b;
    case Comparison::Ge:
      return a >= b;
    case Comparison::EqU:
      return unordered || a == b;
    case Comparison::NeU:
      return unordered || a != b;
    case Comparison::LtU:
      return unordered || a < b;
    case Comparison::LeU:
      return unordered || a <= b;
    case Comparison::GtU:
      return unordered || a > b;
    case Comparison::GeU:
      return unordered || a >= b;
    case Comparison::Num:
      return !unordered;
    case Comparison::Nan:
      return unordered;
  }
  return false;
}
// Comparisons of pairs: setp writes the lower comparison to p and the upper one to q; set packs 1.0 or, for
// integer destinations, all ones into each half.
template <unsigned W, typename H>
void compare_pairs(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes) {
  const HalfInput<H> a(op.sources[0], op.flush_to_zero), b(op.sources[1], op.flush_to_zero);
  const std::uint32_t* x = warp.lanes32(op.sources[0]);
  const std::uint32_t* y = warp.lanes32(op.sources[1]);
  std::uint64_t truth[2] = {};
  for (unsigned i = 0; i < W; ++i)
    for (unsigned half = 0; half < 2; ++half) {
      const float left = to_float(a(H{static_cast<std::uint16_t>(x[i] >> (16 * half))}));
      const float right = to_float(b(H{static_cast<std::uint16_t>(y[i] >> (16 * half))}));
      truth[half] |= std::uint64_t{holds(op.comparison, left, right)} << i;
    }
  if (op.boolean != Boolean::None)
    for (std::uint64_t& mask : truth) mask = combine(op.boolean, mask, predicate_source(warp, op.sources[2]));
  if (op.opcode == Opcode::Setp) {
    write_predicate(warp, op.predicate_destination, lanes, truth[0]);
    write_predicate(warp, op.predicate_destination_second, lanes, truth[1]);
    return;
  }
  const std::uint32_t one = op.type == Type::F16x2 ? 0x3c00u : op.type == Type::BF16x2 ? 0x3f80u : 0xffffu;
  alignas(64) std::uint32_t result[W];
  for (unsigned i = 0; i < W; ++i)
    result[i] = ((truth[0] >> i) & 1 ? one : 0) | ((truth[1] >> i) & 1 ? one << 16 : 0);
  blend<W>(warp.destination32(op.destinations[0]), result, lanes);
}

}  // namespace

Handlers half_handlers(const MicroOp& op) {
  if (op.opcode == Opcode::Setp || op.opcode == Opcode::Set) {
    const Type type = op.opcode == Opcode::Set ? op.source_type : op.type;
    if (type == Type::F16x2) return {&compare_pairs<32, Half>, &compare_pairs<64, Half>};
    if (type == Type::BF16x2) return {&compare_pairs<32, BFloat>, &compare_pairs<64, BFloat>};
    return {};
  }
  if (directed_rounding(op) || op.carry_in || op.carry_out) return {};
  switch (op.type) {
    case Type::F16:
      return of_format<Half, false>(op);
    case Type::BF16:
      return of_format<BFloat, false>(op);
    case Type::F16x2:
      return of_format<Half, true>(op);
    case Type::BF16x2:
      return of_format<BFloat, true>(op);
    default:
      return {};
  }
}

}  // namespace duet::ptx::DUET_LANES
