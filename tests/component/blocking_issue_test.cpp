// gpu.sm.blocking_issue and commit_cycles: when a warp's next instruction issues, told by clock registers
// around a few instructions, and that values are right with it and the limits of the load-store unit
// (coalesced_threads, memory_requests).
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "config/loader.h"
#include "process_rig.h"

namespace duet::test {
namespace {

using Sets = std::vector<std::string>;

// One scheduler that takes warps in turn, a pipeline that takes an instruction a cycle, and no banks: all
// waits are the commit's.
Sets simple(const Sets& more) {
  Sets sets{"gpu.sm.count=1",
            "gpu.sm.schedulers=1",
            "gpu.sm.scheduler=lrr",
            "gpu.sm.register_banks=0",
            "gpu.sm.sequence_interval_cycles=1",
            "gpu.sm.fetch_instructions=8",
            "gpu.sm.instruction_buffer=64"};
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}
Sets blocking(unsigned commit, const Sets& more = {}) {
  Sets sets{"gpu.sm.blocking_issue=true", "gpu.sm.commit_cycles=" + std::to_string(commit)};
  sets.insert(sets.end(), more.begin(), more.end());
  return simple(sets);
}

// Between two readings of the clock, four times; a thread's last difference goes to its word. %d2 is the
// thread's line of memory, %d3 its word, %r5 its word of shared memory; %p2 is false.
std::string timed(const std::string& body) {
  return R"(
.version 7.0
.target sm_20
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .u32 %r<16>;
  .reg .u64 %d<8>;
  .reg .pred %p<4>;
  .shared .align 4 .b8 words[4096];
  mov.u32 %r4, %tid.x;
  ld.param.u64 %d1, [p];
  mul.wide.u32 %d2, %r4, 128;
  add.u64 %d2, %d2, %d1;
  mul.wide.u32 %d3, %r4, 4;
  add.u64 %d3, %d3, %d1;
  mov.u32 %r5, words;
  and.b32 %r6, %r4, 31;
  mad.lo.u32 %r5, %r6, 4, %r5;
  mov.u32 %r9, 0;
  mov.u32 %r10, 0;
  mov.u32 %r11, 0;
  mov.u32 %r12, 0;
  mov.u64 %d4, %d3;
  setp.eq.u32 %p2, %r4, 12345;
again:
  bar.sync 0;
  mov.u32 %r1, %clock;
)" + body +
         R"(
  mov.u32 %r2, %clock;
  sub.u32 %r3, %r2, %r1;
  xor.b32 %r12, %r12, %r10;
  xor.b32 %r12, %r12, %r11;
  add.u32 %r9, %r9, 1;
  setp.lt.u32 %p1, %r9, 4;
  @%p1 bra again;
  st.global.u32 [%d3], %r3;
  st.global.u32 [%d3+196608], %r12;
  st.global.u64 [%d2+131072], %d4;
  ret;
}
)";
}

std::string times(unsigned count, const std::string& line) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += line;
  return text;
}

struct Device : ProcessRig {
  Device(const Sets& sets, const std::string& kernels, std::uint64_t shuffle = 0)
      : ProcessRig(config::load_machine("gtx580", DUET_SOURCE_DIRECTORY "/machines", sets).machine,
                   shuffled(shuffle)),
        kernel(process.load_module(kernels, "k.ptx").module.find_kernel("k")) {
    memory::AddressSpace& space = process.system().address_space();
    words = space.allocate_device(kBytes, memory::AllocationKind::Device)->base;
    std::vector<std::uint32_t> first(kBytes / 4);
    std::iota(first.begin(), first.end(), 0);
    space.write(words, first.data(), kBytes);
  }
  void launch(unsigned blocks, unsigned threads) {
    finish(submit(*kernel, blocks, threads, {words.value()}));
  }
  std::vector<std::uint32_t> read() {
    std::vector<std::uint32_t> seen(kBytes / 4);
    process.system().settle(words, kBytes);
    process.system().address_space().read(words, seen.data(), kBytes);
    return seen;
  }

  static constexpr Bytes kBytes = 256_KiB;
  const ptx::Kernel* kernel;
  VirtualAddress words;
};

// Cycles of these instructions in the first warp of so many.
unsigned cycles(const Sets& sets, const std::string& body, unsigned warps = 1) {
  Device device(sets, timed(body));
  device.launch(1, 32 * warps);
  return device.read()[0];
}
// Beyond those of nothing.
unsigned takes(const Sets& sets, const std::string& body, unsigned warps = 1) {
  return cycles(sets, body, warps) - cycles(sets, "", warps);
}

