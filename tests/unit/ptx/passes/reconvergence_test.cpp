// Where do the lanes that a branch separates meet again?
#include <gtest/gtest.h>

#include "compile_for_test.h"

namespace duet::ptx {
namespace {

const std::string kRegisters = ".reg .pred %p<5>;\n.reg .b32 %r<9>;\n.reg .b64 %d<3>;\n";

// A store of n marks a place in the listing.
std::string mark(int n) { return "st.global.u32 [%d1], " + std::to_string(n) + ";\n"; }

std::uint32_t place(const Kernel& kernel, std::uint64_t n) {
  for (std::uint32_t i = 0; i < kernel.code.size(); ++i)
    if (kernel.code[i].opcode == Opcode::Store && immediate_of(kernel, kernel.code[i].sources[1]) == n)
      return i;
  throw Error("mark is missing");
}
std::vector<std::uint32_t> meetings(const Kernel& kernel) {
  std::vector<std::uint32_t> result;
  for (const MicroOp& op : kernel.code)
    if (op.kind == Kind::Branch && op.guard != kNoPredicate) result.push_back(op.reconvergence);
  return result;
}

TEST(Reconvergence, IfThenElse) {
  const Kernel kernel = compile_body(kRegisters + "@%p1 bra ELSE;\n" + mark(1) + "bra.uni END;\nELSE:\n" +
                                     mark(2) + "END:\n" + mark(3) + "ret;");
  EXPECT_EQ(meetings(kernel), std::vector<std::uint32_t>{place(kernel, 3)});
}

TEST(Reconvergence, LoopMeetsBehindItsExit) {
  const Kernel kernel = compile_body(kRegisters + "L:\n" + mark(1) + "@%p1 bra L;\n" + mark(2) + "ret;");
  EXPECT_EQ(meetings(kernel), std::vector<std::uint32_t>{place(kernel, 2)});
}

TEST(Reconvergence, NestedBranchesMeetInsideOut) {
  const Kernel kernel = compile_body(kRegisters + "@%p1 bra OUT;\n@%p2 bra IN;\n" + mark(1) + "IN:\n" +
                                     mark(2) + "OUT:\n" + mark(3) + "ret;");
  EXPECT_EQ(meetings(kernel), (std::vector<std::uint32_t>{place(kernel, 3), place(kernel, 2)}));
}

TEST(Reconvergence, IrreducibleLoop) {
  const Kernel kernel = compile_body(kRegisters + "@%p1 bra B;\nA:\n" + mark(1) + "B:\n" + mark(2) +
                                     "@%p2 bra A;\n" + mark(3) + "ret;");
  EXPECT_EQ(meetings(kernel), (std::vector<std::uint32_t>{place(kernel, 2), place(kernel, 3)}));
}

TEST(Reconvergence, TwoReturnsMeetOnlyAtTheEnd) {
  const Kernel kernel =
      compile_body(kRegisters + "@%p1 bra A;\n" + mark(1) + "ret;\nA:\n" + mark(2) + "ret;");
  EXPECT_EQ(meetings(kernel), std::vector<std::uint32_t>{static_cast<std::uint32_t>(kernel.code.size())});
}

TEST(Reconvergence, ATrappingPathDoesNotCount) {
  const Kernel kernel =
      compile_body(kRegisters + "@%p1 bra OK;\n" + mark(1) + "trap;\nOK:\n" + mark(2) + "ret;");
  EXPECT_EQ(meetings(kernel), std::vector<std::uint32_t>{place(kernel, 2)});
}

TEST(Reconvergence, BranchTablesNameEveryTarget) {
  const Kernel kernel = compile_body(kRegisters + "T: .branchtargets A, B;\nbrx.idx %r1, T;\nA:\n" + mark(1) +
                                     "bra END;\nB:\n" + mark(2) + "END:\n" + mark(3) + "ret;");
  ASSERT_EQ(kernel.branch_tables.size(), 1u);
  EXPECT_EQ(kernel.branch_tables[0], (std::vector<std::uint32_t>{place(kernel, 1), place(kernel, 2)}));
  EXPECT_EQ(first(kernel, Opcode::BranchIndexed).reconvergence, place(kernel, 3));
}

}  // namespace
}  // namespace duet::ptx
