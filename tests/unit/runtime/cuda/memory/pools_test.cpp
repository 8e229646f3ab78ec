// Memory pools: when freed memory is given again, to whom, and when it goes back to the device.
#include "cuda/memory/pools.h"

#include "unit/runtime/cuda/runtime_rig.h"

namespace duet::cuda {
namespace {

class MemoryPool : public RuntimeTest {
 protected:
  MemoryPool() { EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool_, 0), cudaSuccess); }

  static void* take(Bytes bytes, cudaStream_t stream) {
    void* pointer = nullptr;
    EXPECT_EQ(cudaMallocAsync(&pointer, bytes, stream), cudaSuccess);
    return pointer;
  }
  static void* take_from(cudaMemPool_t pool, Bytes bytes, cudaStream_t stream) {
    void* pointer = nullptr;
    EXPECT_EQ(cudaMallocFromPoolAsync(&pointer, bytes, pool, stream), cudaSuccess);
    return pointer;
  }
  static void give(void* pointer, cudaStream_t stream) {
    EXPECT_EQ(cudaFreeAsync(pointer, stream), cudaSuccess);
  }
  static std::uint64_t asked(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    std::uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &value), cudaSuccess);
    return value;
  }
  static void keep(cudaMemPool_t pool, std::uint64_t bytes) {
    EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes), cudaSuccess);
  }
  static cudaMemPool_t make_pool(Bytes most = 0) {
    cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = {cudaMemLocationTypeDevice, 0};
    props.maxSize = most;
    cudaMemPool_t pool = nullptr;
    EXPECT_EQ(cudaMemPoolCreate(&pool, &props), cudaSuccess);
    return pool;
  }

  Bytes page() { return session().space().page_bytes(); }
  Bytes device_free() { return session().space().device_bytes_free(); }

  cudaMemPool_t pool_ = nullptr;
};

TEST_F(MemoryPool, TheSameStreamGetsAFreedBlockAtOnce) {
  const cudaStream_t one = stream();
  void* first = take(page(), one);
  launch_slow_kernel(one);
  give(first, one);
  EXPECT_EQ(take(page(), one), first);
}

TEST_F(MemoryPool, AnotherStreamGetsItWhenWhatCameBeforeTheFreeIsComplete) {
  const cudaStream_t one = stream(), other = stream();
  void* first = take(page(), one);
  launch_slow_kernel(one);
  give(first, one);
  EXPECT_NE(take(page(), other), first);
  keep(pool_, ~std::uint64_t{0});
  ASSERT_EQ(cudaStreamSynchronize(one), cudaSuccess);
  EXPECT_EQ(take(page(), other), first);
}

TEST_F(MemoryPool, ABlockOfMoreThanTwiceTheSizeIsNotGiven) {
  const cudaStream_t one = stream();
  void* three_pages = take(3 * page(), one);
  give(three_pages, one);
  EXPECT_NE(take(page(), one), three_pages);
  EXPECT_EQ(take(2 * page(), one), three_pages);
}

TEST_F(MemoryPool, TheSmallestBlockThatFitsIsGiven) {
  const cudaStream_t one = stream();
  void* four_pages = take(4 * page(), one);
  void* three_pages = take(3 * page(), one);
  give(four_pages, one);
  give(three_pages, one);
  EXPECT_EQ(take(3 * page() - 1, one), three_pages);
  EXPECT_EQ(take(3 * page(), one), four_pages);
}

TEST_F(MemoryPool, SynchronizingGivesBackWhatLiesAboveTheThreshold) {
  const cudaStream_t one = stream();
  const Bytes at_first = device_free();
  give(take(4 * page(), one), one);
  EXPECT_LT(device_free(), at_first);
  EXPECT_EQ(asked(pool_, cudaMemPoolAttrReservedMemCurrent), 4 * page());
  ASSERT_EQ(cudaStreamSynchronize(one), cudaSuccess);
  EXPECT_EQ(device_free(), at_first);
  EXPECT_EQ(asked(pool_, cudaMemPoolAttrReservedMemCurrent), 0u);

  keep(pool_, 4 * page());
  give(take(4 * page(), one), one);
  ASSERT_EQ(cudaStreamSynchronize(one), cudaSuccess);
  EXPECT_EQ(asked(pool_, cudaMemPoolAttrReservedMemCurrent), 4 * page());
  EXPECT_EQ(cudaMemPoolTrimTo(pool_, 0), cudaSuccess);
  EXPECT_EQ(device_free(), at_first);
}

