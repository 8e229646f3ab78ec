// Operands that must stand in registers (place_operands) and loads that go early (hoist_loads).
#include <gtest/gtest.h>

#include "compile_for_test.h"

namespace duet::ptx {
namespace {

constexpr const char* kParameters = ".param .u64 a, .param .u64 b, .param .u32 n";
constexpr const char* kRegisters =
    ".reg .b64 %l<20>; .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .pred %p<4>;\n";

Kernel compile(const std::string& body, bool peepholes = true) {
  return compile_body(kRegisters + body, kParameters, ".shared .align 4 .b8 memory[256];\n", peepholes, true);
}

// Positions of the micro-ops of one opcode.
std::vector<std::size_t> positions(const Kernel& kernel, Opcode opcode) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < kernel.code.size(); ++i)
    if (kernel.code[i].opcode == opcode) result.push_back(i);
  return result;
}

TEST(PlaceOperands, ThreadIndexIsReadOnce) {
  const Kernel kernel = compile(
      "ld.param.u64 %l1, [a]; mov.u32 %r1, %tid.x; add.s32 %r2, %r1, 5; mul.lo.s32 %r3, %r1, %r2;\n"
      "st.global.u32 [%l1], %r3; st.global.u32 [%l1+4], %r1; ret;");
  unsigned reads = 0;
  for (const MicroOp& op : kernel.code)
    for (unsigned s = 0; s < op.source_count; ++s)
      if (op.sources[s].bank == Bank::Warp) {
        ++reads;
        EXPECT_EQ(op.opcode, Opcode::Mov);
      }
  EXPECT_EQ(reads, 1u) << dump(kernel);
}

TEST(PlaceOperands, OneConstantAnInstruction) {
  const Kernel kernel = compile(
      "ld.param.u64 %l1, [a]; ld.param.u32 %r1, [n]; ld.global.u32 %r2, [%l1];\n"
      "mad.lo.s32 %r3, %r2, 24, %r1; setp.lt.s32 %p1, %r1, 7; selp.b32 %r4, 3, 4, %p1; add.s32 %r3, %r3, "
      "%r4;\n"
      "st.global.u32 [%l1], %r3; ret;");
  for (const MicroOp& op : kernel.code) {
    unsigned constants = 0;
    for (unsigned s = 0; s < op.source_count; ++s)
      constants += op.sources[s].bank == Bank::Parameter || op.sources[s].bank == Bank::Immediate;
    EXPECT_LE(constants, 1u) << dump(op, kernel);
  }
  // Without the assembler's part operands stay as PTX has them.
  EXPECT_EQ(count(compile("selp.b32 %r4, 3, 4, %p1; st.shared.u32 [memory], %r4; ret;", false), Opcode::Mov),
            0);
}

TEST(PlaceOperands, AddressesAndStoredValuesAreRegisters) {
  const Kernel kernel = compile(
      "ld.param.u64 %l1, [a]; st.global.u32 [%l1], 7; st.global.u32 [%l1+4], 0; st.shared.u32 [memory+8], 7; "
      "ret;");
  const auto stores = positions(kernel, Opcode::Store);
  ASSERT_EQ(stores.size(), 3u);
  const auto source = [&](unsigned store, unsigned s) { return kernel.code[stores[store]].sources[s].bank; };
  EXPECT_EQ(source(0, 0), Bank::Register);
  EXPECT_EQ(source(0, 1), Bank::Register);
  EXPECT_EQ(source(1, 1), Bank::Immediate) << "zero is the zero register";
  EXPECT_EQ(source(2, 0), Bank::Immediate) << "shared memory takes absolute addresses";
  EXPECT_TRUE(kernel.code[stores[0]].address_is_64_bit);
  EXPECT_EQ(count(kernel, Opcode::Mov), 2) << dump(kernel);
}

TEST(PlaceOperands, ConstantsOfALoopAreReadBeforeIt) {
  const Kernel kernel = compile(
      "ld.param.u64 %l1, [a]; ld.param.u32 %r1, [n]; ld.global.u32 %r2, [%l1];\n"
      "again: mad.lo.s32 %r2, %r2, 24, %r1; setp.lt.u32 %p1, %r2, %tid.x; @%p1 bra again;\n"
      "st.global.u32 [%l1], %r2; ret;");
  const auto branches = positions(kernel, Opcode::Branch);
  ASSERT_EQ(branches.size(), 1u);
  const std::uint32_t head = kernel.code[branches[0]].target;
  EXPECT_EQ(branches[0] - head, 2u) << dump(kernel);
  EXPECT_EQ(kernel.code[head].opcode, Opcode::Mad) << dump(kernel);
}

TEST(PlaceOperands, ReservedRegistersCount) {
  const std::string body = "mov.u32 %r1, %tid.x; st.shared.u32 [memory], %r1; ret;";
  const Kernel old = compile(body);
  std::string text = module_text(kRegisters + body, "", ".shared .align 4 .b8 memory[256];\n");
  text.replace(text.find("sm_60"), 5, "sm_75");
  const Kernel recent = compile_module(text, "t.ptx").kernels.at(0);
  EXPECT_EQ(old.registers, 2u);  // R0 and the stack pointer
  EXPECT_EQ(recent.registers, 4u);
}

