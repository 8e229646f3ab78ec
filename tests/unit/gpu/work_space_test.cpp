#include "gpu/work_space.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ptx/compiler.h"

namespace duet::gpu {
namespace {

ptx::Module module_reading(const std::vector<unsigned>& registers) {
  std::string body;
  for (const unsigned number : registers)
    body += "mov.u32 %r0, %envreg" + std::to_string(number) + ";\nst.global.u32 [%d0], %r0;\n";
  return ptx::compile_module(
      ".version 8.5\n.target sm_60, texmode_independent\n.address_size 64\n"
      ".entry k(.param .u64 .ptr .global .align 4 p, .param .u8 c)\n{\n.reg .b32 %r<2>;\n.reg .b64 %d<2>;\n"
      "ld.param.u64 %d0, [p];\n" +
          body + "ret;\n}\n",
      "k.ptx");
}

std::uint32_t word(const Grid& grid, unsigned number) {
  std::uint32_t value = 0;
  std::memcpy(&value, grid.parameters.data() + grid.kernel->environment_offset + 4 * (number - 3), 4);
  return value;
}

void make(Grid& grid, const ptx::Kernel& kernel) {
  grid.kernel = &kernel;
  grid.grid = {6, 5, 1};
  grid.block = {16, 2, 1};
  grid.parameters.resize(kernel.parameter_bytes);
}

TEST(WorkSpace, AKernelHasWordsUpToTheLastRegisterThatItReads) {
  const ptx::Module none = module_reading({}), first = module_reading({3}), some = module_reading({5, 3, 6}),
                    all = module_reading({18});
  EXPECT_EQ(none.kernels[0].environment_words, 0u);
  EXPECT_EQ(none.kernels[0].parameter_bytes, 9u);
  EXPECT_EQ(first.kernels[0].environment_offset, 12u);
  EXPECT_EQ(first.kernels[0].parameter_bytes, 16u);
  EXPECT_EQ(some.kernels[0].environment_words, 4u);
  EXPECT_EQ(all.kernels[0].parameter_bytes, 12u + 64u);
  EXPECT_EQ(module_reading({19}).kernels[0].unsupported.find("kernel 'k': special register '%envreg19'"), 0u);
}

TEST(WorkSpace, WhatIsNotSaidIsTheGrids) {
  const ptx::Module module = module_reading({18});
  Grid grid;
  make(grid, module.kernels[0]);
  set_work_space(grid, {});
  const std::uint32_t wanted[] = {0, 0, 0, 2, 0, 0, 0, 6, 5, 1, 16, 2, 1, 96, 10, 1};
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(word(grid, 3 + i), wanted[i]) << 3 + i;
}

TEST(WorkSpace, APartKnowsTheWhole) {
  const ptx::Module module = module_reading({18});
  Grid grid;
  make(grid, module.kernels[0]);
  set_work_space(grid, {.offset = {5, 7, 9},
                        .dimensions = 3,
                        .groups_before = {2, 0, 1},
                        .groups = {9, 5, 2},
                        .full_group = {64, 2, 4},
                        .size = {500, 10, 5}});
  const std::uint32_t wanted[] = {133, 7, 13, 3, 2, 0, 1, 9, 5, 2, 64, 2, 4, 500, 10, 5};
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(word(grid, 3 + i), wanted[i]) << 3 + i;
}

TEST(WorkSpace, AKernelWithoutItKeepsItsParameters) {
  const ptx::Module module = module_reading({});
  Grid grid;
  make(grid, module.kernels[0]);
  set_work_space(grid, {.offset = {5}});
  EXPECT_EQ(grid.parameters, std::vector<std::byte>(9));
}

}  // namespace
}  // namespace duet::gpu
