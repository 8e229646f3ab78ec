// RV64 instructions as words, by their formats in the manual, for tests that write small programs.
#pragma once

#include <cstdint>
#include <vector>

namespace duet::test::rv {

using Word = std::uint32_t;
using Words = std::vector<Word>;

// Registers by their names.
inline constexpr unsigned zero = 0, ra = 1, t0 = 5, t1 = 6, t2 = 7, s0 = 8, s1 = 9, a0 = 10, a1 = 11, a2 = 12,
                          a3 = 13, a4 = 14, a5 = 15, a6 = 16, s2 = 18, s3 = 19, s4 = 20, s5 = 21, s6 = 22;

constexpr Word type_r(unsigned funct7, unsigned rs2, unsigned rs1, unsigned funct3, unsigned rd,
                      unsigned opcode) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr Word type_i(int value, unsigned rs1, unsigned funct3, unsigned rd, unsigned opcode) {
  return static_cast<Word>(value) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
// `size`: bytes of the access as a power of two.
constexpr Word load(unsigned size, unsigned rd, int offset, unsigned rs1) {
  return type_i(offset, rs1, size, rd, 0x03);
}
constexpr Word store(unsigned size, unsigned rs2, int offset, unsigned rs1) {
  const auto bits = static_cast<Word>(offset);
  return (bits >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | size << 12 | (bits & 31) << 7 | 0x23;
}
constexpr Word ld(unsigned rd, int offset, unsigned rs1) { return load(3, rd, offset, rs1); }
constexpr Word sd(unsigned rs2, int offset, unsigned rs1) { return store(3, rs2, offset, rs1); }
constexpr Word addi(unsigned rd, unsigned rs1, int value) { return type_i(value, rs1, 0, rd, 0x13); }
constexpr Word andi(unsigned rd, unsigned rs1, int value) { return type_i(value, rs1, 7, rd, 0x13); }
constexpr Word slli(unsigned rd, unsigned rs1, int value) { return type_i(value, rs1, 1, rd, 0x13); }
constexpr Word add(unsigned rd, unsigned rs1, unsigned rs2) { return type_r(0, rs2, rs1, 0, rd, 0x33); }
constexpr Word sub(unsigned rd, unsigned rs1, unsigned rs2) { return type_r(32, rs2, rs1, 0, rd, 0x33); }
constexpr Word sltu(unsigned rd, unsigned rs1, unsigned rs2) { return type_r(0, rs2, rs1, 3, rd, 0x33); }
// funct3: 0 mul, 4 div, 6 rem, ...
constexpr Word muldiv(unsigned funct3, unsigned rd, unsigned rs1, unsigned rs2) {
  return type_r(1, rs2, rs1, funct3, rd, 0x33);
}
constexpr Word div(unsigned rd, unsigned rs1, unsigned rs2) { return muldiv(4, rd, rs1, rs2); }
// funct3: 0 beq, 1 bne, 4 blt, ... `offset` in bytes from the branch.
constexpr Word branch(unsigned funct3, unsigned rs1, unsigned rs2, int offset) {
  const auto bits = static_cast<Word>(offset);
  return (bits >> 12 & 1) << 31 | (bits >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
         (bits >> 1 & 15) << 8 | (bits >> 11 & 1) << 7 | 0x63;
}
constexpr Word bne(unsigned rs1, unsigned rs2, int offset) { return branch(1, rs1, rs2, offset); }
constexpr Word lr(unsigned rd, unsigned rs1) { return type_r(2 << 2, 0, rs1, 3, rd, 0x2f); }
constexpr Word sc(unsigned rd, unsigned rs2, unsigned rs1) { return type_r(3 << 2, rs2, rs1, 3, rd, 0x2f); }
constexpr Word amoadd(unsigned rd, unsigned rs2, unsigned rs1) { return type_r(0, rs2, rs1, 3, rd, 0x2f); }
inline constexpr Word kEcall = 0x73, kFence = 0x0330000f, kFenceI = 0x100f, kNop = 0x13;

inline Words operator+(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}
// `body`, and a branch back to its begin while `counter` is not zero after one is taken from it.
inline Words loop(unsigned counter, const Words& body) {
  const int back = -4 * (static_cast<int>(body.size()) + 1);
  return body + Words{addi(counter, counter, -1), bne(counter, zero, back)};
}

}  // namespace duet::test::rv
