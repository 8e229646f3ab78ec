// Texts of relocatable device code become one that compiles: declarations meet definitions, wherever they
// stand, local names stay apart, weak definitions come once.
#include "core/ptx_link.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ptx/compiler.h"

namespace {

using duet::core::link_ptx;

const char* const kHeader = ".version 9.0\n.target sm_75\n.address_size 64\n";

std::string first() {
  return std::string(kHeader) + R"(
// calls what the other text has; { ; in a comment
.extern .func (.param .b32 func_retval0) seven(.param .b32 seven_param_0) ;
.extern .global .align 4 .b8 table[16];
.global .align 1 .b8 $str[3] = {97, 59, 0};
.weak .func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<2>; ld.param.u32 %r1, [a]; st.param.b32 [r], %r1; ret; }
.func hidden() { ret; }
.visible .entry k(.param .u64 p) {
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
mov.u64 %rd1, table;
mov.u64 %rd2, $str;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], 3; call.uni (b), seven, (a); ld.param.b32 %r1, [b]; }
{ .param .b32 a; .param .b32 b; st.param.b32 [a], 3; call.uni (b), twice, (a); ld.param.b32 %r2, [b]; }
call.uni hidden;
ld.param.u64 %rd3, [p];
st.global.u32 [%rd3], %r1;
ret;
}
)";
}

std::string second() {
  return std::string(kHeader) + R"(
.visible .global .align 4 .b8 table[16] = {1, 0, 0, 0};
.global .align 1 .b8 $str[2] = {98, 0};
.weak .func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<2>; ld.param.u32 %r1, [a]; st.param.b32 [r], %r1; ret; }
.func hidden() { .reg .b64 %rd<2>; mov.u64 %rd1, $str; ret; }
.visible .func (.param .b32 func_retval0) seven(.param .b32 seven_param_0)
{
.reg .b32 %r<3>;
call.uni hidden;
ld.param.u32 %r1, [seven_param_0];
add.s32 %r2, %r1, 4;
st.param.b32 [func_retval0+0], %r2;
ret;
}
)";
}

unsigned times(const std::string& text, const std::string& word) {
  unsigned count = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

void check(const std::string& linked) {
  const auto module = duet::ptx::compile_module(linked, "linked.ptx");
  ASSERT_EQ(module.kernels.size(), 1u);
  EXPECT_EQ(module.kernels[0].unsupported, "");
  ASSERT_EQ(module.variables.size(), 3u);
  for (const auto& variable : module.variables) EXPECT_FALSE(variable.external) << variable.name;
  EXPECT_EQ(times(linked, ".version"), 1u);
  EXPECT_EQ(times(linked, ".weak"), 1u);
  EXPECT_EQ(times(linked, "$str$m2["), 1u);
  EXPECT_EQ(times(linked, "hidden$m2()"), 1u);
}

TEST(PtxLink, DefinitionBehindItsUse) { check(link_ptx({first(), second()})); }

TEST(PtxLink, DefinitionBeforeItsUse) { check(link_ptx({second(), first()})); }

TEST(PtxLink, ANameThatNobodyDefinesStaysExternal) {
  const std::string linked = link_ptx({first()});
  EXPECT_EQ(times(linked, ".extern .global"), 1u);
  EXPECT_THROW(
      {
        const auto module = duet::ptx::compile_module(linked, "linked.ptx");
        if (!module.kernels.at(0).unsupported.empty()) throw duet::Error(module.kernels[0].unsupported);
      },
      duet::Error);
}

TEST(PtxLink, DuplicateDefinitionsAreTold) {
  const std::string text = std::string(kHeader) + ".visible .func f() { ret; }\n";
  EXPECT_THROW(duet::ptx::compile_module(link_ptx({text, text}), "linked.ptx"), duet::Error);
}

}  // namespace
