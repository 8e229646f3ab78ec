// Decoded instructions: operands, treatment, instructions over the end of a page, code that changes.
#include "cpu/code_cache.h"

#include <gtest/gtest.h>

#include <span>

namespace duet::cpu {
namespace {

constexpr std::uint64_t kCode = 0x10000;

struct CodeCacheTest : ::testing::Test {
  CodeCacheTest() { memory.map(VirtualAddress(kCode), 2 * rv64::kPageBytes, {true, true, true}); }
  void put(std::uint64_t address, std::uint32_t word) {
    ASSERT_FALSE(memory.write(VirtualAddress(address), std::as_bytes(std::span(&word, 1))));
  }
  rv64::PagedMemory memory;
  CodeCache code{memory};
};

TEST(CodeEntryTest, RegistersHaveOneNumber) {
  const CodeEntry fused = decode_entry(0x6ae7f543);  // fmadd.d fa0,fa5,fa4,fa3
  EXPECT_EQ(fused.treatment, Treatment::FloatFused);
  EXPECT_EQ(fused.destination, 32 + 10);
  EXPECT_EQ(fused.sources, (std::array<std::uint8_t, 3>{32 + 15, 32 + 14, 32 + 13}));
  const CodeEntry load = decode_entry(0x0005b507);  // fld fa0,0(a1)
  EXPECT_EQ(load.treatment, Treatment::Load);
  EXPECT_EQ(load.destination, 32 + 10);
  EXPECT_EQ(load.sources[0], 11);
  const CodeEntry store = decode_entry(0x00a5b023);  // sd a0,0(a1)
  EXPECT_EQ(store.treatment, Treatment::Store);
  EXPECT_EQ(store.destination, kNoRegister);
  EXPECT_EQ(store.sources[0], 11);
  EXPECT_EQ(store.sources[1], 10);
  EXPECT_EQ(decode_entry(0x00000013).destination, kNoRegister);  // nop writes x0, which nobody reads
  EXPECT_EQ(decode_entry(0x00000013).sources[0], kNoRegister);
}

TEST(CodeEntryTest, OnlyFencesOfStoresBeforeLoadsWait) {
  struct Case {
    std::uint32_t word;
    Treatment treatment;
  };
  for (const Case& one : {Case{0x0330000f, Treatment::DrainStores},  // fence rw,rw
                          Case{0x0120000f, Treatment::DrainStores},  // fence w,r
                          Case{0x0110000f, Treatment::Nothing},      // fence w,w
                          Case{0x0230000f, Treatment::Nothing},      // fence r,rw
                          Case{0x8330000f, Treatment::DrainStores},  // fence.tso is taken as fence rw,rw
                          Case{0x0000100f, Treatment::DrainStores},  // fence.i
                          Case{0x00000073, Treatment::Trap}, Case{0x00100073, Treatment::Trap},
                          Case{0xffffffff, Treatment::Trap}, Case{0xc0002573, Treatment::Serial},
                          Case{0x1005a52f, Treatment::Atomic}, Case{0x00008067, Treatment::Jump},
                          Case{0x02b55533, Treatment::Divide}, Case{0x02b50533, Treatment::Multiply}})
    EXPECT_EQ(decode_entry(one.word).treatment, one.treatment) << std::hex << one.word;
}

TEST_F(CodeCacheTest, AnInstructionMayLieOnTwoPages) {
  const std::uint64_t pc = kCode + rv64::kPageBytes - 2;
  put(pc, 0x02b50533);  // mul a0,a0,a1
  ASSERT_NE(code.find(pc), nullptr);
  EXPECT_EQ(code.find(pc)->treatment, Treatment::Multiply);
  // Its second half changes: mulw differs in nothing else than the first, so let it be an addition.
  put(pc, 0x00b50533);
  EXPECT_EQ(code.find(pc)->treatment, Treatment::Integer);
  // The half on the other page alone.
  const std::uint16_t half = 0x02b5;
  ASSERT_FALSE(memory.write(VirtualAddress(pc + 2), std::as_bytes(std::span(&half, 1))));
  EXPECT_EQ(code.find(pc)->treatment, Treatment::Multiply);
}

TEST_F(CodeCacheTest, TheSecondPageMayBeMissing) {
  const std::uint64_t pc = kCode + 2 * rv64::kPageBytes - 2;
  const std::uint16_t half = 0x0533;
  ASSERT_FALSE(memory.write(VirtualAddress(pc), std::as_bytes(std::span(&half, 1))));
  EXPECT_EQ(code.find(pc), nullptr);
  EXPECT_EQ(code.fault().address, pc + 2);
  EXPECT_EQ(code.fault().access, rv64::Access::Fetch);
  EXPECT_FALSE(code.fault().mapped);
  const std::uint16_t compressed = 0x0001;  // c.nop needs no second half
  ASSERT_FALSE(memory.write(VirtualAddress(pc), std::as_bytes(std::span(&compressed, 1))));
  ASSERT_NE(code.find(pc), nullptr);
  EXPECT_EQ(code.find(pc)->instruction.length, 2);
}

TEST_F(CodeCacheTest, RightsThatGoTakeTheCodeWithThem) {
  put(kCode, 0x00b50533);
  ASSERT_NE(code.find(kCode), nullptr);
  memory.protect(VirtualAddress(kCode), rv64::kPageBytes, {true, true, false});
  EXPECT_EQ(code.find(kCode), nullptr);
  EXPECT_TRUE(code.fault().mapped);
  memory.protect(VirtualAddress(kCode), rv64::kPageBytes, {true, true, true});
  EXPECT_NE(code.find(kCode), nullptr);
}

}  // namespace
}  // namespace duet::cpu
