// Do work-items know where they are: with an offset, in three dimensions, in a part of the work?
#include "opencl_rig.h"

namespace duet::test {
namespace {

const std::string kIds = R"(
kernel void ids(global uint* a, uint words, uint dimension) {
  size_t place = 0;
  for (int d = 2; d >= 0; --d) place = place * (get_num_groups(d) * get_local_size(d)) + (get_global_id(d) - get_global_offset(d));
  global uint* own = a + place * words;
  own[0] = get_global_id(dimension);
  own[1] = get_local_id(dimension);
  own[2] = get_group_id(dimension);
  own[3] = get_global_size(dimension);
  own[4] = get_local_size(dimension);
  own[5] = get_num_groups(dimension);
  own[6] = get_global_offset(dimension);
  own[7] = get_work_dim();
}
)";

TEST(OpenClWorkItems, KnowTheirPlaceInThreeDimensionsWithAnOffset) {
  Program program(kIds);
  const std::uint32_t size[] = {8, 6, 4}, group[] = {4, 3, 2}, offset[] = {100, 20, 3};
  for (std::uint32_t d = 0; d < 4; ++d) {
    std::vector<std::uint32_t> a(8 * 6 * 4 * 8, ~0u);
    program.run("ids", {8, 6, 4}, {4, 3, 2}, {buffer(a), value(8u), value(d)},
                {.offset = {100, 20, 3}, .dimensions = 3});
    for (std::uint32_t z = 0; z < 4; ++z)
      for (std::uint32_t y = 0; y < 6; ++y)
        for (std::uint32_t x = 0; x < 8; ++x) {
          const std::uint32_t* const own = &a[((z * 6 + y) * 8 + x) * 8];
          const std::uint32_t at = d == 0 ? x : d == 1 ? y : z;
          // Beyond the dimensions the specification says 0 for ids and offsets, and 1 for sizes.
          const bool in = d < 3;
          const std::uint32_t wanted[] = {
              in ? at + offset[d] : 0, in ? at % group[d] : 0,      in ? at / group[d] : 0, in ? size[d] : 1,
              in ? group[d] : 1,       in ? size[d] / group[d] : 1, in ? offset[d] : 0,     3};
          for (unsigned i = 0; i < 8; ++i)
            ASSERT_EQ(own[i], wanted[i]) << d << ' ' << x << ' ' << y << ' ' << i;
        }
  }
}

TEST(OpenClWorkItems, AnIdHas32BitsAndIsWidenedWithoutASign) {
  Program program("kernel void k(global ulong* a) { a[get_local_id(0)] = get_global_id(0); }");
  std::vector<std::uint64_t> a(2);
  program.run("k", {2}, {2}, {buffer(a)}, {.offset = {0xfffffffe}});
  EXPECT_EQ(a, (std::vector<std::uint64_t>{0xfffffffe, 0xffffffff}));
}

// 70 x 3 items in groups of 32 x 2 are four grids.
TEST(OpenClWorkItems, APartOfTheWorkKnowsTheWhole) {
  Program program(R"(
kernel void k(global ulong* a, uint before, uint of_group) {
  const size_t i = get_global_linear_id();
  a[8 * i + 0] = get_global_id(0);
  a[8 * i + 1] = get_global_id(1);
  a[8 * i + 2] = get_group_id(0) + 10 * get_group_id(1);
  a[8 * i + 3] = get_local_size(0) + 100 * get_local_size(1);
  a[8 * i + 4] = get_enqueued_local_size(0) + 100 * get_enqueued_local_size(1);
  a[8 * i + 5] = get_num_groups(0) + 10 * get_num_groups(1);
  a[8 * i + 6] = get_global_size(0) + 100 * get_global_size(1);
  a[8 * i + 7] = get_local_linear_id() + 1000 * (get_global_offset(0) + 10 * get_global_offset(1));
}
)",
                  "-cl-std=CL2.0");
  std::vector<std::uint64_t> a(8 * 70 * 3, ~0ull);
  for (const std::uint32_t x : {0u, 2u})
    for (const std::uint32_t y : {0u, 1u}) {
      const gpu::Dim3 group{x == 0 ? 32u : 6u, y == 0 ? 2u : 1u, 1};
      program.run("k", {x == 0 ? 64u : 6u, group.y, 1}, group, {buffer(a), value(0u), value(0u)},
                  {.offset = {5, 7},
                   .dimensions = 2,
                   .groups_before = {x, y},
                   .groups = {3, 2, 1},
                   .full_group = {32, 2, 1},
                   .size = {70, 3, 1}});
    }
  for (std::uint64_t y = 0; y < 3; ++y)
    for (std::uint64_t x = 0; x < 70; ++x) {
      const std::uint64_t width = x < 64 ? 32 : 6, height = y < 2 ? 2 : 1;
      const std::uint64_t wanted[] = {x + 5,
                                      y + 7,
                                      x / 32 + 10 * (y / 2),
                                      width + 100 * height,
                                      32 + 200,
                                      3 + 20,
                                      70 + 300,
                                      x % 32 + width * (y % 2) + 1000 * (5 + 70)};
      for (unsigned i = 0; i < 8; ++i)
        ASSERT_EQ(a[8 * (70 * y + x) + i], wanted[i]) << x << ' ' << y << ' ' << i;
    }
}

TEST(OpenClWorkItems, AKernelReadsNoMoreOfTheWorkSpaceThanItUses) {
  Program program("kernel void k(global int* a) { a[get_global_id(0)] = get_group_id(0); }");
  EXPECT_NE(program.ptx().find("%envreg3;"), std::string::npos);
  EXPECT_EQ(program.ptx().find("%envreg4"), std::string::npos);
  EXPECT_EQ(program.ptx().find("%envreg7"), std::string::npos);
}

}  // namespace
}  // namespace duet::test
