// Instructions of 16 bits, as their words of 32 bits. Source: The RISC-V Instruction Set Manual, volume I,
// version 20191213, chapter 16, tables 16.5 to 16.7. Hints (x0 as destination, and shifts by 0) become the
// instructions they look like, without effect.
#include "rv64/decode.h"

namespace duet::rv64 {
namespace {

constexpr std::uint32_t kLoad = 0x03, kLoadFloat = 0x07, kImmediate = 0x13, kImmediateWord = 0x1b,
                        kStore = 0x23, kStoreFloat = 0x27, kRegister = 0x33, kLui = 0x37,
                        kRegisterWord = 0x3b, kBranch = 0x63, kJalr = 0x67, kJal = 0x6f, kEbreak = 0x00100073;

// Words by type: I, S, B, U, J and R.
constexpr std::uint32_t type_i(std::uint32_t opcode, std::uint32_t function, std::uint32_t rd,
                               std::uint32_t rs1, std::uint32_t immediate) {
  return opcode | rd << 7 | function << 12 | rs1 << 15 | immediate << 20;
}
constexpr std::uint32_t type_s(std::uint32_t opcode, std::uint32_t function, std::uint32_t rs1,
                               std::uint32_t rs2, std::uint32_t offset) {
  return opcode | (offset & 31) << 7 | function << 12 | rs1 << 15 | rs2 << 20 | offset >> 5 << 25;
}
constexpr std::uint32_t type_b(std::uint32_t function, std::uint32_t rs1, std::uint32_t offset) {
  return kBranch | (offset >> 11 & 1) << 7 | (offset >> 1 & 15) << 8 | function << 12 | rs1 << 15 |
         (offset >> 5 & 63) << 25 | (offset >> 12 & 1) << 31;
}
constexpr std::uint32_t type_j(std::uint32_t rd, std::uint32_t offset) {
  return kJal | rd << 7 | (offset & 0xff000) | (offset >> 11 & 1) << 20 | (offset >> 1 & 1023) << 21 |
         (offset >> 20 & 1) << 31;
}
constexpr std::uint32_t type_r(std::uint32_t opcode, std::uint32_t function, std::uint32_t function7,
                               std::uint32_t rd, std::uint32_t rs1, std::uint32_t rs2) {
  return opcode | rd << 7 | function << 12 | rs1 << 15 | rs2 << 20 | function7 << 25;
}

// The fields of one compressed instruction.
struct Fields {
  std::uint32_t bits;

