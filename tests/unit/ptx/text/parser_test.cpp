// Does the parser accept what compilers write, and name the line of what is wrong?
#include <gtest/gtest.h>

#include <chrono>

#include "compile_for_test.h"

namespace duet::ptx {
namespace {

TEST(ParserErrors, NameTheLine) {
  EXPECT_EQ(error_of(module_text("mov.u32 %r1, 0;\nret;")), "t.ptx:7: '%r1' is not declared");
  EXPECT_EQ(error_of(module_text(".reg .b32 %r<2>;\nbra nowhere;")),
            "t.ptx:8: label 'nowhere' is not defined");
  EXPECT_EQ(error_of(module_text(".reg .b32 %r<2>;\nadd.u32 %r0, %r1, %r2;")),
            "t.ptx:8: '%r2' is not declared");
  EXPECT_EQ(error_of(module_text("L:\nL:\nret;")).substr(0, 8), "t.ptx:8:");
  EXPECT_EQ(error_of(".version 7.8\n.target sm_60\n.frobnicate x;\n"),
            "t.ptx:3: directive .frobnicate is not known here");
  EXPECT_EQ(error_of(module_text("/* never closed")), "t.ptx:7: comment is not closed");
}

// Forms that the decoder does not know concern the kernel alone: newer compilers write some.
TEST(ParserErrors, AFormThatIsNotKnownRefusesItsKernel) {
  EXPECT_EQ(compile_body(".reg .b32 %r<2>;\nadd.u32 %r0, %r1;").unsupported,
            "kernel 'k': PTX 'add.u32' is not supported in this form: has 2 operands (t.ptx:8)");
  EXPECT_EQ(
      compile_body(".reg .b64 %d<2>;\n.reg .b32 %r<2>;\nadd.u64 %d0, %r1, %d1;").unsupported,
      "kernel 'k': PTX 'add.u64' is not supported in this form: operand 2 is narrower than u64 (t.ptx:9)");
  for (const char* access : {"ld.global.pred %p0, [%d0]", "st.shared.pred [%d0], %p0", "ld.pred %p0, [%d0]"})
    EXPECT_NE(compile_body(".reg .b64 %d<2>;\n.reg .pred %p<2>;\n" + std::string(access) + ";")
                  .unsupported.find("predicates have no place in memory"),
              std::string::npos);
}

TEST(Parser, AParameterKnowsWhatItPointsAt) {
  const Module module = compile_module(
      ".version 8.5\n.target sm_60\n.address_size 64\n.entry k(.param .u64 .ptr .global .align 32 a, "
      ".param .u64 .ptr .shared .align 4 b, .param .u64 .ptr .const .align 8 c, .param .u64 .ptr .local d, "
      ".param .u64 .ptr .align 2 e, .param .u64 f)\n{\nret;\n}\n",
      "t.ptx");
  const auto& parameters = module.kernels[0].parameters;
  const PointedSpace spaces[] = {PointedSpace::Global, PointedSpace::Shared,  PointedSpace::Const,
                                 PointedSpace::Local,  PointedSpace::Generic, PointedSpace::None};
  const Bytes alignments[] = {32, 4, 8, 0, 2, 0};
  ASSERT_EQ(parameters.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(parameters[i].pointed_space, spaces[i]) << i;
    EXPECT_EQ(parameters[i].pointed_alignment, alignments[i]) << i;
  }
}

TEST(Parser, UnsupportedInstructionNamesKernelAndLine) {
  const Kernel kernel = compile_body(
      ".reg .b32 %r<9>;\n.reg .b64 %t;\ntex.cube.v4.u32.s32 {%r0,%r1,%r2,%r3}, [%t, "
      "{%r4,%r5,%r6,%r7}];\nret;");
  EXPECT_EQ(kernel.unsupported, "kernel 'k': PTX 'tex.cube.v4.u32.s32' is not supported (t.ptx:9)");
  EXPECT_TRUE(kernel.code.empty());
}

TEST(Parser, UnknownModifierIsRefusedNotIgnored) {
  EXPECT_EQ(compile_body(".reg .f32 %f<3>;\nadd.weird.f32 %f0, %f1, %f2;\nret;").unsupported,
            "kernel 'k': PTX 'add.weird.f32' is not supported (t.ptx:8)");
  EXPECT_EQ(compile_body(".reg .f32 %f<4>;\nfma.rn.relu.f32 %f0, %f1, %f2, %f3;\nret;").unsupported,
            "kernel 'k': PTX 'fma.rn.relu.f32' is malformed: .relu belongs to 16-bit formats, without .sat "
            "(t.ptx:8)");
  EXPECT_EQ(compile_body(".reg .b32 %r<3>;\nadd.b32 %r0, %r1, %r2;\nret;").unsupported,
            "kernel 'k': PTX 'add.b32' is malformed: add has no type b32 (t.ptx:8)");
}

TEST(Parser, ConstantsKeepAllBits) {
  const Kernel kernel = compile_body(
      ".reg .b64 %d<9>;\nmov.u64 %d0, 0xFEDCBA9876543210;\nst.global.u64 [%d8], %d0;\n"
      "mov.f64 %d1, 0d400921FB54442D18;\nst.global.u64 [%d8], %d1;\n"
      "mov.s64 %d2, -1;\nst.global.u64 [%d8], %d2;\nmov.u64 %d3, 18446744073709551615U;\n"
      "st.global.u64 [%d8], %d3;\nmov.u64 %d4, (WARP_SZ*2+1)<<4;\nst.global.u64 [%d8], %d4;\nret;");
  std::vector<std::uint64_t> stored;
  for (const MicroOp& op : kernel.code)
    if (op.opcode == Opcode::Store) stored.push_back(immediate_of(kernel, op.sources[1], 8));
  EXPECT_EQ(stored,
            (std::vector<std::uint64_t>{0xFEDCBA9876543210, 0x400921FB54442D18, ~0ull, ~0ull, 65 << 4}));
}

TEST(Parser, InnerScopesHaveTheirOwnNamesAndLabels) {
  const Kernel kernel = compile_body(
      ".reg .b32 %r<3>;\n.reg .b64 %d;\n"
      "{\n.reg .pred p;\nsetp.eq.u32 p, %r1, 0;\n@p bra SKIP;\nst.global.u32 [%d], %r1;\nSKIP:\n}\n"
      "{\n.reg .pred p;\nsetp.eq.u32 p, %r2, 0;\n@!p bra SKIP;\nst.global.u32 [%d+4], %r2;\nSKIP:\n}\nret;");
  EXPECT_EQ(kernel.unsupported, "");
  ASSERT_EQ(count(kernel, Opcode::Branch), 2);
  for (std::size_t i = 0; i < kernel.code.size(); ++i)
    if (kernel.code[i].opcode == Opcode::Branch) {
      EXPECT_EQ(kernel.code[i].target, i + 2);
    }
}

TEST(Parser, VariablesWithInitialisersAndAddresses) {
  const Module module = compile_module(
      module_text("ret;", "",
                  ".visible .global .align 4 .b8 text[4] = {72, 105};\n.const .align 8 .f32 c[2] = "
                  "{0f3F800000, 2.0};\n"
                  ".global .align 8 .u64 where[2] = {generic(text)+2, text};\n.extern .global .u32 other;\n"),
      "t.ptx");
  ASSERT_EQ(module.variables.size(), 4u);
  EXPECT_EQ(module.variables[0].initial, (std::vector<std::uint8_t>{72, 105}));
  EXPECT_EQ(module.variables[0].bytes, 4u);
  EXPECT_TRUE(module.variables[1].constant);
  EXPECT_EQ(module.variables[1].initial, (std::vector<std::uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}));
  ASSERT_EQ(module.variables[2].relocations.size(), 2u);
  EXPECT_TRUE(module.variables[2].relocations[0].generic);
  EXPECT_EQ(module.variables[2].relocations[1].offset, 8u);
  EXPECT_EQ(module.variables[2].relocations[0].variable, 0);
  EXPECT_EQ(module.variables[2].initial[0], 2);
  EXPECT_TRUE(module.variables[3].external);
}

TEST(Parser, ParametersLieAtTheirNaturalAlignment) {
  const Kernel kernel =
      compile_body("ret;", ".param .u8 a, .param .u64 b, .param .align 4 .b8 c[12], .param .u16 d");
  ASSERT_EQ(kernel.parameters.size(), 4u);
  EXPECT_EQ(kernel.parameters[1].offset, 8u);
  EXPECT_EQ(kernel.parameters[2].offset, 16u);
  EXPECT_EQ(kernel.parameters[3].offset, 28u);
  EXPECT_EQ(kernel.parameter_bytes, 30u);
}

TEST(Parser, DirectivesOfTheLaunchShape) {
  const Module module = compile_module(
      ".version 9.0\n.target sm_75\n.address_size 64\n.entry k() .maxntid 128, 2, 1 .minnctapersm 3 .maxnreg "
      "40\n{ ret; }\n",
      "t.ptx");
  const Kernel& kernel = *module.find_kernel("k");
  EXPECT_EQ(kernel.max_threads, 256u);
  EXPECT_EQ(kernel.min_blocks_per_sm, 3u);
  EXPECT_EQ(kernel.max_registers, 40u);
  EXPECT_EQ(module.target_sm, 75u);
  EXPECT_EQ(module.version_major, 9u);
  EXPECT_EQ(module.find_kernel("absent"), nullptr);
}

std::string repeated(const std::string& text, unsigned times) {
  std::string result;
  for (unsigned i = 0; i < times; ++i) result += text;
  return result;
}

// What is nested deeper than the host's stack holds.
TEST(Parser, DeepNestingIsRefused) {
  const std::string number = repeated("(", 100'000) + "1" + repeated(")", 100'000);
  EXPECT_EQ(error_of(module_text(".reg .b32 %r;\nmov.b32 %r, 1 + " + number + ";\nret;")),
            "t.ptx:8: constant expressions are nested more than 500 deep");
  EXPECT_EQ(error_of(module_text(".reg .b32 %r;\nmov.b32 %r, " + repeated("~", 100'000) + "1;\nret;")),
            "t.ptx:8: constant expressions are nested more than 500 deep");
  EXPECT_EQ(error_of(module_text(repeated("{", 100'000) + "ret;" + repeated("}", 100'000))),
            "t.ptx:7: blocks are nested more than 100 deep");
  EXPECT_EQ(error_of(module_text(".reg .b32 %r;\nmov.b32 %r, " + repeated("(", 400) + "1" +
                                 repeated(")", 400) + ";\nret;")),
            "no error");
}

// Each function calls the one before it; the deepest bodies are not inlined.
TEST(Parser, LongChainsOfCallsCompile) {
  std::string functions = ".func f0()\n{\nret;\n}\n";
  for (unsigned i = 1; i < 20'000; ++i)
    functions += ".func f" + std::to_string(i) + "()\n{\ncall f" + std::to_string(i - 1) + ";\nret;\n}\n";
  EXPECT_GE(count(compile_body("call f19999;\nret;", "", functions), Opcode::Call), 1);
}

TEST(Parser, AMegabyteTakesWellBelowASecond) {
  std::string body = ".reg .b32 %r<9>;\n.reg .b64 %d;\n";
  while (body.size() < 1'000'000) body += "add.s32 %r1, %r2, %r1;\n\tld.global.u32 %r2, [%d+4];\n";
  const auto begin = std::chrono::steady_clock::now();
  compile_module(module_text(body + "st.global.u32 [%d], %r1;\nret;"), "t.ptx");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));  // unoptimised builds too
}

}  // namespace
}  // namespace duet::ptx
