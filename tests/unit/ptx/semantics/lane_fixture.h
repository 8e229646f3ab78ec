// A warp with room for a few registers, and a way to run one micro-op in both copies of the lane executors.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "ptx/semantics/handlers.h"
#include "ptx/semantics/semantics.h"

namespace duet::ptx::test {

inline constexpr unsigned kSlots = 16;

template <unsigned W>
struct TestWarp {
  alignas(64) std::array<std::byte, kSlots * W * 4> registers{};
  std::array<std::uint64_t, 8> predicates{};
  Warp<W> warp;
  TestWarp() {
    warp.registers = registers.data();
    for (auto& bank : warp.banks) bank = registers.data();
    warp.predicates = predicates.data();
  }
  TestWarp(const TestWarp& other) : registers(other.registers), predicates(other.predicates) {
    warp.registers = registers.data();
    for (auto& bank : warp.banks) bank = registers.data();
    warp.predicates = predicates.data();
    warp.carry = other.warp.carry;
  }
  std::uint32_t& word(unsigned slot, unsigned lane) {
    return reinterpret_cast<std::uint32_t*>(registers.data() + slot * W * 4)[lane];
  }
  std::uint64_t& wide(unsigned slot, unsigned lane) {
    return reinterpret_cast<std::uint64_t*>(registers.data() + slot * W * 4)[lane];
  }
};

inline Operand reg(unsigned slot) {
  Operand operand;
  operand.slot = slot;
  return operand;
}
inline Operand predicate(unsigned index) {
  Operand operand;
  operand.bank = Bank::Predicate;
  operand.slot = index;
  return operand;
}
// destination slot 0; sources in slots 2, 4, 6, 8.
inline MicroOp operation(Opcode opcode, Type type, unsigned sources) {
  MicroOp op;
  op.opcode = opcode;
  op.kind = Kind::Arithmetic;
  op.type = type;
  op.source_count = static_cast<std::uint8_t>(sources);
  for (unsigned i = 0; i < sources; ++i) op.sources[i] = reg(2 + 2 * i);
  op.destination_count = 1;
  op.destinations[0] = 0;
  return op;
}

template <unsigned W>
void execute(TestWarp<W>& warp, const MicroOp& op, std::uint64_t lanes, bool version3) {
  const Handlers handlers = find_handlers(op, version3);
  ASSERT_TRUE(handlers);
  if constexpr (W == 32)
    handlers.of32(warp.warp, op, lanes);
  else
    handlers.of64(warp.warp, op, lanes);
}

// Bit patterns that are likely to go wrong, mixed with random ones.
class Patterns {
 public:
  explicit Patterns(std::uint64_t seed) : random_(seed) {}
  std::uint32_t word() {
    static constexpr std::uint32_t kEdges[] = {
        0,          1,          2,          0x7f,       0x80,       0xff,       0x7fff,     0x8000,
        0xffff,     0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x00800000, 0x007fffff,
        0x00000001, 0x80000001, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00000, 0x4f000000,
        0xcf000000, 0x4effffff, 0x33800000, 0x3effffff, 0x3f000000, 0x4b7fffff};
    return random_() % 3 == 0 ? kEdges[random_() % std::size(kEdges)] : static_cast<std::uint32_t>(random_());
  }
  std::uint64_t wide() {
    static constexpr std::uint64_t kEdges[] = {0,
                                               1,
                                               0x7fffffffffffffff,
                                               0x8000000000000000,
                                               0xffffffffffffffff,
                                               0x3ff0000000000000,
                                               0xbff0000000000000,
                                               0x0010000000000000,
                                               0x000fffffffffffff,
                                               0x7fefffffffffffff,
                                               0x7ff0000000000000,
                                               0xfff0000000000000,
                                               0x7ff8000000001234,
                                               0x7ff4000000001234,
                                               0x43e0000000000000,
                                               0xc3e0000000000000,
                                               0x41efffffffe00000,
                                               0x3fe0000000000000};
    return random_() % 3 == 0 ? kEdges[random_() % std::size(kEdges)] : random_();
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace duet::ptx::test