TEST_F(MemoryPool, TrimmingLeavesBlocksInUse) {
  const cudaStream_t one = stream();
  take(page(), one);
  give(take(2 * page(), one), one);
  EXPECT_EQ(cudaMemPoolTrimTo(pool_, 0), cudaSuccess);
  EXPECT_EQ(asked(pool_, cudaMemPoolAttrReservedMemCurrent), page());
  EXPECT_EQ(asked(pool_, cudaMemPoolAttrUsedMemCurrent), page());
}

TEST_F(MemoryPool, HighMarksRememberAndCanOnlyBeReset) {
  const cudaStream_t one = stream();
  void* first = take(2 * page(), one);
  void* second = take(page(), one);
  give(first, one);
  give(second, one);
  EXPECT_EQ(asked(pool_, cudaMemPoolAttrUsedMemHigh), 3 * page());
  EXPECT_EQ(asked(pool_, cudaMemPoolAttrUsedMemCurrent), 0u);
  std::uint64_t value = 1;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &value), cudaErrorInvalidValue);
  value = 0;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &value), cudaSuccess);
  EXPECT_EQ(asked(pool_, cudaMemPoolAttrUsedMemHigh), 0u);
}

TEST_F(MemoryPool, NothingIsFreedTwice) {
  const cudaStream_t one = stream();
  void* pointer = take(page(), one);
  give(pointer, one);
  EXPECT_TRUE(core::freed_in_pool(duet::virtual_address(pointer)));
  EXPECT_EQ(cudaFreeAsync(pointer, one), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
}

TEST_F(MemoryPool, MemoryOfCudaMallocMayBeFreedInStreamOrder) {
  const cudaStream_t one = stream();
  const Bytes at_first = device_free();
  void* pointer = nullptr;
  ASSERT_EQ(cudaMalloc(&pointer, page()), cudaSuccess);
  give(pointer, one);
  EXPECT_LT(device_free(), at_first);
  ASSERT_EQ(cudaStreamSynchronize(one), cudaSuccess);
  EXPECT_EQ(device_free(), at_first);
}

TEST_F(MemoryPool, APoolKeepsToItsLargestSize) {
  const cudaStream_t one = stream();
  const cudaMemPool_t pool = make_pool(2 * page());
  void* first = take_from(pool, 2 * page(), one);
  void* more = nullptr;
  EXPECT_EQ(cudaMallocFromPoolAsync(&more, page(), pool, one), cudaErrorMemoryAllocation);
  give(first, one);
  EXPECT_EQ(take_from(pool, 2 * page(), one), first);
}

TEST_F(MemoryPool, ADestroyedPoolGoesWithItsLastBlock) {
  const cudaStream_t one = stream();
  const Bytes at_first = device_free();
  const cudaMemPool_t pool = make_pool();
  void* block = take_from(pool, page(), one);
  ASSERT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  void* more = nullptr;
  EXPECT_EQ(cudaMallocFromPoolAsync(&more, page(), pool, one), cudaErrorInvalidValue);
  give(block, one);
  ASSERT_EQ(cudaStreamSynchronize(one), cudaSuccess);
  EXPECT_EQ(device_free(), at_first);
}

TEST_F(MemoryPool, TheDefaultPoolStaysAndComesBackWhenTheCurrentOneGoes) {
  const cudaMemPool_t pool = make_pool();
  ASSERT_EQ(cudaDeviceSetMemPool(0, pool), cudaSuccess);
  EXPECT_EQ(current_pool(), pool);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  EXPECT_EQ(current_pool(), pool_);
  EXPECT_EQ(cudaMemPoolDestroy(pool_), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace duet::cuda
