// Pages on a whole machine: one that moves while nobody uses it, and two routes to one frame.
#include <gtest/gtest.h>

#include <numeric>

#include "config/loader.h"
#include "process_rig.h"

namespace duet::test {
namespace {

constexpr Bytes kPageBytes = 4096;
constexpr unsigned kThreads = 256;

// add_one: p[i] += 1; copy: q[i] = p[i].
constexpr const char* kKernels = R"(
.version 7.0
.target sm_20
.address_size 64
.visible .entry add_one(.param .u64 p) {
  .reg .u32 %r<6>;
  .reg .u64 %d<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u64 %d1, [p];
  mul.wide.u32 %d2, %r4, 4;
  add.u64 %d3, %d1, %d2;
  ld.global.u32 %r5, [%d3];
  add.u32 %r5, %r5, 1;
  st.global.u32 [%d3], %r5;
  ret;
}
.visible .entry copy(.param .u64 p, .param .u64 q) {
  .reg .u32 %r<6>;
  .reg .u64 %d<6>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u64 %d1, [p];
  ld.param.u64 %d2, [q];
  mul.wide.u32 %d3, %r4, 4;
  add.u64 %d4, %d1, %d3;
  add.u64 %d5, %d2, %d3;
  ld.global.u32 %r5, [%d4];
  st.global.u32 [%d5], %r5;
  ret;
}
)";

struct Pages : testing::Test, ProcessRig {
  explicit Pages(bool functional = false)
      : ProcessRig(config::load_machine("gtx580", DUET_SOURCE_DIRECTORY "/machines").machine,
                   options(functional)),
        space(process.system().address_space()),
        module(process.load_module(kKernels, "pages.ptx").module) {}

  static machine::RunOptions options(bool functional) {
    machine::RunOptions own;
    own.functional = functional;
    return own;
  }
  void launch(const char* name, const std::vector<VirtualAddress>& arguments, Bytes bytes) {
    std::vector<std::uint64_t> values;
    for (const VirtualAddress argument : arguments) values.push_back(argument.value());
    finish(submit(*module.find_kernel(name), static_cast<std::uint32_t>(bytes / 4 / kThreads), kThreads,
                  values));
  }

  memory::AddressSpace& space;
  const ptx::Module& module;
};

void moves_between_kernels(Pages& machine) {
  const Bytes bytes = 4 * kPageBytes;
  memory::AddressSpace& space = machine.space;
  const VirtualAddress base = space.allocate_device(bytes, memory::AllocationKind::Device)->base;
  std::vector<std::uint32_t> words(bytes / 4);
  std::iota(words.begin(), words.end(), 1000);
  space.write(base, words.data(), bytes);
  machine.launch("add_one", {base}, bytes);
  // What the kernel wrote lies in L2, and has to come along.
  const VirtualAddress page = base + kPageBytes;
  const PhysicalAddress before = space.physical(page);
  ASSERT_TRUE(machine.process.system().move_page(page));
  EXPECT_NE(space.physical(page), before);
  EXPECT_EQ(space.physical(base) + kPageBytes, before) << "the others stay";
  // Whoever still went to the old frame would find this.
  std::memset(space.memory().bytes(before), 0xee, kPageBytes);
  machine.launch("add_one", {base}, bytes);
  machine.process.system().settle(base, bytes);
  std::vector<std::uint32_t> seen(words.size());
  space.read(base, seen.data(), bytes);
  for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(seen[i], words[i] + 2) << i;
}

TEST_F(Pages, APageThatMovesBetweenKernelsKeepsItsBytes) { moves_between_kernels(*this); }

struct FunctionalPages : Pages {
  FunctionalPages() : Pages(true) {}
};
TEST_F(FunctionalPages, APageThatMovesBetweenKernelsKeepsItsBytes) { moves_between_kernels(*this); }

TEST_F(Pages, TwoPagesOfOneFrameGoTheirOwnWays) {
  const Bytes bytes = 8 * kPageBytes;
  constexpr std::uint64_t kLines = 8 * kPageBytes / memory::kLineBytes;
  constexpr std::uint64_t kOthers = 64;  // lines of code, and what else a launch reads
  const VirtualAddress cached = space.allocate_device(bytes, memory::AllocationKind::Device)->base;
  const VirtualAddress to = space.allocate_device(bytes, memory::AllocationKind::Device)->base;
  const VirtualAddress uncached(0x0300'0000'0000);
  memory::PageAttributes past_caches;
  past_caches.cacheability = {false, false, false};
  space.pages().map({uncached, bytes, space.physical(cached), past_caches});
  std::vector<std::uint32_t> words(bytes / 4), seen(bytes / 4);
  std::iota(words.begin(), words.end(), 1);
  space.write(cached, words.data(), bytes);

  struct Counts {
    std::uint64_t l2_hits, l2_misses, dram_reads;
  };
  const auto counts_of_copy = [&](VirtualAddress from) {
    const Counts before{statistic("l2.read_hits"), statistic("l2.read_misses"), statistic("dram.reads")};
    space.clear(to, bytes);
    launch("copy", {from, to}, bytes);
    process.system().settle(to, bytes);
    space.read(to, seen.data(), bytes);
    EXPECT_EQ(seen, words);
    return Counts{statistic("l2.read_hits") - before.l2_hits, statistic("l2.read_misses") - before.l2_misses,
                  statistic("dram.reads") - before.dram_reads};
  };
  const Counts first = counts_of_copy(cached), second = counts_of_copy(cached);
  EXPECT_GE(first.l2_misses, kLines);
  EXPECT_GE(first.dram_reads, kLines);
  EXPECT_GE(second.l2_hits, kLines);
  EXPECT_LE(second.dram_reads, kOthers);
  for (int again = 0; again < 2; ++again) {
    const Counts past = counts_of_copy(uncached);
    EXPECT_LE(past.l2_hits + past.l2_misses, kOthers) << "L2 neither holds nor fetches it";
    EXPECT_GE(past.dram_reads, kLines);
  }
}

}  // namespace
}  // namespace duet::test
