// Contexts of the driver interface: which one is current, and what goes with one that is destroyed.
#include "cuda/session/contexts.h"

#include "unit/runtime/cuda/runtime_rig.h"

namespace duet::cuda {
namespace {

class Contexts : public RuntimeTest {
 protected:
  static CUcontext make() {
    CUcontext context = nullptr;
    EXPECT_EQ(cuCtxCreate(&context, nullptr, 0, 0), CUDA_SUCCESS);
    return context;
  }
};

TEST_F(Contexts, ARuntimeCallMakesThePrimaryContextCurrent) {
  EXPECT_EQ(current_context(session().thread()), primary_context());
}

TEST_F(Contexts, ContextsAreAStack) {
  const CUcontext made = make();
  EXPECT_EQ(current_context(session().thread()), made);
  CUcontext popped = nullptr;
  ASSERT_EQ(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, made);
  EXPECT_EQ(current_context(session().thread()), primary_context());
}

TEST_F(Contexts, ADestroyedContextTakesItsMemoryStreamsAndEventsAlong) {
  const Bytes at_first = session().space().device_bytes_free();
  const CUcontext made = make();
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  ASSERT_EQ(cuMemAlloc(&memory, 4096), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  EXPECT_EQ(owner_of(VirtualAddress(memory)), made);
  ASSERT_EQ(cuCtxDestroy(made), CUDA_SUCCESS);
  EXPECT_FALSE(valid_context(made));
  EXPECT_FALSE(session().valid_stream(stream));
  EXPECT_FALSE(session().valid_event(event));
  EXPECT_EQ(session().space().device_bytes_free(), at_first);
}

TEST_F(Contexts, WhatThePrimaryContextMadeStays) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 4096), cudaSuccess);
  const cudaStream_t own = stream();
  ASSERT_EQ(cuCtxDestroy(make()), CUDA_SUCCESS);
  EXPECT_TRUE(session().valid_stream(own));
  EXPECT_EQ(owner_of(virtual_address(memory)), primary_context());
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(Contexts, FreedMemoryBelongsToNobodyElse) {
  const CUcontext made = make();
  CUdeviceptr memory = 0;
  ASSERT_EQ(cuMemAlloc(&memory, 4096), CUDA_SUCCESS);
  ASSERT_EQ(cuMemFree(memory), CUDA_SUCCESS);
  EXPECT_TRUE(made->memory.empty());
}

}  // namespace
}  // namespace duet::cuda
