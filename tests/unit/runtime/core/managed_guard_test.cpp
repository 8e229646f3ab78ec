// Who may touch managed memory when, on a machine without concurrent access.
#include "core/managed_guard.h"

#include <unistd.h>

#include "unit/runtime/cuda/runtime_rig.h"

namespace duet::core {
namespace {

class ManagedGuardTest : public cuda::RuntimeTest {
 protected:
  static std::byte* managed(unsigned flags = cudaMemAttachGlobal) {
    void* pointer = nullptr;
    EXPECT_EQ(cudaMallocManaged(&pointer, 4096, flags), cudaSuccess);
    return static_cast<std::byte*>(pointer);
  }
  // As the kernel sees it: a system call that is given a protected page answers EFAULT.
  static bool may_touch(const std::byte* pointer) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const bool may = write(ends[1], pointer, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return may;
  }
  std::string explained(const std::byte* pointer) {
    char text[512] = "";
    session().core().managed_guard()->explain(virtual_address(pointer), text, sizeof text);
    return text;
  }
};

TEST_F(ManagedGuardTest, TheHostMayNotTouchFromALaunchUntilItHasSynchronized) {
  std::byte* const memory = managed();
  EXPECT_TRUE(may_touch(memory));
  launch_slow_kernel(nullptr);
  EXPECT_FALSE(may_touch(memory));
  EXPECT_FALSE(may_touch(memory + 4095));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(may_touch(memory));
}

TEST_F(ManagedGuardTest, MemoryMadeWhileAKernelMayRunIsProtectedToo) {
  launch_slow_kernel(nullptr);
  EXPECT_FALSE(may_touch(managed()));
}

TEST_F(ManagedGuardTest, SynchronizingWithAnotherStreamOpensNothing) {
  std::byte* const memory = managed();
  const cudaStream_t one = stream(cudaStreamNonBlocking), other = stream(cudaStreamNonBlocking);
  launch_slow_kernel(one);
  ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  EXPECT_FALSE(may_touch(memory));
  ASSERT_EQ(cudaStreamSynchronize(one), cudaSuccess);
  EXPECT_TRUE(may_touch(memory));
}

TEST_F(ManagedGuardTest, MemoryOfTheHostIsAlwaysItsOwn) {
  std::byte* const memory = managed(cudaMemAttachHost);
  launch_slow_kernel(nullptr);
  EXPECT_TRUE(may_touch(memory));
}

TEST_F(ManagedGuardTest, MemoryOfAStreamIsClosedByKernelsOfThatStreamAlone) {
  std::byte* const memory = managed();
  const cudaStream_t own = stream(cudaStreamNonBlocking), other = stream(cudaStreamNonBlocking);
  ASSERT_EQ(cudaStreamAttachMemAsync(own, memory, 0, cudaMemAttachSingle), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(own), cudaSuccess);
  launch_slow_kernel(other);
  EXPECT_TRUE(may_touch(memory));
  launch_slow_kernel(own);
  EXPECT_FALSE(may_touch(memory));
}

TEST_F(ManagedGuardTest, TheSimulatorHasAViewOfItsOwn) {
  std::byte* const memory = managed();
  memory[10] = std::byte{7};
  std::byte* const view = session().core().managed_guard()->backing(memory + 10);
  EXPECT_NE(view, memory + 10);
  EXPECT_EQ(*view, std::byte{7});
  launch_slow_kernel(nullptr);
  *view = std::byte{8};  // while the program may not
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(memory[10], std::byte{8});
  std::byte other{};
  EXPECT_EQ(session().core().managed_guard()->backing(&other), &other);
}

TEST_F(ManagedGuardTest, ATouchIsExplainedWithAllocationByteAndKernel) {
  managed();
  std::byte* const second = managed();
  EXPECT_EQ(explained(second + 100), "");
  launch_slow_kernel(nullptr);
  const std::string text = explained(second + 100);
  EXPECT_NE(text.find("byte 100 of allocation 2"), std::string::npos) << text;
  EXPECT_NE(text.find("kernel 'slow'"), std::string::npos) << text;
  EXPECT_NE(text.find("(cudaStreamAttachMemAsync)"), std::string::npos) << text;
  EXPECT_NE(text.find("gpu.concurrent_managed_access"), std::string::npos) << text;
  std::byte other{};
  EXPECT_EQ(explained(&other), "");
}

TEST_F(ManagedGuardTest, FreedMemoryIsNobodysAnyMore) {
  std::byte* const memory = managed();
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(session().core().managed_guard()->backing(memory), memory);
  EXPECT_FALSE(session().core().managed_guard()->release(virtual_address(memory)));
}

class ConcurrentManaged : public cuda::RuntimeTest {
 protected:
  ConcurrentManaged() : cuda::RuntimeTest("h100") {}
};

TEST_F(ConcurrentManaged, NothingIsGuardedWhereTheMachineHasConcurrentAccess) {
  EXPECT_EQ(session().core().managed_guard(), nullptr);
}

}  // namespace
}  // namespace duet::core