  constexpr std::uint32_t at(unsigned low, unsigned count) const { return bits >> low & ((1u << count) - 1); }
  constexpr std::uint32_t rd() const { return at(7, 5); }
  constexpr std::uint32_t rs2() const { return at(2, 5); }
  constexpr std::uint32_t rd_short() const { return 8 + at(2, 3); }   // also rs2'
  constexpr std::uint32_t rs1_short() const { return 8 + at(7, 3); }  // also rd'
  // Sign-extended to 32 bits.
  constexpr std::uint32_t immediate() const { return (at(12, 1) != 0 ? ~31u : 0u) | at(2, 5); }
  constexpr std::uint32_t shift() const { return at(12, 1) << 5 | at(2, 5); }
  constexpr std::uint32_t offset_word() const { return at(10, 3) << 3 | at(6, 1) << 2 | at(5, 1) << 6; }
  constexpr std::uint32_t offset_double() const { return at(10, 3) << 3 | at(5, 2) << 6; }
  constexpr std::uint32_t stack_load_word() const { return at(12, 1) << 5 | at(4, 3) << 2 | at(2, 2) << 6; }
  constexpr std::uint32_t stack_load_double() const { return at(12, 1) << 5 | at(5, 2) << 3 | at(2, 3) << 6; }
  constexpr std::uint32_t stack_store_word() const { return at(9, 4) << 2 | at(7, 2) << 6; }
  constexpr std::uint32_t stack_store_double() const { return at(10, 3) << 3 | at(7, 3) << 6; }
  constexpr std::uint32_t branch() const {
    return (at(12, 1) != 0 ? ~255u : 0u) | at(10, 2) << 3 | at(5, 2) << 6 | at(3, 2) << 1 | at(2, 1) << 5;
  }
  constexpr std::uint32_t jump() const {
    return (at(12, 1) != 0 ? ~2047u : 0u) | at(11, 1) << 4 | at(9, 2) << 8 | at(8, 1) << 10 | at(7, 1) << 6 |
           at(6, 1) << 7 | at(3, 3) << 1 | at(2, 1) << 5;
  }
  constexpr std::uint32_t add_to_stack_pointer() const {  // c.addi16sp
    return (at(12, 1) != 0 ? ~511u : 0u) | at(6, 1) << 4 | at(5, 1) << 6 | at(3, 2) << 7 | at(2, 1) << 5;
  }
  constexpr std::uint32_t stack_address() const {  // c.addi4spn
    return at(11, 2) << 4 | at(7, 4) << 6 | at(6, 1) << 2 | at(5, 1) << 3;
  }
};

constexpr std::uint32_t kStack = 2;

std::uint32_t quadrant0(Fields c) {
  switch (c.at(13, 3)) {
    case 0:
      return c.stack_address() == 0 ? 0 : type_i(kImmediate, 0, c.rd_short(), kStack, c.stack_address());
    case 1:
      return type_i(kLoadFloat, 3, c.rd_short(), c.rs1_short(), c.offset_double());
    case 2:
      return type_i(kLoad, 2, c.rd_short(), c.rs1_short(), c.offset_word());
    case 3:
      return type_i(kLoad, 3, c.rd_short(), c.rs1_short(), c.offset_double());
    case 5:
      return type_s(kStoreFloat, 3, c.rs1_short(), c.rd_short(), c.offset_double());
    case 6:
      return type_s(kStore, 2, c.rs1_short(), c.rd_short(), c.offset_word());
    case 7:
      return type_s(kStore, 3, c.rs1_short(), c.rd_short(), c.offset_double());
    default:
      return 0;
  }
}

// c.srli, c.srai, c.andi, and instructions of two registers.
std::uint32_t arithmetic(Fields c) {
  const std::uint32_t rd = c.rs1_short();
  switch (c.at(10, 2)) {
    case 0:
      return type_i(kImmediate, 5, rd, rd, c.shift());
    case 1:
      return type_i(kImmediate, 5, rd, rd, c.shift() | 0x400);
    case 2:
      return type_i(kImmediate, 7, rd, rd, c.immediate());
    default:
      break;
  }
  const std::uint32_t rs2 = c.rd_short();
  switch (c.at(12, 1) << 2 | c.at(5, 2)) {
    case 0:
      return type_r(kRegister, 0, 0x20, rd, rd, rs2);  // c.sub
    case 1:
      return type_r(kRegister, 4, 0, rd, rd, rs2);  // c.xor
    case 2:
      return type_r(kRegister, 6, 0, rd, rd, rs2);  // c.or
    case 3:
      return type_r(kRegister, 7, 0, rd, rd, rs2);  // c.and
    case 4:
      return type_r(kRegisterWord, 0, 0x20, rd, rd, rs2);  // c.subw
    case 5:
      return type_r(kRegisterWord, 0, 0, rd, rd, rs2);  // c.addw
    default:
      return 0;
  }
}

std::uint32_t quadrant1(Fields c) {
  switch (c.at(13, 3)) {
    case 0:
      return type_i(kImmediate, 0, c.rd(), c.rd(), c.immediate());
    case 1:
      return c.rd() == 0 ? 0 : type_i(kImmediateWord, 0, c.rd(), c.rd(), c.immediate());
    case 2:
      return type_i(kImmediate, 0, c.rd(), 0, c.immediate());
    case 3:
      if (c.shift() == 0) return 0;
      if (c.rd() == kStack) return type_i(kImmediate, 0, kStack, kStack, c.add_to_stack_pointer());
      return kLui | c.rd() << 7 | c.immediate() << 12;
    case 4:
      return arithmetic(c);
    case 5:
      return type_j(0, c.jump());
    case 6:
      return type_b(0, c.rs1_short(), c.branch());
    default:
      return type_b(1, c.rs1_short(), c.branch());
  }
}

std::uint32_t jumps_and_moves(Fields c) {
  if (c.at(12, 1) == 0) {
    if (c.rs2() != 0) return type_r(kRegister, 0, 0, c.rd(), 0, c.rs2());  // c.mv
    return c.rd() == 0 ? 0 : type_i(kJalr, 0, 0, c.rd(), 0);               // c.jr
  }
  if (c.rs2() != 0) return type_r(kRegister, 0, 0, c.rd(), c.rd(), c.rs2());  // c.add
  return c.rd() == 0 ? kEbreak : type_i(kJalr, 0, 1, c.rd(), 0);              // c.jalr
}

std::uint32_t quadrant2(Fields c) {
  switch (c.at(13, 3)) {
    case 0:
      return type_i(kImmediate, 1, c.rd(), c.rd(), c.shift());
    case 1:
      return type_i(kLoadFloat, 3, c.rd(), kStack, c.stack_load_double());
    case 2:
      return c.rd() == 0 ? 0 : type_i(kLoad, 2, c.rd(), kStack, c.stack_load_word());
    case 3:
      return c.rd() == 0 ? 0 : type_i(kLoad, 3, c.rd(), kStack, c.stack_load_double());
    case 4:
      return jumps_and_moves(c);
    case 5:
      return type_s(kStoreFloat, 3, kStack, c.rs2(), c.stack_store_double());
    case 6:
      return type_s(kStore, 2, kStack, c.rs2(), c.stack_store_word());
    default:
      return type_s(kStore, 3, kStack, c.rs2(), c.stack_store_double());
  }
}

}  // namespace

std::uint32_t expand_compressed(std::uint16_t bits) {
  const Fields c{bits};
  switch (bits & 3) {
    case 0:
      return quadrant0(c);
    case 1:
      return quadrant1(c);
    case 2:
      return quadrant2(c);
    default:
      return 0;
  }
}

}  // namespace duet::rv64