constexpr const char* kLoadAddress = "ld.param.u64 %l1, [a]; ld.param.u64 %l2, [b];\n";

TEST(HoistLoads, IndependentLoadsGoFirst) {
  const Kernel kernel = compile(
      std::string(kLoadAddress) +
      "ld.global.f32 %f1, [%l1]; add.f32 %f2, %f1, %f1; ld.global.f32 %f3, [%l1+4]; add.f32 %f4, %f2, %f3;\n"
      "add.s64 %l3, %l1, %l2; ld.global.f32 %f5, [%l3]; add.f32 %f6, %f4, %f5; st.global.f32 [%l1], %f6; "
      "ret;");
  EXPECT_LT(positions(kernel, Opcode::Load).back(), [&] {
    for (std::size_t i = 0; i < kernel.code.size(); ++i)
      if (kernel.code[i].type == Type::F32 && kernel.code[i].opcode == Opcode::Add) return i;
    return std::size_t{0};
  }()) << dump(kernel);
}

// As compilers write them for debuggers.
TEST(HoistLoads, LabelsThatNothingGoesToChangeNoCode) {
  const auto code = [](const std::string& first, const std::string& second) {
    const Kernel kernel =
        compile(std::string(kLoadAddress) + "ld.global.f32 %f1, [%l1]; add.f32 %f2, %f1, %f1;\n" + first +
                "\nld.global.f32 %f3, [%l1+4]; add.f32 %f4, %f2, %f3;\n" + second +
                "\n@%p1 bra DONE; st.global.f32 [%l1], %f4;\nDONE: ret;");
    return dump(kernel);
  };
  EXPECT_EQ(code("$L__tmp0:", "$L__tmp1:"), code("", ""));
}

TEST(HoistLoads, StoresToTheSameSpaceStayInFront) {
  const Kernel kernel = compile(std::string(kLoadAddress) +
                                "ld.global.u32 %r1, [%l1]; st.global.u32 [%l2], %r1; ld.global.u32 %r2, "
                                "[%l1]; st.global.u32 [%l2+4], %r2; "
                                "ret;");
  const auto loads = positions(kernel, Opcode::Load), stores = positions(kernel, Opcode::Store);
  EXPECT_LT(stores[0], loads[1]) << dump(kernel);
  const Kernel other =
      compile(std::string(kLoadAddress) +
              "ld.global.u32 %r1, [%l1]; st.shared.u32 [memory], %r1; ld.global.u32 %r2, [%l1+4];\n"
              "st.shared.u32 [memory+4], %r2; ret;");
  EXPECT_LT(positions(other, Opcode::Load)[1], positions(other, Opcode::Store)[0]) << dump(other);
}

TEST(HoistLoads, BarriersAtomicsAndVolatileLoadsAreNotCrossed) {
  for (const std::string between : {"bar.sync 0;", "membar.gl;", "atom.global.add.u32 %r3, [%l2], 1;",
                                    "ld.volatile.global.u32 %r3, [%l2];", "mov.u32 %r3, %clock;"}) {
    const Kernel kernel =
        compile(std::string(kLoadAddress) + "ld.global.u32 %r1, [%l1]; add.s32 %r1, %r1, 3;\n" + between +
                "ld.global.u32 %r2, [%l1+4]; add.s32 %r4, %r1, %r2; add.s32 %r4, %r4, %r3;\n"
                "st.global.u32 [%l1], %r4; ret;");
    std::size_t middle = kernel.code.size(), last = 0;
    for (std::size_t i = 0; i < kernel.code.size(); ++i) {
      const MicroOp& op = kernel.code[i];
      if (op.kind == Kind::Barrier || op.kind == Kind::Fence || op.kind == Kind::Atomic ||
          op.kind == Kind::Special || (op.kind == Kind::Load && op.semantics != MemorySemantics::Weak))
        middle = i;
      if (op.kind == Kind::Load && op.address_offset == 4) last = i;
    }
    EXPECT_LT(middle, last) << between << "\n" << dump(kernel);
  }
}

TEST(HoistLoads, FewValuesWait) {
  std::string body = kLoadAddress;
  for (unsigned i = 0; i < 40; ++i) {
    const std::string at = std::to_string(8 * i), r = std::to_string(i % 16 + 1);
    body += "ld.global.u32 %r" + r + ", [%l1+" + at + "]; add.s32 %r0, %r0, %r" + r + ";\n";
  }
  const Kernel kernel = compile("mov.u32 %r0, 0;\n" + body + "st.global.u32 [%l1], %r0; ret;");
  EXPECT_GT(kernel.registers, 10u) << dump(kernel);
  EXPECT_LT(kernel.registers, 26u) << dump(kernel);
}

}  // namespace
}  // namespace duet::ptx
