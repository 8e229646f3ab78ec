// Does each pass do what it says on a small input, and nothing where the conditions do not hold?
#include <gtest/gtest.h>

#include "compile_for_test.h"
#include "ptx/state_spaces.h"

namespace duet::ptx {
namespace {

const std::string kRegisters =
    ".reg .pred %p<5>;\n.reg .b16 %h<5>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n.reg .f32 %f<9>;\n";

const std::string kVectorAdd =
    kRegisters +
    "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\nld.param.u32 %r2, [n];\nmov.u32 %r3, %ctaid.x;\n"
    "mov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\nmad.lo.s32 %r1, %r3, %r4, %r5;\nsetp.ge.s32 %p1, %r1, "
    "%r2;\n"
    "@%p1 bra DONE;\ncvta.to.global.u64 %d4, %d1;\nmul.wide.s32 %d5, %r1, 4;\nadd.s64 %d6, %d4, %d5;\n"
    "cvta.to.global.u64 %d7, %d2;\nadd.s64 %d8, %d7, %d5;\nld.global.f32 %f1, [%d6];\nld.global.f32 %f2, "
    "[%d8];\n"
    "add.f32 %f3, %f1, %f2;\nst.global.f32 [%d8], %f3;\nDONE:\nret;";
const std::string kVectorAddParameters = ".param .u64 a, .param .u64 b, .param .u32 n";

TEST(Peepholes, ParametersAndSpecialRegistersAreOperands) {
  const Kernel kernel = compile_body(kVectorAdd, kVectorAddParameters);
  EXPECT_EQ(count(kernel, Opcode::Mov), 0) << dump(kernel);
  const MicroOp& mad = first(kernel, Opcode::Mad);
  EXPECT_EQ(mad.sources[0].bank, Bank::Block);
  EXPECT_EQ(mad.sources[2].bank, Bank::Warp);
  EXPECT_EQ(first(kernel, Opcode::Setp).sources[1].bank, Bank::Parameter);
  EXPECT_EQ(kernel.code.size(), 10u);
  EXPECT_EQ(kernel.registers, 6u);  // two addresses; index and values fit around them and R1
}

TEST(Peepholes, OffKeepsTheProgramAsWritten) {
  const Kernel kernel = compile_body(kVectorAdd, kVectorAddParameters, "", false);
  EXPECT_EQ(count(kernel, Opcode::Add), 3);
  EXPECT_GT(count(kernel, Opcode::Mov), 4);
}

TEST(Peepholes, AConstantAdditionMovesIntoTheAddress) {
  const Kernel kernel =
      compile_body(kRegisters +
                       "ld.param.u64 %d1, [a];\nadd.s64 %d2, %d1, 64;\nadd.s64 %d3, %d2, -8;\n"
                       "ld.global.u32 %r1, [%d3+4];\nst.global.u32 [%d3], %r1;\nret;",
                   ".param .u64 a");
  EXPECT_EQ(first(kernel, Opcode::Load).address_offset, 60);
  EXPECT_EQ(first(kernel, Opcode::Store).address_offset, 56);
  EXPECT_TRUE(first(kernel, Opcode::Load).uniform_address);
  EXPECT_EQ(count(kernel, Opcode::Add), 0);
}

TEST(Peepholes, A32BitAddressFoldsSinceItsSumWraps) {
  const Kernel kernel = compile_body(
      kRegisters +
      "ld.global.u32 %r1, [%d1];\nadd.s32 %r2, %r1, 1024;\nst.shared.u32 [%r2], %r1;\nadd.s32 %r3, %r1, "
      "-16;\nst.shared.u32 [%r3], %r1;\nret;");
  EXPECT_EQ(count(kernel, Opcode::Add), 0) << dump(kernel);
  EXPECT_EQ(first(kernel, Opcode::Store).address_offset, 1024);
  EXPECT_EQ(kernel.code[kernel.code.size() - 2].address_offset, -16);
}

TEST(Peepholes, ALoopCarriedCopyIsNotPropagated) {
  const Kernel kernel = compile_body(
      kRegisters +
          "ld.param.u64 %d1, [a];\nmov.u32 %r1, 0;\nL:\nmov.u32 %r2, %r1;\nadd.s32 %r1, %r1, 1;\n"
          "st.global.u32 [%d1], %r2;\nsetp.lt.s32 %p1, %r1, 10;\n@%p1 bra L;\nret;",
      ".param .u64 a");
  // The stored value is the one before the increment, so both live at once.
  EXPECT_EQ(count(kernel, Opcode::Mov), 2) << dump(kernel);
  EXPECT_NE(first(kernel, Opcode::Store).sources[1].slot, first(kernel, Opcode::Add).destinations[0]);
}

TEST(Peepholes, IntegerMultiplyAddFusesFloatDoesNot) {
  const Kernel kernel = compile_body(
      kRegisters +
      "ld.global.u32 %r1, [%d1];\nmul.lo.s32 %r2, %r1, 12;\nadd.s32 %r3, %r2, %r1;\nst.global.u32 [%d1], "
      "%r3;\nld.global.f32 %f1, [%d1];\nmul.f32 %f2, %f1, %f1;\nadd.f32 %f3, %f2, %f1;\nst.global.f32 [%d1], "
      "%f3;\nret;");
  EXPECT_EQ(count(kernel, Opcode::Mad), 1);
  EXPECT_EQ(count(kernel, Opcode::Mul), 1);
  EXPECT_EQ(first(kernel, Opcode::Mul).type, Type::F32);
  EXPECT_EQ(count(kernel, Opcode::Fma), 0);
}

TEST(Peepholes, AProductWithTwoUsesStaysForNarrowTypes) {
  const Kernel kernel =
      compile_body(kRegisters +
                   "ld.global.u32 %r1, [%d1];\nmul.lo.s32 %r2, %r1, 12;\nadd.s32 %r3, %r2, %r1;\n"
                   "st.global.u32 [%d1], %r3;\nst.global.u32 [%d1+4], %r2;\nret;");
  EXPECT_EQ(count(kernel, Opcode::Mul), 1);
  EXPECT_EQ(count(kernel, Opcode::Add), 1);
}

TEST(Peepholes, NegationBecomesAnOperandModifier) {
  const Kernel kernel = compile_body(kRegisters +
                                     "ld.global.f32 %f1, [%d1];\nabs.f32 %f2, %f1;\nneg.f32 %f3, %f2;\n"
                                     "add.f32 %f4, %f1, %f3;\nst.global.f32 [%d1], %f4;\nret;");
  const MicroOp& add = first(kernel, Opcode::Add);
  EXPECT_TRUE(add.sources[1].negate);
  EXPECT_TRUE(add.sources[1].absolute);
  EXPECT_FALSE(add.sources[0].negate);
  EXPECT_EQ(count(kernel, Opcode::Neg) + count(kernel, Opcode::Abs), 0);
}

TEST(Peepholes, DeadCodeGoesCarryChainsStay) {
  const Kernel kernel =
      compile_body(kRegisters +
                   "ld.global.u32 %r9, [%d1];\nadd.u32 %r8, %r7, 1;\nadd.cc.u32 %r1, %r2, %r3;\n"
                   "addc.u32 %r4, %r5, %r6;\nst.global.u32 [%d1], %r4;\nret;");
  EXPECT_EQ(count(kernel, Opcode::Load), 0);
  ASSERT_EQ(count(kernel, Opcode::Add), 2);
  EXPECT_TRUE(first(kernel, Opcode::Add).carry_out);
}

TEST(Inlining, CallParametersBecomeRegisters) {
  const std::string callee =
      ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %q<3>;\nld.param.u32 %q1, [x];\nadd.u32 %q2, "
      "%q1, "
      "%q1;\nst.param.b32 [r], %q2;\nret;\n}\n";
  const Kernel kernel = compile_body(
      kRegisters +
          "ld.global.u32 %r1, [%d1];\n{\n.param .b32 p0;\n.param .b32 q0;\nst.param.b32 [p0], %r1;\n"
          "call.uni (q0), twice, (p0);\nld.param.b32 %r2, [q0];\n}\nst.global.u32 [%d1], %r2;\nret;",
      "", callee);
  EXPECT_EQ(kernel.unsupported, "");
  EXPECT_EQ(kernel.local_bytes, 0u);
  EXPECT_EQ(kernel.code.size(), 4u) << dump(kernel);  // ld, add, st, exit
}

// A value that is live across a recursive call is stored before and loaded behind it; what dies is not.
TEST(Inlining, ARecursiveFunctionIsARoutineWithAFrame) {
  const Kernel kernel = compile_body(
      kRegisters + "ld.param.u32 %r1, [n];\ncall (%r2), sum, (%r1);\nst.global.u32 [%d1], %r2;\nret;",
      ".param .u32 n",
      ".func (.reg .u32 %s) sum(.reg .u32 %n)\n{\n.reg .pred %p;\nmov.u32 %s, %n;\nsetp.eq.u32 %p, %n, 0;\n"
      "@%p ret;\n.reg .u32 %m;\nsub.u32 %m, %n, 1;\ncall (%s), sum, (%m);\nadd.u32 %s, %s, %n;\nret;\n}\n");
  EXPECT_EQ(kernel.unsupported, "");
  EXPECT_TRUE(kernel.uses_stack);
  EXPECT_EQ(kernel.local_bytes, 0u);
  ASSERT_EQ(kernel.called_functions.size(), 1u);
  EXPECT_EQ(kernel.called_functions[0].name, "sum");
  unsigned calls = 0, returns = 0, stores = 0;
  for (const MicroOp& op : kernel.code) {
    stores += op.kind == Kind::Store && op.space == StateSpace::Local;
    returns += op.kind == Kind::Return;
    if (op.kind != Kind::Call) continue;
    ++calls;
    EXPECT_EQ(op.target, kernel.called_functions[0].entry);
    EXPECT_EQ(op.address_offset, 8);  // %n and the number of the call to return to
  }
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(returns, 1u);
  EXPECT_EQ(stores, 3u);  // the same two, and the kernel's %d1
  ASSERT_EQ(kernel.branch_tables.size(), 1u);
  EXPECT_EQ(kernel.branch_tables[0].size(), 2u);
}

// Thirty functions of which each calls the next one twice.
TEST(Inlining, StopsWhereAKernelWouldBecomeTooLong) {
  std::string functions = ".func (.reg .u32 %s) f0(.reg .u32 %n)\n{\nadd.u32 %s, %n, 1;\nret;\n}\n";
  for (unsigned i = 1; i < 30; ++i) {
    const std::string next = "f" + std::to_string(i - 1);
    functions += ".func (.reg .u32 %s) f" + std::to_string(i) + "(.reg .u32 %n)\n{\ncall (%s), " + next +
                 ", (%n);\ncall (%s), " + next + ", (%s);\nret;\n}\n";
  }
  const Kernel kernel = compile_body(
      kRegisters + "ld.param.u32 %r1, [n];\ncall (%r2), f29, (%r1);\nst.global.u32 [%d1], %r2;\nret;",
      ".param .u32 n", functions, false);
  EXPECT_EQ(kernel.unsupported, "");
  EXPECT_TRUE(kernel.uses_stack);
  EXPECT_LT(kernel.code.size(), 1'000'000u);
}

TEST(Inlining, AnIndirectCallBranchesOverFunctionsThatFit) {
  const std::string functions =
      ".func (.reg .u32 %s) one(.reg .u32 %n)\n{\nadd.u32 %s, %n, 1;\nret;\n}\n"
      ".func (.reg .u32 %s) never(.reg .u32 %n)\n{\nadd.u32 %s, %n, 2;\nret;\n}\n"
      ".func (.reg .u64 %s) wide(.reg .u32 %n)\n{\ncvt.u64.u32 %s, %n;\nret;\n}\n"
      ".func (.reg .u32 %s) two(.reg .u32 %n)\n{\nadd.u32 %s, %n, 3;\nret;\n}\n"
      ".global .u64 table[2] = {two, wide};\n";
  const Kernel kernel = compile_body(
      kRegisters +
          "mov.u64 %d1, one;\nld.global.u64 %d2, [table];\n"
          "proto: .callprototype (.reg .u32 _) _ (.reg .u32 _);\ncall (%r2), %d2, (%r1), proto;\n"
          "st.global.u32 [%d1], %r2;\nret;",
      "", functions);
  EXPECT_EQ(kernel.unsupported, "");
  EXPECT_FALSE(kernel.uses_stack);
  ASSERT_EQ(kernel.code_addresses.size(), 1u);
  EXPECT_EQ(kernel.code_addresses[0], (std::vector<Address>{function_address(0), function_address(3)}));
  const MicroOp& branch = first(kernel, Opcode::BranchIndexed);
  EXPECT_EQ(branch.type, Type::U64);
  EXPECT_LT(branch.reconvergence, kernel.code.size());
}

TEST(Inlining, PrintfIsASystemCallWithRealPointers) {
  const Kernel kernel =
      compile_body(kRegisters +
                       ".local .align 8 .b8 depot[16];\nmov.u64 %d1, depot;\ncvta.local.u64 %d2, "
                       "%d1;\nst.local.u32 [%d1], %r1;\n"
                       "{\n.param .b64 p0;\nst.param.b64 [p0], %d3;\n.param .b64 p1;\nst.param.b64 [p1], "
                       "%d2;\n.param .b32 q;\n"
                       "call.uni (q), vprintf, (p0, p1);\n}\nret;",
                   "", ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n");
  const MicroOp& call = first(kernel, Opcode::SystemCall);
  EXPECT_EQ(call.mode, static_cast<unsigned>(SystemFunction::Vprintf));
  EXPECT_EQ(call.source_count, 2);
  EXPECT_EQ(call.destination_count, 1);
  EXPECT_EQ(kernel.local_bytes, 16u);
}

TEST(Layout, SharedVariablesByAlignmentDynamicBehind) {
  const Kernel kernel = compile_body(
      kRegisters +
          ".shared .align 1 .b8 one[3];\n.shared .align 8 .b8 two[8];\nmov.u32 %r1, one;\nmov.u32 %r2, two;\n"
          "mov.u32 %r3, dyn;\nst.global.u32 [%d1], %r1;\nst.global.u32 [%d1], %r2;\nst.global.u32 [%d1], "
          "%r3;\nret;",
      "", ".extern .shared .align 16 .b8 dyn[];\n.shared .u32 unused[64];\n");
  std::vector<std::uint64_t> stored;
  for (const MicroOp& op : kernel.code)
    if (op.opcode == Opcode::Store) stored.push_back(immediate_of(kernel, op.sources[1]));
  EXPECT_EQ(stored, (std::vector<std::uint64_t>{0, 8, 16}));
  EXPECT_EQ(kernel.static_shared_bytes, 16u);
  EXPECT_EQ(kernel.dynamic_shared_offset, 16u);
}

TEST(Decoding, WiderRegistersOfNarrowAccesses) {
  const Kernel kernel =
      compile_body(kRegisters + "ld.global.s8 %d2, [%d1];\nst.global.u8 [%d1+1], %d2;\nret;", "", "", false);
  EXPECT_EQ(first(kernel, Opcode::Load).source_type, Type::B64);
  const MicroOp& cut = first(kernel, Opcode::Cvt);
  EXPECT_EQ(cut.source_type, Type::U64);
  EXPECT_EQ(first(kernel, Opcode::Store).sources[1].slot, cut.destinations[0]);
}

TEST(Decoding, PredicatesOfComparisonsAndVotes) {
  const Kernel kernel = compile_body(kRegisters +
                                     "setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;\nvote.sync.ballot.b32 %r2, %p1, "
                                     "-1;\n@!%p2 st.global.u32 [%d1], "
                                     "%r2;\nshfl.sync.down.b32 %r3|%p4, %r2, 1, 31, -1;\n@%p4 st.global.u32 "
                                     "[%d1], %r3;\nbarrier.sync 3;\nret;");
  const MicroOp& setp = first(kernel, Opcode::Setp);
  EXPECT_EQ(setp.boolean, Boolean::And);
  EXPECT_EQ(setp.sources[2].bank, Bank::Predicate);
  EXPECT_TRUE(setp.sources[2].negate);
  EXPECT_NE(setp.predicate_destination, setp.predicate_destination_second);
  EXPECT_TRUE(kernel.names_32_lanes);
  EXPECT_TRUE(first(kernel, Opcode::Store).guard_negated);
  const MicroOp& shfl = first(kernel, Opcode::Shfl);
  EXPECT_NE(shfl.destinations[0], shfl.sources[0].slot);  // lanes still read each other's source
  EXPECT_EQ(kernel.barriers, 4u);
}

TEST(Allocation, WidthsNeverShareASlotButCountTogether) {
  // 64-bit values live first, 32-bit ones after: an assembler reuses the registers, the lane arrays may not.
  const Kernel kernel = compile_body(kRegisters +
                                         "ld.param.u64 %d1, [a];\nld.global.u64 %d2, [%d1];\nld.global.u64 "
                                         "%d3, [%d1+8];\nadd.u64 %d4, %d2, %d3;\n"
                                         "st.global.u64 [%d1], %d4;\nld.global.u32 %r1, "
                                         "[%d1];\nld.global.u32 %r2, [%d1+4];\nadd.u32 %r3, %r1, %r2;\n"
                                         "st.global.u32 [%d1], %r3;\nret;",
                                     ".param .u64 a");
  EXPECT_EQ(kernel.registers, 6u);  // R1 is the stack pointer's
  EXPECT_EQ(kernel.register_slots, 6u);
  for (const MicroOp& op : kernel.code)
    if (op.destination_count == 1) {
      EXPECT_EQ(op.destinations[0] < 4, type_bytes(op.type) == 8) << dump(op, kernel);
    }
}

TEST(Allocation, AGuardedDefinitionKeepsTheOldValueAlive) {
  const Kernel kernel =
      compile_body(kRegisters +
                   "ld.global.u32 %r1, [%d1];\nld.global.u32 %r2, [%d1+4];\nsetp.eq.u32 %p1, %r2, 0;\n"
                   "ld.global.u32 %r3, [%d1+8];\n@%p1 mov.u32 %r1, %r3;\nst.global.u32 [%d1], %r1;\nret;");
  EXPECT_EQ(count(kernel, Opcode::Mov), 1);
  const MicroOp& move = first(kernel, Opcode::Mov);
  EXPECT_NE(move.destinations[0], move.sources[0].slot);
}

}  // namespace
}  // namespace duet::ptx
