// Stream capture: which calls become nodes behind which, and which end a capture.
#include "cuda/streams/capture.h"

#include "unit/runtime/cuda/runtime_rig.h"

namespace duet::cuda {
namespace {

class CaptureTest : public RuntimeTest {
 protected:
  CaptureTest() { EXPECT_EQ(cudaMalloc(&memory_, 256), cudaSuccess); }

  void begin(cudaStream_t stream, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    ASSERT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
  }
  cudaError_t fill(cudaStream_t stream) { return cudaMemsetAsync(memory_, 1, 256, stream); }
  cudaEvent_t event() {
    cudaEvent_t made = nullptr;
    EXPECT_EQ(cudaEventCreate(&made), cudaSuccess);
    return made;
  }
  // `to` comes behind what `from` has done so far.
  cudaError_t join(cudaStream_t from, cudaStream_t to) {
    const cudaEvent_t between = event();
    EXPECT_EQ(cudaEventRecord(between, from), cudaSuccess);
    return cudaStreamWaitEvent(to, between, 0);
  }
  cudaError_t end(cudaStream_t stream) {
    graph_ = nullptr;
    return cudaStreamEndCapture(stream, &graph_);
  }

  void* memory_ = nullptr;
  cudaGraph_t graph_ = nullptr;
};

TEST_F(CaptureTest, WorkBecomesAChainOfNodesAndDoesNotRun) {
  const cudaStream_t one = stream();
  begin(one);
  ASSERT_EQ(fill(one), cudaSuccess);
  ASSERT_EQ(fill(one), cudaSuccess);
  EXPECT_EQ(session().driver().last_submitted(one->id), 0u);
  ASSERT_EQ(end(one), cudaSuccess);
  ASSERT_EQ(graph_->nodes.size(), 2u);
  EXPECT_TRUE(graph_->nodes[0]->after.empty());
  EXPECT_EQ(graph_->nodes[1]->after, std::vector<CUgraphNode_st*>{graph_->nodes[0].get()});
  EXPECT_EQ(fill(one), cudaSuccess);  // the stream runs again
  EXPECT_NE(session().driver().last_submitted(one->id), 0u);
}

TEST_F(CaptureTest, AStreamThatWaitsForACapturedEventJoins) {
  const cudaStream_t one = stream(), other = stream();
  begin(one);
  ASSERT_EQ(fill(one), cudaSuccess);
  ASSERT_EQ(join(one, other), cudaSuccess);
  ASSERT_EQ(fill(other), cudaSuccess);
  ASSERT_EQ(fill(one), cudaSuccess);
  ASSERT_EQ(join(other, one), cudaSuccess);
  ASSERT_EQ(fill(one), cudaSuccess);
  ASSERT_EQ(end(one), cudaSuccess);
  ASSERT_EQ(graph_->nodes.size(), 4u);
  CUgraphNode_st* const root = graph_->nodes[0].get();
  EXPECT_EQ(graph_->nodes[1]->after, std::vector<CUgraphNode_st*>{root});
  EXPECT_EQ(graph_->nodes[2]->after, std::vector<CUgraphNode_st*>{root});
  EXPECT_EQ(graph_->nodes[3]->after,
            (std::vector<CUgraphNode_st*>{graph_->nodes[2].get(), graph_->nodes[1].get()}));
}

TEST_F(CaptureTest, WorkOfAnotherStreamThatNobodyJoinedIsTold) {
  const cudaStream_t one = stream(), other = stream();
  begin(one);
  ASSERT_EQ(fill(one), cudaSuccess);
  ASSERT_EQ(join(one, other), cudaSuccess);
  ASSERT_EQ(fill(other), cudaSuccess);
  EXPECT_EQ(end(one), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph_, nullptr);
}

TEST_F(CaptureTest, WhatADestroyedStreamDidMustBeJoinedToo) {
  const cudaStream_t one = stream(), other = stream();
  begin(one);
  ASSERT_EQ(fill(one), cudaSuccess);
  ASSERT_EQ(join(one, other), cudaSuccess);
  ASSERT_EQ(fill(other), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(other), cudaSuccess);
  EXPECT_EQ(end(one), cudaErrorStreamCaptureUnjoined);
}

TEST_F(CaptureTest, WaitingForTheStreamInvalidates) {
  const cudaStream_t one = stream();
  begin(one);
  EXPECT_EQ(cudaStreamSynchronize(one), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(fill(one), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(one), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(fill(one), cudaSuccess);
}

TEST_F(CaptureTest, WaitingForTheDeviceInvalidatesEveryCapture) {
  const cudaStream_t one = stream(), other = stream();
  begin(one, cudaStreamCaptureModeRelaxed);
  begin(other, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(one), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(other), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, CallsThatMayWaitAreRefusedUnlessTheModeIsRelaxed) {
  const cudaStream_t one = stream();
  void* more = nullptr;
  begin(one, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaMalloc(&more, 64), cudaSuccess);
  EXPECT_EQ(end(one), cudaSuccess);
  begin(one, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaMalloc(&more, 64), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(one), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, TheDefaultStreamWouldWaitForBlockingStreamsOnly) {
  const cudaStream_t free = stream(cudaStreamNonBlocking), blocking = stream();
  begin(free);
  EXPECT_EQ(fill(nullptr), cudaSuccess);
  EXPECT_EQ(end(free), cudaSuccess);
  begin(blocking);
  EXPECT_EQ(fill(nullptr), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(end(blocking), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, TwoCapturesDoNotMerge) {
  const cudaStream_t one = stream(), other = stream();
  begin(one);
  begin(other);
  EXPECT_EQ(join(one, other), cudaErrorStreamCaptureMerge);
  EXPECT_EQ(end(one), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(other), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, AnEventFromBeforeTheCaptureIsRefused) {
  const cudaStream_t one = stream(), other = stream();
  const cudaEvent_t before = event();
  ASSERT_EQ(cudaEventRecord(before, other), cudaSuccess);
  begin(one);
  EXPECT_EQ(cudaStreamWaitEvent(one, before, 0), cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(end(one), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, ACapturedEventNeverHappens) {
  const cudaStream_t one = stream();
  const cudaEvent_t captured = event();
  begin(one);
  ASSERT_EQ(cudaEventRecord(captured, one), cudaSuccess);
  ASSERT_EQ(end(one), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(captured), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaEventSynchronize(captured), cudaErrorCapturedEvent);
}

TEST_F(CaptureTest, OnlyTheStreamThatBeganEnds) {
  const cudaStream_t one = stream(), other = stream();
  begin(one);
  ASSERT_EQ(join(one, other), cudaSuccess);
  EXPECT_EQ(end(other), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(end(one), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(one), cudaErrorIllegalState);
}

TEST_F(CaptureTest, IntoAGraphItComesBehindTheGivenNodes) {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t root = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&root, graph, nullptr, 0), cudaSuccess);
  const cudaStream_t one = stream();
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(one, graph, &root, nullptr, 1, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  ASSERT_EQ(fill(one), cudaSuccess);
  ASSERT_EQ(end(one), cudaSuccess);
  EXPECT_EQ(graph_, graph);
  ASSERT_EQ(graph->nodes.size(), 2u);
  EXPECT_EQ(graph->nodes[1]->after, std::vector<CUgraphNode_st*>{root});
}

}  // namespace
}  // namespace duet::cuda
