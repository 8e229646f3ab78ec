// Running a hart: budgets, traps, code that changes, several harts on one memory.
#include "rv64/interpreter.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace duet::rv64 {
namespace {

constexpr std::uint64_t kCode = 0x10000, kData = 0x20000;
constexpr unsigned kA0 = kArgument0, kA1 = kA0 + 1, kA2 = kA0 + 2;

// Words as an assembler gives them.
constexpr std::uint32_t addi(unsigned rd, unsigned rs1, int value) {
  return static_cast<std::uint32_t>(value) << 20 | rs1 << 15 | rd << 7 | 0x13;
}
constexpr std::uint32_t kEcall = 0x73, kFenceI = 0x100f, kLoopToStart4 = 0xfe0518e3 /* bne a0,zero,-16 */;

struct RvInterpreter : ::testing::Test {
  RvInterpreter() {
    memory.map(VirtualAddress(kCode), 4 * kPageBytes, {true, true, true});
    memory.map(VirtualAddress(kData), 2 * kPageBytes, {true, true, false});
    hart.pc = kCode;
  }
  void put(std::uint64_t address, std::initializer_list<std::uint32_t> words) {
    for (const std::uint32_t word : words) {
      ASSERT_FALSE(memory.write(VirtualAddress(address), std::as_bytes(std::span(&word, 1))));
      address += 4;
    }
  }
  PagedMemory memory;
  Interpreter interpreter{memory};
  Hart hart{memory, 0};
};

TEST_F(RvInterpreter, ExecutesExactlyTheBudget) {
  // A loop of four: a1 += 1, a2 += 2, nop, a0 -= 1; branch.
  put(kCode,
      {addi(kA1, kA1, 1), addi(kA2, kA2, 2), addi(0, 0, 0), addi(kA0, kA0, -1), kLoopToStart4, kEcall});
  for (std::uint64_t slice = 1; slice < 23; ++slice) {
    Hart sliced(memory, 1);
    sliced.pc = kCode;
    sliced.x[kA0] = 100;
    Trap trap;
    for (std::uint64_t done = 0; done < 500; done += slice) {
      trap = interpreter.run(sliced, slice);
      if (trap.cause != TrapCause::Budget) break;
      ASSERT_EQ(sliced.retired, done + slice);
    }
    if (trap.cause == TrapCause::Budget) trap = interpreter.run(sliced, 1);
    EXPECT_EQ(trap.cause, TrapCause::SystemCall) << slice;
    EXPECT_EQ(sliced.pc, kCode + 20);
    EXPECT_EQ(sliced.retired, 500u);
    EXPECT_EQ(sliced.x[kA1], 100u);
    EXPECT_EQ(sliced.x[kA2], 200u);
  }
  EXPECT_EQ(interpreter.run(hart, 0).cause, TrapCause::Budget);
  EXPECT_EQ(hart.retired, 0u);
}

TEST_F(RvInterpreter, ATrapLeavesTheInstructionUndone) {
  put(kCode,
      {addi(kA0, 0, 5), 0x00a5b023 /* sd a0,0(a1) */, addi(kA0, 0, 6), 0x00100073 /* ebreak */, 0xffffffff});
  hart.x[kA1] = 0x40;
  Trap trap = interpreter.run(hart, 100);
  EXPECT_EQ(trap.cause, TrapCause::AccessFault);
  EXPECT_EQ(trap.fault.address, 0x40u);
  EXPECT_EQ(trap.fault.access, Access::Store);
  EXPECT_EQ(trap.instruction, 0x00a5b023u);
  EXPECT_EQ(hart.pc, kCode + 4);
  EXPECT_EQ(hart.retired, 1u);
  hart.x[kA1] = kData;
  trap = interpreter.run(hart, 100);
  EXPECT_EQ(trap.cause, TrapCause::Breakpoint);
  EXPECT_EQ(hart.pc, kCode + 12);
  hart.pc += 4;
  trap = interpreter.run(hart, 100);
  EXPECT_EQ(trap.cause, TrapCause::IllegalInstruction);
  EXPECT_EQ(trap.instruction, 0xffffffffu);
  EXPECT_EQ(hart.retired, 3u);
  hart.pc = kData;
  trap = interpreter.run(hart, 100);
  EXPECT_EQ(trap.cause, TrapCause::AccessFault);
  EXPECT_EQ(trap.fault.access, Access::Fetch);
  EXPECT_TRUE(trap.fault.mapped);
}

TEST_F(RvInterpreter, AReservedRoundingModeIsIllegalWhenItIsUsed) {
  put(kCode, {0x02c5f553 /* fadd.d fa0,fa1,fa2 */, 0x02c58553 /* fadd.d fa0,fa1,fa2,rne */, kEcall});
  hart.frm = 5;
  EXPECT_EQ(interpreter.run(hart, 100).cause, TrapCause::IllegalInstruction);
  EXPECT_EQ(hart.pc, kCode);
  hart.pc += 4;
  EXPECT_EQ(interpreter.run(hart, 100).cause, TrapCause::SystemCall);
}

TEST_F(RvInterpreter, InstructionsCountThemselvesExactly) {
  // nop; rdinstret a0; nop; rdcycle a1
  put(kCode, {addi(0, 0, 0), 0xc0202573, addi(0, 0, 0), 0xc00025f3, 0xc0302673 /* hpmcounter3 */, kEcall});
  hart.retired = 1000;
  hart.x[kA2] = 9;
  interpreter.run(hart, 100);
  EXPECT_EQ(hart.x[kA0], 1001u);
  EXPECT_EQ(hart.x[kA1], 1003u);
  EXPECT_EQ(hart.x[kA2], 0u);
}

TEST_F(RvInterpreter, CodeThatWritesIntoItselfIsSeenAfterFenceI) {
  // a1 = word at a2; writes it over the instruction behind fence.i, in a loop of two rounds.
  put(kData, {addi(kA0, kA0, 100)});
  hart.x[kA2] = kData;
  hart.x[kA1] = kCode + 16;
  put(kCode, {0x00062683 /* lw a3,0(a2) */, addi(0, 0, 0), 0x00d5a023 /* sw a3,0(a1) */, kFenceI,
              addi(kA0, kA0, 1), kEcall});
  interpreter.run(hart, 4);
  EXPECT_EQ(interpreter.run(hart, 100).cause, TrapCause::SystemCall);
  EXPECT_EQ(hart.x[kA0], 100u);
  EXPECT_EQ(hart.retired, 5u);
  // By another hart, and by a system call.
  Hart other(memory, 1);
  other.pc = kCode;
  other.x[kA1] = kCode + 16;
  other.x[kA2] = kData;
  put(kData, {addi(kA0, kA0, 7)});
  EXPECT_EQ(interpreter.run(other, 100).cause, TrapCause::SystemCall);
  EXPECT_EQ(other.x[kA0], 7u);
  put(kCode + 16, {addi(kA0, kA0, 11)});
  hart.pc = kCode + 16;
  interpreter.run(hart, 100);
  EXPECT_EQ(hart.x[kA0], 111u);
}

TEST_F(RvInterpreter, PagesThatChangeTakeTheirCodeAlong) {
  put(kCode, {addi(kA0, kA0, 1), kEcall});
  interpreter.run(hart, 100);
  memory.protect(VirtualAddress(kCode), kPageBytes, {true, true, false});
  hart.pc = kCode;
  EXPECT_EQ(interpreter.run(hart, 100).cause, TrapCause::AccessFault);
  memory.map(VirtualAddress(kCode), kPageBytes, {true, true, true});
  EXPECT_EQ(interpreter.run(hart, 100).cause, TrapCause::IllegalInstruction);
  EXPECT_EQ(hart.x[kA0], 1u);
}

TEST_F(RvInterpreter, AnInstructionMayLieOnTwoPages) {
  const std::uint64_t pc = kCode + kPageBytes - 6;
  put(pc, {addi(kA0, kA0, 1), addi(kA0, kA0, 2), kEcall});
  hart.pc = pc;
  EXPECT_EQ(interpreter.run(hart, 100).cause, TrapCause::SystemCall);
  EXPECT_EQ(hart.x[kA0], 3u);
  put(pc + 4, {addi(kA0, kA0, 5)});
  hart.pc = pc;
  interpreter.run(hart, 100);
  EXPECT_EQ(hart.x[kA0], 9u);
  memory.unmap(VirtualAddress(kCode + kPageBytes), kPageBytes);
  hart.pc = pc;
  const Trap trap = interpreter.run(hart, 100);
  EXPECT_EQ(trap.cause, TrapCause::AccessFault);
  EXPECT_EQ(hart.pc, pc + 4);
  EXPECT_EQ(trap.fault.address, kCode + kPageBytes);
}

// Harts that add to one word with LR and SC, interleaved in slices of any length, lose nothing.
TEST_F(RvInterpreter, ReservationsAreExactForEveryInterleaving) {
  put(kCode,
      {0x100635af /* lr.d a1,(a2) */, addi(kA1, kA1, 1), 0x18b636af /* sc.d a3,a1,(a2) */,
       0xfe069ae3 /* bne a3,zero,-12 */, addi(kA0, kA0, -1), 0xfe0516e3 /* bne a0,zero,-20 */, kEcall});
  for (const std::uint64_t slice : {2u, 3u, 5u, 7u, 100u}) {
    Hart first(memory, 0), second(memory, 1);
    put(kData, {0, 0});
    for (Hart* one : {&first, &second}) {
      one->pc = kCode;
      one->x[kA0] = 50;
      one->x[kA2] = kData;
    }
    bool first_runs = true, second_runs = true;
    for (int turn = 0; turn < 10000 && (first_runs || second_runs); ++turn) {
      // Slices of different lengths, so that neither starves the other.
      if (first_runs) first_runs = interpreter.run(first, slice).cause == TrapCause::Budget;
      if (second_runs) second_runs = interpreter.run(second, slice + turn % 5).cause == TrapCause::Budget;
    }
    EXPECT_FALSE(first_runs || second_runs) << slice;
    std::uint64_t sum = 0;
    ASSERT_TRUE(hart.port.load(kData, sum));
    EXPECT_EQ(sum, 100u) << slice;
  }
}

}  // namespace
}  // namespace duet::rv64
