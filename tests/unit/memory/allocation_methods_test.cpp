#include "memory/allocation_methods.h"

#include <gtest/gtest.h>

namespace duet::memory {
namespace {

config::Machine machine_of(const config::Method& method) {
  config::Machine machine;
  machine.gpu.sm.global_in_l1 = machine.gpu.sm.constants_cached = true;
  machine.methods = {{"other", "cudaMallocManaged", "write-back", false, false, "link", true}, method};
  return machine;
}

TEST(AllocationMethods, ARowNamesItsCallsAsWords) {
  const config::Machine machine = machine_of({"own", "cudaMalloc cudaHostRegister", "none", true, true});
  for (const char* const call : {"cudaMalloc", "cudaHostRegister"})
    EXPECT_EQ(method_of(machine, call), &machine.methods[1]) << call;
  EXPECT_EQ(method_of(machine, "cudaMallocManaged"), &machine.methods[0]);
  EXPECT_EQ(method_of(machine, "cudaHostAlloc"), nullptr);
  EXPECT_EQ(method_of({}, "cudaMalloc"), nullptr);
}

TEST(AllocationMethods, WriteCombinedMemoryIsPinnedMemoryWithoutARowOfItsOwn) {
  const config::Machine machine = machine_of({"own", "cudaHostAlloc", "uncached", false, true});
  EXPECT_EQ(method_of(machine, "cudaHostAllocWriteCombined"), &machine.methods[1]);
  for (const char* const call : {"cudaHostAlloc", "cudaHostAllocWriteCombined"})
    EXPECT_TRUE(uncached_on_cores(machine, call));
  EXPECT_FALSE(uncached_on_cores(machine, "cudaMallocManaged"));
  EXPECT_TRUE(uncached_on_cores({}, "cudaHostAllocWriteCombined"));
  EXPECT_FALSE(uncached_on_cores({}, "cudaHostAlloc"));
}

// L1 and the constant cache hold what both the row and the SM let in.
TEST(AllocationMethods, PagesAreAsTheirRowSays) {
  for (const bool l1 : {false, true})
    for (const bool l2 : {false, true})
      for (const bool sm : {false, true}) {
        config::Machine machine = machine_of({"own", "cudaHostAlloc", "write-back", l1, l2, "link", l1});
        machine.gpu.sm.global_in_l1 = sm;
        const PageAttributes pages = host_pages(machine, "cudaHostAlloc");
        EXPECT_EQ(pages.cacheability, (Cacheability{l1 && sm, l1, l2}));
        EXPECT_EQ(pages.coalesced, l1);
        EXPECT_EQ(device_pages(machine.gpu, &machine.methods[1]).allocated, pages);
        EXPECT_EQ(device_pages(machine.gpu, &machine.methods[1]).plain, (Cacheability{sm, true, true}));
      }
  const PageAttributes mapped = host_pages({}, "cudaHostAlloc");
  EXPECT_EQ(mapped.cacheability, (Cacheability{false, false, false}));
  EXPECT_TRUE(mapped.coalesced);
}

}  // namespace
}  // namespace duet::memory
