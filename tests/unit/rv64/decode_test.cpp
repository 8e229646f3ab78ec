// Words to instructions and text: one of each form, what is refused, and compressed spellings.
#include "rv64/decode.h"

#include <gtest/gtest.h>

namespace duet::rv64 {
namespace {

std::string text_of(std::uint32_t bits) { return disassemble(decode(bits), 0x1000); }

TEST(RvDecode, EveryRowOfTheTableIsFoundByItsMatch) {
  for (std::size_t number = 0; number < kOpcodes; ++number) {
    const Opcode opcode = static_cast<Opcode>(number);
    // cycle can be read with csrrs, csrrc and their forms with an immediate; fflags can be written too.
    const std::uint32_t csr_bits = has_operand(opcode, 'E') ? csr::kFflags << 20 : 0;
    EXPECT_EQ(decode(info_of(opcode).match | csr_bits).opcode, opcode) << info_of(opcode).mnemonic;
  }
}

TEST(RvDecode, OperandsAsObjdumpWritesThem) {
  EXPECT_EQ(text_of(0xfff50593), "addi a1,a0,-1");
  EXPECT_EQ(text_of(0x800002b7), "lui t0,0x80000");
  EXPECT_EQ(text_of(0xffdff06f), "jal zero,0xffc");
  EXPECT_EQ(text_of(0xfe0518e3), "bne a0,zero,0xff0");
  EXPECT_EQ(text_of(0x00813483), "ld s1,8(sp)");
  EXPECT_EQ(text_of(0xfe113c23), "sd ra,-8(sp)");
  EXPECT_EQ(text_of(0x43f55513), "srai a0,a0,0x3f");
  EXPECT_EQ(text_of(0x1005252f), "lr.w a0,(a0)");
  EXPECT_EQ(text_of(0x06b5352f), "amoadd.d.aqrl a0,a1,(a0)");
  EXPECT_EQ(text_of(0x02c5f553), "fadd.d fa0,fa1,fa2");
  EXPECT_EQ(text_of(0xc2059553), "fcvt.w.d a0,fa1,rtz");
  EXPECT_EQ(text_of(0x6ac5f543), "fmadd.d fa0,fa1,fa2,fa3");
  EXPECT_EQ(text_of(0xc0102573), "csrrs a0,time,zero");
  EXPECT_EQ(text_of(0x0ff0000f), "fence iorw,iorw");
  EXPECT_EQ(text_of(0x00000073), "ecall");
}

TEST(RvDecode, CompressedInstructionsAreOthersInShort) {
  EXPECT_EQ(text_of(0x4501), "addi a0,zero,0");   // c.li
  EXPECT_EQ(text_of(0x8082), "jalr zero,0(ra)");  // c.jr ra
  EXPECT_EQ(text_of(0x7179), "addi sp,sp,-48");   // c.addi16sp
  EXPECT_EQ(text_of(0x1808), "addi a0,sp,48");    // c.addi4spn
  EXPECT_EQ(text_of(0xe406), "sd ra,8(sp)");      // c.sdsp
  EXPECT_EQ(text_of(0x9002), "ebreak");           // c.ebreak
  EXPECT_EQ(text_of(0x952e), "add a0,a0,a1");     // c.add
  EXPECT_EQ(text_of(0xb7fd), "jal zero,0xfee");   // c.j
  EXPECT_EQ(decode(0x4501).length, 2);
  EXPECT_EQ(decode(0xabcd4501).bits, 0x4501u) << "the next instruction's bits are not looked at";
}

TEST(RvDecode, WhatIsNoInstructionIsRefused) {
  const std::uint32_t refused[] = {
      0x00000000,
      0xffffffff,
      0x0000001f,                        // of 48 bits
      0x00007003,                        // no load of this size
      0x02005013 | 1u << 30 | 1u << 31,  // reserved bits of a shift
      0x0005d553 | 5u << 12,             // reserved rounding mode: fadd.s
      0x30002573,                        // mstatus
      0xc0051573,                        // cycle is read-only
      0x30200073,                        // mret
      0x1015252f,                        // lr.w with rs2
      0x04000053,                        // a format of floating point that there is not
  };
  for (const std::uint32_t word : refused)
    EXPECT_EQ(decode(word).opcode, Opcode::Illegal) << std::hex << word;
  // c.addiw with x0, c.lui with 0, c.lwsp and c.ldsp with x0, c.jr x0, and the holes of the quadrants.
  for (const std::uint32_t half :
       {0x0000u, 0x2001u, 0x6001u, 0x4002u, 0x6002u, 0x8002u, 0x8000u, 0x9c41u, 0x9c61u})
    EXPECT_EQ(decode(half).opcode, Opcode::Illegal) << std::hex << half;
  EXPECT_EQ(text_of(0xffffffff), ".4byte 0xffffffff");
}

TEST(RvDecode, HintsAreNoErrors) {
  for (const std::uint32_t word : {0x0001u, 0x0085u, 0x4001u, 0x0002u, 0x0100000fu, 0x00100013u})
    EXPECT_NE(decode(word).opcode, Opcode::Illegal) << std::hex << word;
}

}  // namespace
}  // namespace duet::rv64
