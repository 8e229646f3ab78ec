// setp and set from a comparison of two lane values; the categories of compare_*.cpp choose the comparison.
#pragma once

#include "ptx/semantics/lanes/lanes.h"

namespace duet::ptx::DUET_LANES {

// p = f(a, b) combined with c; q = !f(a, b) combined likewise.
template <unsigned W, typename F>
void set_predicates(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes) {
  const std::uint64_t truth = lanes_where<W, F>(warp, op, ArgumentsOf<F>{});
  if (op.boolean == Boolean::None) {
    write_predicate(warp, op.predicate_destination, lanes, truth);
    write_predicate(warp, op.predicate_destination_second, lanes, ~truth);
    return;
  }
  const std::uint64_t c = predicate_source(warp, op.sources[2]);
  write_predicate(warp, op.predicate_destination, lanes, combine(op.boolean, truth, c));
  write_predicate(warp, op.predicate_destination_second, lanes, combine(op.boolean, ~truth, c));
}

// set: all ones or 1.0 where the comparison holds, otherwise zero.
template <unsigned W, typename F>
void set_register(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes) {
  std::uint64_t truth = lanes_where<W, F>(warp, op, ArgumentsOf<F>{});
  if (op.boolean != Boolean::None) truth = combine(op.boolean, truth, predicate_source(warp, op.sources[2]));
  const std::uint32_t one = op.type == Type::F32    ? 0x3f800000u
                            : op.type == Type::F16  ? 0x3c00u
                            : op.type == Type::BF16 ? 0x3f80u
                                                    : 0xffffffffu;
  alignas(64) std::uint32_t result[W];
  for (unsigned i = 0; i < W; ++i) result[i] = (truth >> i) & 1 ? one : 0;
  blend<W>(warp.destination32(op.destinations[0]), result, lanes);
}

template <typename F>
inline Handlers comparison(const MicroOp& op, F = F{}) {
  if (op.opcode == Opcode::Set) return {&set_register<32, F>, &set_register<64, F>};
  return {&set_predicates<32, F>, &set_predicates<64, F>};
}
template <typename F>
inline Handlers comparison_of(const MicroOp& op) {
  if (op.opcode == Opcode::Set) return {&set_register<32, F>, &set_register<64, F>};
  return {&set_predicates<32, F>, &set_predicates<64, F>};
}

}  // namespace duet::ptx::DUET_LANES
