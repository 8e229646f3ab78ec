#include "opencl/compiler/grid_parts.h"

#include <gmock/gmock.h>

namespace duet::opencl {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(OpenClGridParts, AGroupsNumberBeginsWithThoseBeforeThePart) {
  const std::string ptx = with_grid_parts("\tmov.u32 \t%r1, %ctaid.y;\n").value();
  EXPECT_THAT(ptx, HasSubstr("mov.u32 %r1, %ctaid.y;"));
  EXPECT_THAT(ptx, HasSubstr("mov.u32 %b, %envreg8; add.u32 %r1, %r1, %b;"));
}

TEST(OpenClGridParts, TheNumberOfGroupsIsTheWholeWorks) {
  EXPECT_EQ(with_grid_parts("mov.u32 %r2, %nctaid.z;\n"), "\tmov.u32 %r2, %envreg12;\n");
}

TEST(OpenClGridParts, TheOffsetIsWithoutTheWorkItemsBeforeThePart) {
  const std::string ptx = with_grid_parts("\tmov.u32 %r3, %envreg3;\n").value();
  EXPECT_THAT(ptx, HasSubstr("mov.u32 %r3, %envreg3;"));
  EXPECT_THAT(ptx, HasSubstr("mov.u32 %b, %envreg7; mov.u32 %f, %envreg13;"));
  EXPECT_THAT(ptx, HasSubstr("mul.lo.u32 %b, %b, %f; sub.u32 %r3, %r3, %b;"));
}

TEST(OpenClGridParts, OtherLinesStayInTheirPlaces) {
  const std::string others =
      "// a\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %ntid.x;\n\tmov.u32 %r4, %envreg6;\n";
  EXPECT_EQ(with_grid_parts(others), others);
}

TEST(OpenClGridParts, WhatIsReadInAnotherWayIsRefused) {
  EXPECT_FALSE(with_grid_parts("\tadd.u32 %r1, %r2, %ctaid.x;\n"));
  EXPECT_FALSE(with_grid_parts("\tmov.v4.u32 {%r1, %r2, %r3, %r4}, %nctaid;\n"));
}

}  // namespace
}  // namespace duet::opencl
