#include "memory/allocation_methods.h"

#include <gtest/gtest.h>

namespace duet::memory {
namespace {

config::Machine machine_of(const char* calls, const char* cpu, bool gpu_l1, bool gpu_l2,
                           bool coalesced = true) {
  config::Machine machine;
  machine.gpu.sm.global_in_l1 = machine.gpu.sm.constants_cached = true;
  machine.methods.resize(2);
  machine.methods[0].calls = "cudaMallocManaged";
  machine.methods[0].cpu = "write-back";
  config::Method& own = machine.methods[1];
  own.name = "own";
  own.calls = calls;
  own.cpu = cpu;
  own.gpu_l1 = gpu_l1;
  own.gpu_l2 = gpu_l2;
  own.coalesced = coalesced;
  return machine;
}

TEST(AllocationMethods, ARowNamesItsCallsAsWords) {
  const config::Machine machine = machine_of("cudaMalloc cudaHostRegister", "none", true, true);
  for (const auto call : {AllocatingCall::Device, AllocatingCall::Registered})
    EXPECT_EQ(method_of(machine, call), &machine.methods[1]) << static_cast<int>(call);
  EXPECT_EQ(method_of(machine, AllocatingCall::Managed), &machine.methods[0]);
  EXPECT_EQ(method_of(machine, AllocatingCall::Pinned), nullptr);
  EXPECT_EQ(method_of({}, AllocatingCall::Device), nullptr);
}

TEST(AllocationMethods, WriteCombinedMemoryIsPinnedMemoryWithoutARowOfItsOwn) {
  const config::Machine machine = machine_of("cudaHostAlloc", "uncached", false, true);
  EXPECT_EQ(method_of(machine, AllocatingCall::WriteCombined), &machine.methods[1]);
  for (const auto call : {AllocatingCall::Pinned, AllocatingCall::WriteCombined})
    EXPECT_TRUE(uncached_on_cores(machine, call));
  EXPECT_FALSE(uncached_on_cores(machine, AllocatingCall::Managed));
  EXPECT_TRUE(uncached_on_cores({}, AllocatingCall::WriteCombined));
  EXPECT_FALSE(uncached_on_cores({}, AllocatingCall::Pinned));
}

// A run may ask for one method for all that it allocates, but for the program's own pages.
TEST(AllocationMethods, OneForAll) {
  config::Machine machine = machine_of("", "write-back", true, true);
  machine.method = "own";
  for (const auto call : {AllocatingCall::Device, AllocatingCall::Pinned, AllocatingCall::WriteCombined,
                          AllocatingCall::Managed}) {
    EXPECT_EQ(method_of(machine, call), &machine.methods[1]) << static_cast<int>(call);
    EXPECT_FALSE(host_waits(machine, call)) << static_cast<int>(call);
  }
  EXPECT_EQ(method_of(machine, AllocatingCall::Registered), nullptr);
  EXPECT_FALSE(host_waits(machine, AllocatingCall::Registered));
  machine.methods[1].cpu = "none";
  EXPECT_EQ(method_of(machine, AllocatingCall::Device), &machine.methods[1]);
  EXPECT_EQ(method_of(machine, AllocatingCall::Pinned), nullptr) << "the host would not reach it";
  EXPECT_EQ(method_of(machine, AllocatingCall::Managed), &machine.methods[0]);
  EXPECT_TRUE(host_waits(machine, AllocatingCall::Managed));
}

// duetSharedAlloc is for machines with a row of its own, which another may then stand for.
TEST(AllocationMethods, SharedMemoryNeedsARowOfItsOwn) {
  config::Machine machine = machine_of("cudaHostAlloc", "uncached", false, false);
  machine.method = "own";
  EXPECT_EQ(method_of(machine, AllocatingCall::Shared), nullptr);
  machine.methods[0].calls = "cudaMallocManaged duetSharedAlloc";
  EXPECT_EQ(method_of(machine, AllocatingCall::Shared), &machine.methods[1]);
  EXPECT_TRUE(uncached_on_cores(machine, AllocatingCall::Shared));
  machine.method.clear();
  EXPECT_EQ(method_of(machine, AllocatingCall::Shared), &machine.methods[0]);
}

// A call that no row names is as a more general one. HSA's packets and signals do not follow --method.
TEST(AllocationMethods, CallsOfOtherApisFallBack) {
  config::Machine machine = machine_of("cudaHostAlloc", "write-back", false, false);
  machine.methods[0].name = "managed";
  const config::Method *const managed = &machine.methods[0], *const pinned = &machine.methods[1];
  for (const AllocatingCall call :
       {AllocatingCall::SvmFine, AllocatingCall::SvmAtomics, AllocatingCall::HsaFine})
    EXPECT_EQ(method_of(machine, call), pinned);
  for (const AllocatingCall call : {AllocatingCall::SvmCoarse, AllocatingCall::HsaCoarse})
    EXPECT_EQ(method_of(machine, call), managed);
  machine.method = "managed";
  EXPECT_EQ(method_of(machine, AllocatingCall::SvmAtomics), managed);
  EXPECT_EQ(method_of(machine, AllocatingCall::HsaFine), pinned);
}

// As managed memory is reached, unless the row is that of both.
TEST(AllocationMethods, TheHostWaitsForKernelsWithManagedMemory) {
  config::Machine machine = machine_of("cudaHostAlloc", "write-back", true, true);
  EXPECT_TRUE(host_waits({}, AllocatingCall::Managed));
  EXPECT_TRUE(host_waits(machine, AllocatingCall::Managed));
  EXPECT_FALSE(host_waits(machine, AllocatingCall::Pinned));
  machine.methods[0].name = machine.method = "managed";
  EXPECT_TRUE(host_waits(machine, AllocatingCall::Pinned));
  machine.methods[0].calls = "cudaHostAlloc cudaMallocManaged";
  EXPECT_FALSE(host_waits(machine, AllocatingCall::Pinned));
  EXPECT_TRUE(host_waits(machine, AllocatingCall::Managed));
}

// L1 and the constant cache hold what both the row and the SM let in.
TEST(AllocationMethods, PagesAreAsTheirRowSays) {
  for (const bool l1 : {false, true})
    for (const bool l2 : {false, true})
      for (const bool sm : {false, true}) {
        config::Machine machine = machine_of("cudaHostAlloc", "write-back", l1, l2, l1);
        machine.gpu.sm.global_in_l1 = sm;
        const PageAttributes pages = host_pages(machine, AllocatingCall::Pinned);
        EXPECT_EQ(pages.cacheability, (Cacheability{l1 && sm, l1, l2}));
        EXPECT_EQ(pages.coalesced, l1);
        EXPECT_EQ(pages.home, Home::HostDram);
        PageAttributes allocated = pages;
        allocated.home = Home::DeviceDram;
        EXPECT_EQ(device_pages(machine.gpu, &machine.methods[1]).allocated, allocated);
        EXPECT_EQ(device_pages(machine.gpu, &machine.methods[1]).plain, (Cacheability{sm, true, true}));
      }
  const PageAttributes mapped = host_pages({}, AllocatingCall::Pinned);
  EXPECT_EQ(mapped.cacheability, (Cacheability{false, false, false}));
  EXPECT_TRUE(mapped.coalesced);
}

}  // namespace
}  // namespace duet::memory
