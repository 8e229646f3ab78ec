// Logic and shifts, on registers and on predicates. Source: PTX ISA 9.0, section 9.7.8. Shift amounts beyond
// the width are clamped to it.
#include "ptx/semantics/lanes/lanes.h"

namespace duet::ptx::DUET_LANES {
namespace {

template <typename T>
inline T shift_left(T a, std::uint32_t n) {
  return n < sizeof(T) * 8 ? static_cast<T>(a << n) : T{0};
}
template <typename T>
inline T shift_right(T a, std::uint32_t n) {
  constexpr std::uint32_t kLast = sizeof(T) * 8 - 1;
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (n < kLast ? n : kLast));
  else
    return n <= kLast ? static_cast<T>(a >> n) : T{0};
}

// Any function of three bits, given as its truth table: the sum of the table's minterms.
inline std::uint32_t truth_table(std::uint32_t table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const auto term = [table](unsigned i) { return (table >> i) & 1 ? ~0u : 0u; };
  const std::uint32_t without_a =
      (((term(0) & ~c) | (term(1) & c)) & ~b) | (((term(2) & ~c) | (term(3) & c)) & b);
  const std::uint32_t with_a =
      (((term(4) & ~c) | (term(5) & c)) & ~b) | (((term(6) & ~c) | (term(7) & c)) & b);
  return (without_a & ~a) | (with_a & a);
}
struct Lop3 {
  std::uint32_t table;
  explicit Lop3(const MicroOp& op) : table(op.mode) {}
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return truth_table(table, a, b, c);
  }
};
// lop3.BoolOp: p = (d != 0) BoolOp q.
template <unsigned W>
void lop3_with_predicate(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes) {
  const std::uint32_t* a = warp.lanes32(op.sources[0]);
  const std::uint32_t* b = warp.lanes32(op.sources[1]);
  const std::uint32_t* c = warp.lanes32(op.sources[2]);
  alignas(64) std::uint32_t result[W];
  std::uint64_t nonzero = 0;
  for (unsigned i = 0; i < W; ++i) {
    result[i] = truth_table(op.mode, a[i], b[i], c[i]);
    nonzero |= std::uint64_t{result[i] != 0} << i;
  }
  const std::uint64_t q = predicate_source(warp, op.sources[3]);
  if (op.destinations[0] != kNoRegister) blend<W>(warp.destination32(op.destinations[0]), result, lanes);
  write_predicate(warp, op.predicate_destination, lanes, combine(op.boolean, nonzero, q));
}

template <unsigned W>
void predicate_logic(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes) {
  const std::uint64_t a = predicate_source(warp, op.sources[0]);
  std::uint64_t result = a;
  switch (op.opcode) {
    case Opcode::And:
      result = a & predicate_source(warp, op.sources[1]);
      break;
    case Opcode::Or:
      result = a | predicate_source(warp, op.sources[1]);
      break;
    case Opcode::Xor:
      result = a ^ predicate_source(warp, op.sources[1]);
      break;
    case Opcode::Not:
      result = ~a;
      break;
    default:  // Mov
      break;
  }
  write_predicate(warp, op.predicate_destination, lanes, result);
}

template <typename T>
Handlers sized(Opcode opcode) {
  switch (opcode) {
    case Opcode::And:
      return elementwise([](T a, T b) { return static_cast<T>(a & b); });
    case Opcode::Or:
      return elementwise([](T a, T b) { return static_cast<T>(a | b); });
    case Opcode::Xor:
      return elementwise([](T a, T b) { return static_cast<T>(a ^ b); });
    case Opcode::Not:
      return elementwise([](T a) { return static_cast<T>(~a); });
    case Opcode::Cnot:
      return elementwise([](T a) { return static_cast<T>(a == 0 ? 1 : 0); });
    case Opcode::Shl:
      return elementwise([](T a, std::uint32_t n) { return shift_left(a, n); });
    default:
      return {};
  }
}

}  // namespace

Handlers logic_handlers(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Mov:
      if (op.type == Type::Pred) return {&predicate_logic<32>, &predicate_logic<64>};
      [[fallthrough]];
    case Opcode::Cnot:
    case Opcode::Shl:
      return for_bit_size(op.type, [&]<typename T>() { return sized<T>(op.opcode); });
    case Opcode::Shr:
      return for_integer_type(op.type, []<typename T>() {
        return elementwise([](T a, std::uint32_t n) { return shift_right(a, n); });
      });
    case Opcode::Lop3:
      if (op.predicate_destination != kNoPredicate || op.boolean != Boolean::None)
        return {&lop3_with_predicate<32>, &lop3_with_predicate<64>};
      return elementwise_of<Lop3>();
    default:
      return {};
  }
}

}  // namespace duet::ptx::DUET_LANES