constexpr const char* kAdd = "  add.u32 %r10, %r10, %r4;\n";
constexpr const char* kLoad = "  ld.global.u32 %r10, [%d3];\n";
constexpr const char* kOtherLoad = "  ld.global.u32 %r11, [%d3+16384];\n";
constexpr const char* kStore = "  st.global.u32 [%d3+131072], %r4;\n";
constexpr const char* kStoreOfLines = "  st.global.u32 [%d2+131072], %r4;\n";

TEST(BlockingIssue, AnInstructionFollowsAfterTheCommitCycles) {
  EXPECT_EQ(takes(simple({}), kAdd), 1u) << "the clock does not wait for the result";
  for (const unsigned n : {11u, 12u, 24u, 25u, 60u}) {
    EXPECT_EQ(takes(blocking(n), kAdd), n);
    EXPECT_EQ(takes(blocking(n), times(7, kAdd)), 7 * n);
  }
  // Its own latency, behind operand collection, where that is longer.
  EXPECT_EQ(takes(blocking(1), kAdd), 9u + 2);
  EXPECT_EQ(takes(blocking(1, {"gpu.sm.integer.latency_cycles=30"}), kAdd), 32u);
  EXPECT_EQ(takes(blocking(32, {"gpu.sm.integer.latency_cycles=30"}), kAdd), 32u);
  EXPECT_EQ(takes(blocking(33, {"gpu.sm.integer.latency_cycles=30"}), kAdd), 33u);
}

TEST(BlockingIssue, EveryInstructionDoes) {
  const Sets sets = blocking(40);
  for (const char* body :
       {"  @%p2 add.u32 %r10, %r10, %r4;\n", "  @%p2 ld.global.u32 %r10, [%d2];\n",
        "  @%p2 st.global.u32 [%d2], %r4;\n", "  ld.shared.u32 %r10, [%r5];\n",
        "  st.shared.u32 [%r5], %r4;\n", "  bar.sync 0;\n", "  membar.cta;\n", "  popc.b32 %r10, %r10;\n",
        "  @%p2 bra there;\nthere:\n", "  st.global.u32 [%d3+131072], %r4;\n"})
    EXPECT_EQ(takes(sets, body), 40u) << body;
  EXPECT_EQ(takes(blocking(10), "  ld.shared.u32 %r10, [%r5];\n"),
            takes(blocking(20), "  ld.shared.u32 %r10, [%r5];\n"));
  EXPECT_GE(takes(blocking(10), "  ld.shared.u32 %r10, [%r5];\n"), 26u);
  EXPECT_GE(takes(blocking(10), "  st.shared.u32 [%r5], %r4;\n"), 26u);
}

// A sequence of machine instructions is so many.
TEST(BlockingIssue, PartsOfAnOperationDo) {
  const std::string two = "  add.u64 %d4, %d4, %d3;\n";
  EXPECT_EQ(takes(blocking(24), two), 2 * 24u);
  EXPECT_EQ(takes(blocking(25), two), 2 * 25u);
  EXPECT_EQ(takes(blocking(24, {"gpu.sm.ptx_instructions=true"}), two), 24u);
}

TEST(BlockingIssue, LoadsOfAWarpGoOneByOne) {
  const std::string both = std::string(kLoad) + kOtherLoad;
  const unsigned one = takes(blocking(4), kLoad);
  EXPECT_GT(one, 17u) << "what L1 takes for a hit";
  EXPECT_EQ(takes(blocking(4), kOtherLoad), one);
  EXPECT_EQ(takes(blocking(4), both), 2 * one);
  EXPECT_EQ(takes(blocking(one), both), 2 * one);
  EXPECT_EQ(takes(blocking(one + 1), both), 2 * (one + 1)) << "never less than the pipeline takes";
  Device device(blocking(4), timed(both));
  device.launch(1, 32);
  EXPECT_GT(device.statistic("sm.slots_memory"), 4 * 2 * (one - 4)) << "what the wait is charged to";
  EXPECT_LT(takes(simple({}), both), 8u) << "nothing waits for the values";
  const std::string atomic = "  atom.global.add.u32 %r10, [%d2+131072], 1;\n";
  EXPECT_GT(takes(blocking(24), atomic), 100u) << "its value comes from L2";
}

