// Does the functional SM tell faults in one complete line, print, interleave blocks, and never hang?
#include "gpu/functional/functional_sm.h"

#include <gtest/gtest.h>

#include <cstring>

#include "gpu/warp/device_printf.h"
#include "ptx/compiler.h"
#include "ptx/semantics/semantics.h"

namespace duet::gpu {
namespace {

struct Outcome {
  Fault fault;
  std::string waits_for;  // when nothing is left to do
  std::string printed;
  std::vector<std::uint32_t> memory;
  Picoseconds end_ps = 0;
  std::uint64_t warp_instructions = 0;
};

// Runs kernel `k`, whose only parameter points to `words` zeroed words of device memory, until it ends, or
// until the machine has nothing left to do where it does not end.
Outcome run(const std::string& body, Dim3 grid_size, Dim3 block_size, std::size_t words = 64,
            std::uint64_t width = 32, bool ends = true) {
  const std::string text =
      ".version 7.0\n.target sm_70\n.address_size 64\n"
      ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<8>;\n"
      "ld.param.u64 %d0, [p];\n" +
      body + "}\n";
  ptx::Module module = ptx::compile_module(text, "k.ptx");
  ptx::Kernel kernel = module.kernels.at(0);
  EXPECT_EQ(kernel.unsupported, "");
  ptx::bind_handlers(kernel);
  config::Gpu config;
  config.core_clock_khz = 1'000'000;
  config.sm.count = 1;
  config.sm.warp_width = width;
  config.sm.max_warps = 64;
  config.sm.max_blocks = 16;
  config.sm.max_threads = 2048;
  config.sm.max_threads_per_block = 1024;
  config.sm.registers = 65536;
  config.sm.max_registers_per_thread = 255;
  config.sm.register_allocation_unit = 256;
  config.sm.warp_allocation_unit = 4;
  config.sm.shared_bytes = config.sm.max_shared_bytes_per_block = 98304;
  config.sm.shared_allocation_unit = 256;
  config.functional = {100, 2000, 100};
  memory::PhysicalMemory physical(1_MiB, 4_KiB);
  memory::AddressSpace space(physical);
  const auto* buffer = space.allocate_device(4 * words, memory::AllocationKind::Device);
  Outcome result;
  Grid grid;
  grid.kernel = &kernel;
  grid.grid = grid_size;
  grid.block = block_size;
  grid.parameters.resize(8);
  std::memcpy(grid.parameters.data(), &buffer->base, 8);
  sim::Engine engine;
  DeviceServices services;
  services.print = [&](const std::string& line) { result.printed += line; };
  FunctionalSm sm(engine, nullptr, 0, config, space, services);
  const std::uint64_t blocks = grid_size.count();
  sim::Queue<BlockLaunch> launches(blocks, nullptr, &sm);
  sim::Queue<BlockDone> done(blocks, &sm, nullptr);
  sm.connect(launches, done);
  for (std::uint64_t block = 0; block < blocks; ++block) launches.push(0, {&grid, block});
  EXPECT_EQ(engine.run_while_not([&] { return done.size() == blocks; }, 1'000'000'000), ends);
  EXPECT_EQ(engine.next_time(), kNever);
  result.waits_for = sm.waits_for();
  while (done.can_pop(engine.now() + 1)) take_report(done.pop(engine.now() + 1));
  result.fault = grid.fault;
  result.memory.resize(words);
  std::memcpy(result.memory.data(), space.bytes(buffer->base), 4 * words);
  result.end_ps = engine.now();
  result.warp_instructions = grid.counts.warp_instructions;
  return result;
}

TEST(FunctionalSm, IllegalAddressNamesThreadLineAndAllocation) {
  const Outcome r =
      run("add.u64 %d1, %d0, 4096;\nld.global.f32 %r1, [%d1];\nst.global.u32 [%d0], %r1;\nret;\n", {},
          {32, 1, 1}, 1024);
  EXPECT_EQ(r.fault.kind, FaultKind::IllegalAddress);
  EXPECT_NE(r.fault.text.find(
                "kernel 'k': illegal 4-byte load at 0x20000001000 by thread (0,0,0) of block (0,0,0), "
                "k.ptx:9 (ld.global.f32); nearest allocation: #1, 4096 bytes at 0x20000000000 "
                "(cudaMalloc), 0 bytes past its end"),
            std::string::npos)
      << r.fault.text;
}

TEST(FunctionalSm, MisalignedAddressIsAFault) {
  const Outcome r = run("ld.global.u32 %r1, [%d0+2];\nst.global.u32 [%d0], %r1;\nret;\n", {}, {1, 1, 1});
  EXPECT_EQ(r.fault.kind, FaultKind::MisalignedAddress);
}

TEST(FunctionalSm, BarrierThatNobodyReachesLeavesNothingToDo) {
  const Outcome r =
      run("mov.u32 %r0, %tid.x;\nsetp.gt.u32 %p0, %r0, 31;\n@%p0 bra L;\nbar.sync 1, 128;\nL: ret;\n", {},
          {64, 1, 1}, 64, 32, false);
  EXPECT_EQ(r.fault.kind, FaultKind::None);
  EXPECT_EQ(r.waits_for,
            "warp 0 of block (0,0,0) of kernel 'k' waits at barrier 1 (32 of 128 threads have arrived, "
            "k.ptx:11)");
}

TEST(FunctionalSm, EndedWarpsCountAsArrived) {
  const Outcome r =
      run("mov.u32 %r0, %tid.x;\nsetp.gt.u32 %p0, %r0, 31;\n@%p0 bra L;\nbar.sync 0;\nst.global.u32 [%d0], "
          "7;\nL: ret;\n",
          {}, {64, 1, 1});
  EXPECT_EQ(r.fault.kind, FaultKind::None) << r.fault.text;
  EXPECT_EQ(r.memory[0], 7u);
}

TEST(FunctionalSm, BlockMayWaitForALaterBlock) {
  const Outcome r =
      run("mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 bra W;\nst.global.u32 [%d0], 1;\nret;\n"
          "W: ld.volatile.global.u32 %r1, [%d0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra W;\nst.global.u32 "
          "[%d0+4], 5;\nret;\n",
          {2, 1, 1}, {1, 1, 1});
  EXPECT_EQ(r.fault.kind, FaultKind::None) << r.fault.text;
  EXPECT_EQ(r.memory[1], 5u);
}

TEST(FunctionalSm, BlockTimeFollowsItsInstructions) {
  const Outcome r = run("st.global.u32 [%d0], 1;\nret;\n", {}, {32, 1, 1});
  // Launched at 0, seen at the first edge (1 ns), then 100 cycles and 2 a machine instruction.
  EXPECT_EQ(r.end_ps, 1000 * (1 + 100 + 2 * r.warp_instructions));
}

TEST(FunctionalSm, OtherWidths) {
  for (const std::uint64_t width : {1, 8, 16, 64}) {
    const Outcome r = run(
        "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, %d0, %d1;\nand.b32 %r1, %r0, 1;\n"
        "setp.eq.u32 %p0, %r1, 0;\n@%p0 bra E;\nadd.u32 %r0, %r0, 100;\nE: st.global.u32 [%d1], %r0;\nret;\n",
        {}, {50, 1, 1}, 64, width);
    EXPECT_EQ(r.fault.kind, FaultKind::None) << r.fault.text;
    for (std::uint32_t i = 0; i < 50; ++i) EXPECT_EQ(r.memory[i], i % 2 ? i + 100 : i) << width;
  }
}

TEST(DevicePrintf, ConversionsAndArgumentLayout) {
  std::vector<std::byte> block(64);
  const auto put = [&](std::size_t at, auto value) { std::memcpy(block.data() + at, &value, sizeof value); };
  put(0, std::int32_t{-5});
  put(8, 2.5);
  put(16, std::uint64_t{0x123456789a});
  put(24, std::int32_t{7});
  put(28, std::int32_t{3});
  put(32, Address{1});
  const std::string text = format_device_text(
      PrintfOf::Cuda, "%d|%.2f|%llx|%*d|%s|100%%",
      [&](Bytes offset, unsigned bytes) {
        std::uint64_t value = 0;
        std::memcpy(&value, block.data() + offset, bytes);
        return value;
      },
      [](Address) { return std::string("text"); });
  EXPECT_EQ(text, "-5|2.50|123456789a|      3|text|100%");
}

}  // namespace
}  // namespace duet::gpu
