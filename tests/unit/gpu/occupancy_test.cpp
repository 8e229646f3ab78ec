// How many blocks fit on an SM: does each limit bind at its number, and not before?
#include "gpu/occupancy.h"

#include <gtest/gtest.h>

namespace duet::gpu {
namespace {

// A machine on which nothing binds but `max_blocks`.
config::Sm machine() {
  config::Sm sm;
  sm.warp_width = 32;
  sm.max_warps = 48;
  sm.max_blocks = 8;
  sm.max_threads = 1536;
  sm.max_threads_per_block = 1024;
  sm.registers = 32768;
  sm.max_registers_per_thread = 63;
  sm.register_allocation_unit = 64;
  sm.warp_allocation_unit = 2;
  sm.shared_bytes = sm.max_shared_bytes_per_block = 49152;
  sm.shared_allocation_unit = 128;
  return sm;
}

Occupancy of(std::uint64_t threads, std::uint32_t registers = 1, Bytes shared = 0, Bytes dynamic = 0,
             const config::Sm& sm = machine()) {
  ptx::Kernel kernel;
  kernel.registers = registers;
  kernel.static_shared_bytes = kernel.dynamic_shared_offset = shared;
  return occupancy(sm, kernel, threads, dynamic);
}

void expect(const Occupancy& found, unsigned blocks, const char* limit) {
  EXPECT_EQ(found.blocks_per_sm, blocks);
  EXPECT_STREQ(name_of(found.limit), limit);
}

TEST(Occupancy, BlockSlots) { expect(of(32), 8, "blocks"); }

TEST(Occupancy, WarpsAndThreads) {
  expect(of(192), 8, "blocks");  // 8 x 6 warps
  expect(of(193), 6, "warps");   // 7 warps: 6 x 7 = 42
  expect(of(1024), 1, "warps");
  config::Sm sm = machine();
  sm.max_threads = 8 * 192 - 1;
  expect(of(192, 1, 0, 0, sm), 7, "warps");
}

TEST(Occupancy, RegistersAreGivenToWarpsInUnits) {
  // 128 threads are 4 warps; 32 registers a thread are 1024 a warp: 32 warps fit.
  expect(of(128, 32), 8, "blocks");
  const Occupancy more = of(128, 33);  // 1056, in units of 64: 1088, of which 30 fit
  expect(more, 7, "registers");
  EXPECT_EQ(more.registers_per_block, 4u * 1088);
  // An odd number of warps takes the room of one more.
  expect(of(96, 33), 7, "registers");
}

TEST(Occupancy, SharedMemoryInUnits) {
  expect(of(32, 1, 6144), 8, "blocks");
  const Occupancy more = of(32, 1, 6145);
  expect(more, 7, "shared memory");
  EXPECT_EQ(more.shared_per_block, 6272u);
  expect(of(32, 1, 6000, 145), 7, "shared memory");
}

TEST(Occupancy, WhatCanNeverFit) {
  EXPECT_GT(of(1024).blocks_per_sm, 0u);
  expect(of(1025), 0, "threads per block");
  expect(of(0), 0, "threads per block");
  EXPECT_GT(of(32, 63).blocks_per_sm, 0u);
  expect(of(32, 64), 0, "registers");
  EXPECT_GT(of(32, 1, 49152).blocks_per_sm, 0u);
  expect(of(32, 1, 49152, 1), 0, "shared memory");
}

TEST(Occupancy, ThreadsThatTheKernelAllowsOrDemands) {
  ptx::Kernel kernel;
  kernel.registers = 1;
  kernel.max_threads = 64;
  EXPECT_GT(occupancy(machine(), kernel, 64, 0).blocks_per_sm, 0u);
  expect(occupancy(machine(), kernel, 65, 0), 0, "threads per block");
  kernel.max_threads = 0;
  kernel.required_threads = 64;
  EXPECT_GT(occupancy(machine(), kernel, 64, 0).blocks_per_sm, 0u);
  expect(occupancy(machine(), kernel, 63, 0), 0, "threads per block");
}

}  // namespace
}  // namespace duet::gpu
