// PTX that names triggers and actions: what is read, what is refused, and that the passes leave it alone.
#include <gtest/gtest.h>

#include "compile_for_test.h"

namespace duet::ptx {
namespace {

const std::string kRegisters =
    ".reg .b32 %r<12>;\n.reg .b64 %l<9>;\n.shared .align 4 .b8 memory[256];\nld.param.u64 %l1, "
    "[a];\nld.param.u64 "
    "%l2, [b];\n";
Kernel compile(const std::string& body, bool peepholes = true) {
  return compile_body(kRegisters + body + "\nret;", ".param .u64 a, .param .u64 b", "", peepholes, true);
}

struct Form {
  const char* text;
  BitTrigger trigger;
  BitAction action;
  const char* shown;
};
constexpr Form kForms[] = {
    {"", BitTrigger::Implied, BitAction::None, ""},
    {".now", BitTrigger::None, BitAction::None, ".now"},
    {".full", BitTrigger::Full, BitAction::None, ".full"},
    {".empty", BitTrigger::Empty, BitAction::None, ".empty"},
    {".fill", BitTrigger::None, BitAction::Fill, ".fill"},
    {".now.fill", BitTrigger::None, BitAction::Fill, ".fill"},
    {".now.empty", BitTrigger::None, BitAction::Empty, ".now.empty"},
    {".full.fill", BitTrigger::Full, BitAction::Fill, ".full.fill"},
    {".full.empty", BitTrigger::Full, BitAction::Empty, ".full.empty"},
    {".empty.fill", BitTrigger::Empty, BitAction::Fill, ".empty.fill"},
    {".empty.empty", BitTrigger::Empty, BitAction::Empty, ".empty.empty"},
};

TEST(FullEmptyPtx, TheWholeMatrix) {
  for (const Form& form : kForms)
    for (const char* space : {".global", ""}) {
      const std::string bits = form.text;
      const Kernel kernel = compile("ld" + bits + space + ".v2.u32 {%r1, %r2}, [%l1]; st" + bits + space +
                                    ".u32 [%l2], %r1; st" + bits + space + ".b64 [%l2+8], %l1;");
      ASSERT_EQ(kernel.unsupported, "") << bits;
      EXPECT_EQ(kernel.names_bits, form.trigger != BitTrigger::Implied);
      ASSERT_EQ(kernel.code.size(), 6u) << dump(kernel);  // two for the addresses
      unsigned accesses = 0;
      for (const MicroOp& op : kernel.code) {
        if (op.kind != Kind::Load && op.kind != Kind::Store) continue;
        ++accesses;
        EXPECT_EQ(op.bit_trigger, form.trigger) << bits;
        EXPECT_EQ(op.bit_action, form.action) << bits;
        EXPECT_EQ(bits_text(op), form.shown);
      }
      EXPECT_EQ(accesses, 3u);
      EXPECT_NE(dump(kernel).find(std::string("ld") + form.shown + space + ".v2.u32"), std::string::npos)
          << dump(kernel);
    }
}

TEST(FullEmptyPtx, WhatIsNotOfTheFormIsRefusedByName) {
  const auto refused = [](const std::string& statement, const std::string& text,
                          const std::string& why = "") {
    EXPECT_EQ(compile(statement).unsupported,
              "kernel 'k': PTX '" + text + "' is not supported" + why + " (t.ptx:12)");
  };
  const std::string global = ": only global memory has full/empty bits";
  refused("ld.full.shared.u32 %r1, [memory];", "ld.full.shared.u32", global);
  refused("st.empty.fill.local.u32 [%l1], %r1;", "st.empty.fill.local.u32", global);
  refused("ld.now.const.u32 %r1, [%l1];", "ld.now.const.u32", global);
  refused("ld.full.param.u64 %l1, [a];", "ld.full.param.u64", global);
  refused("ld.global.full.u32 %r1, [%l1];", "ld.global.full.u32");
  refused("ld.fill.full.global.u32 %r1, [%l1];", "ld.fill.full.global.u32");
  refused("ld.full.full.global.u32 %r1, [%l1];", "ld.full.full.global.u32");
  refused("ld.full.now.global.u32 %r1, [%l1];", "ld.full.now.global.u32");
  refused("ld.full.empty.fill.global.u32 %r1, [%l1];", "ld.full.empty.fill.global.u32");
  refused("ldu.full.global.u32 %r1, [%l1];", "ldu.full.global.u32");
  refused("atom.full.global.add.u32 %r1, [%l1], 1;", "atom.full.global.add.u32");
}

TEST(FullEmptyPtx, AnAccessNobodyReadsStays) {
  for (const Form& form : kForms) {
    const Kernel kernel = compile("ld" + std::string(form.text) + ".global.u32 %r1, [%l1];");
    EXPECT_EQ(count(kernel, Opcode::Load), form.trigger == BitTrigger::Implied ? 0 : 1) << form.text;
  }
}

// No load passes one that names bits, whatever memory it reads, in either direction; they keep their order.
TEST(FullEmptyPtx, NothingIsMovedAcross) {
  for (const bool peepholes : {false, true})
    for (const Form& form : kForms) {
      if (form.trigger == BitTrigger::Implied) continue;
      for (const std::string& named : {"ld" + std::string(form.text) + ".global.u32 %r3, [%l2];",
                                       "st" + std::string(form.text) + ".global.u32 [%l2], %r1;"})
        for (const char* other : {"ld.global.u32 %r2, [%l1+4];", "ld.shared.u32 %r2, [memory+4];"}) {
          const Kernel kernel =
              compile("mov.u32 %r3, 0; ld.global.u32 %r1, [%l1]; add.s32 %r1, %r1, 3;\n" + named + other +
                          named + "\nadd.s32 %r4, %r1, %r2; add.s32 %r4, %r4, %r3; st.global.u32 [%l1], %r4;",
                      peepholes);
          std::string order;
          for (const MicroOp& op : kernel.code)
            if (op.kind == Kind::Load || op.kind == Kind::Store)
              if (op.space != StateSpace::Param)
                order += op.names_bits() ? 'n' : op.kind == Kind::Load ? 'l' : 's';
          EXPECT_EQ(order, "lnlns") << named << "\n" << dump(kernel);
        }
    }
}

}  // namespace
}  // namespace duet::ptx