// A store leaves; what it does below is waited for by nobody.
TEST(BlockingIssue, AStoreDoesNotWaitForItsAcknowledgement) {
  EXPECT_EQ(takes(blocking(24), kStore), 24u);
  EXPECT_EQ(takes(blocking(24), times(2, kStore)), 48u);
  const std::string reduction = "  red.global.add.u32 [%d3+131072], 1;\n";
  EXPECT_EQ(takes(blocking(24), reduction), 24u);
  // Issue and collection; then a request a cycle; the warp goes on in the cycle behind the last one.
  const Sets sets = blocking(24, {"gpu.l1.queue_entries=64"});
  EXPECT_GE(takes(sets, kStoreOfLines), 2u + 32);
  Device device(sets, timed(kStoreOfLines));
  device.launch(1, 32);
  EXPECT_GT(device.statistic("sm.slots_load_store_busy"), 4 * 30u);
}

TEST(BlockingIssue, WarpsHideThePipeline) {
  const unsigned n = 96;
  const std::string body = times(n, kAdd);
  const auto each = [&](const Sets& sets, unsigned warps) { return (takes(sets, body, warps) + n / 2) / n; };
  EXPECT_EQ(each(blocking(24), 1), 24u);
  EXPECT_EQ(each(blocking(24), 23), 24u);
  EXPECT_EQ(each(blocking(24), 24), 24u);
  EXPECT_EQ(each(blocking(24), 25), 25u);
  EXPECT_EQ(each(simple({}), 12), 12u);
  EXPECT_EQ(each(simple({}), 24), 24u) << "with 24 warps nothing is lost";
}

// Loads, stores, atomics, shared memory, barriers, branches that part a warp, a division.
constexpr const char* kMixed = R"(
.version 7.0
.target sm_20
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .u32 %r<16>;
  .reg .u64 %d<8>;
  .reg .pred %p<4>;
  .shared .align 4 .b8 words[1024];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 256, %r2;
  ld.param.u64 %d1, [p];
  mul.wide.u32 %d2, %r3, 4;
  add.u64 %d2, %d2, %d1;
  mov.u32 %r5, words;
  mad.lo.u32 %r6, %r2, 4, %r5;
  ld.global.u32 %r7, [%d2];
  st.shared.u32 [%r6], %r7;
  bar.sync 0;
  xor.b32 %r8, %r2, 255;
  mad.lo.u32 %r8, %r8, 4, %r5;
  ld.shared.u32 %r9, [%r8];
  and.b32 %r10, %r2, 5;
  setp.eq.u32 %p1, %r10, 1;
  @%p1 bra odd;
  mad.lo.u32 %r9, %r9, 3, %r7;
  bra join;
odd:
  ld.global.u32 %r11, [%d2+65536];
  add.u32 %r9, %r9, %r11;
  div.u32 %r9, %r9, 7;
join:
  st.global.u32 [%d2], %r9;
  and.b32 %r12, %r3, 63;
  mul.wide.u32 %d3, %r12, 4;
  add.u64 %d3, %d3, %d1;
  red.global.add.u32 [%d3+131072], %r9;
  atom.global.add.u32 %r13, [%d3+135168], 1;
  ret;
}
)";

void expect_mixed(const std::vector<std::uint32_t>& seen) {
  std::vector<std::uint32_t> sums(64);
  for (std::uint32_t i = 0; i < 64; ++i) sums[i] = 32768 + i;
  for (std::uint32_t i = 0; i < 8192; ++i) {
    const std::uint32_t in = i % 256, other = i - in + (in ^ 255);
    const std::uint32_t value = (in & 5) == 1 ? (other + 16384 + i) / 7 : other * 3 + i;
    ASSERT_EQ(seen[i], value) << i;
    sums[i % 64] += value;
  }
  for (std::uint32_t i = 0; i < 64; ++i) {
    ASSERT_EQ(seen[32768 + i], sums[i]) << i;
    ASSERT_EQ(seen[33792 + i], 33792 + i + 128) << i;
  }
}

TEST(BlockingIssue, ValuesAreRightAndTheOrderOfTicksChangesNothing) {
  const Sets all{"gpu.sm.blocking_issue=true", "gpu.sm.commit_cycles=24", "gpu.sm.coalesced_threads=16",
                 "gpu.sm.memory_requests=4"};
  for (const Sets& sets :
       {Sets{}, Sets{all[0], all[1]}, Sets{all[2]}, Sets{all[3]}, all,
        Sets{all[0], all[2], all[3], "gpu.sm.load_store_queue=1"},
        Sets{all[0], all[1], all[2], all[3], "gpu.sm.warp_width=64", "gpu.sm.max_warps=24"}}) {
    std::vector<Picoseconds> ends;
    for (const std::uint64_t seed : {0, 7, 8}) {
      Device device(sets, kMixed, seed);
      device.launch(32, 256);
      expect_mixed(device.read());
      ends.push_back(device.process.system().engine().now());
    }
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_EQ(ends[0], ends[2]);
  }
}

}  // namespace
}  // namespace duet::test
