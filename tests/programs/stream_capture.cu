// Stream capture: work of two streams that events join becomes one graph, runs only when that is launched,
// and computes what the calls would have; calls that a capture forbids are refused and end it.
#include "expect.h"

constexpr int kCount = 500;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void multiply_add(int* data, int factor, int add) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) data[i] = data[i] * factor + add;
}
__global__ void join(int* a, const int* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) a[i] += b[i];
}
void count_call(void* calls) { ++*static_cast<int*>(calls); }

struct Buffers {
  int *host, *a, *b;
  Buffers() {
    CHECK(cudaMallocHost(reinterpret_cast<void**>(&host), kBytes));
    CHECK(cudaMalloc(reinterpret_cast<void**>(&a), kBytes));
    CHECK(cudaMalloc(reinterpret_cast<void**>(&b), kBytes));
  }
};

cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(stream, &status));
  return status;
}

void two_streams(Buffers& m, cudaStream_t first, cudaStream_t second) {
  cudaEvent_t fork, back;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&back, cudaEventDisableTiming));
  int calls = 0;
  CHECK(cudaMemset(m.a, 0, kBytes));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpyAsync(m.a, m.host, kBytes, cudaMemcpyHostToDevice, first));
  CHECK(cudaEventRecord(fork, first));
  CHECK(cudaStreamWaitEvent(second, fork, 0));
  REQUIRE(status_of(second) == cudaStreamCaptureStatusActive);
  CHECK(cudaMemset2DAsync(m.b, 100 * sizeof(int), 1, 100 * sizeof(int), kCount / 100, second));
  multiply_add<<<4, 128, 0, second>>>(m.b, 2, 1);
  CHECK_LAUNCH();
  CHECK(cudaEventRecord(back, second));
  multiply_add<<<4, 128, 0, first>>>(m.a, 3, 1);
  CHECK_LAUNCH();
  CHECK(cudaStreamWaitEvent(first, back, 0));
  join<<<4, 128, 0, first>>>(m.a, m.b);
  CHECK_LAUNCH();
  CHECK(cudaMemcpyAsync(m.host, m.a, kBytes, cudaMemcpyDeviceToHost, first));
  CHECK(cudaLaunchHostFunc(first, count_call, &calls));

  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr, graph_so_far = nullptr;
  const cudaGraphNode_t* after = nullptr;
  size_t count = 0;
  CHECK(cudaStreamGetCaptureInfo(first, &status, &id, &graph_so_far, &after, nullptr, &count));
  REQUIRE(status == cudaStreamCaptureStatusActive && id != 0 && count == 1);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(after[0], &type));
  REQUIRE(type == cudaGraphNodeTypeHost);
  CHECK(cudaStreamEndCapture(first, &graph));
  REQUIRE(graph != nullptr && graph == graph_so_far);
  REQUIRE(status_of(first) == cudaStreamCaptureStatusNone &&
          status_of(second) == cudaStreamCaptureStatusNone);
  size_t nodes = 0, edges = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  REQUIRE(nodes == 7 && edges == 7);
  // Nothing has run.
  std::vector<int> now(kCount);
  CHECK(cudaMemcpy(now.data(), m.a, kBytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; i++) expect::equal("before the launch", i, now[i], 0);
  REQUIRE(calls == 0);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int i = 0; i < kCount; i++) m.host[i] = i;
  for (int launch = 0; launch < 2; launch++) CHECK(cudaGraphLaunch(exec, second));
  CHECK(cudaStreamSynchronize(second));
  for (int i = 0; i < kCount; i++) {
    const int b = 0x01010101 * 2 + 1;
    expect::equal("two launches", i, m.host[i], (i * 3 + 1 + b) * 3 + 1 + b);
  }
  REQUIRE(calls == 2);

  // A launch into a capturing stream is a child graph.
  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaGraphLaunch(exec, first));
  multiply_add<<<4, 128, 0, first>>>(m.a, 0, 42);
  CHECK(cudaMemcpyAsync(m.host, m.a, kBytes, cudaMemcpyDeviceToHost, first));
  CHECK(cudaStreamEndCapture(first, &graph));
  cudaGraphExec_t outer;
  CHECK(cudaGraphInstantiate(&outer, graph, 0));
  CHECK(cudaGraphLaunch(outer, first));
  CHECK(cudaStreamSynchronize(first));
  for (int i = 0; i < kCount; i++) expect::equal("child", i, m.host[i], 42);
  REQUIRE(calls == 3);
  // An event recorded in a capture never happens.
  REQUIRE_STATUS(cudaEventQuery(fork), cudaErrorCapturedEvent);
  cudaGetLastError();
  CHECK(cudaEventRecord(fork, first));
  CHECK(cudaEventSynchronize(fork));
  CHECK(cudaGraphExecDestroy(outer));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(back));
}

void into_a_graph(Buffers& m, cudaStream_t stream) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t fill;
  cudaMemsetParams params{};
  params.dst = m.a;
  params.elementSize = 4;
  params.value = 7;
  params.width = kCount;
  params.height = 1;
  CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &params));
  CHECK(cudaStreamBeginCaptureToGraph(stream, graph, &fill, nullptr, 1, cudaStreamCaptureModeRelaxed));
  multiply_add<<<4, 128, 0, stream>>>(m.a, 10, 5);
  // Relaxed: calls that might wait are allowed.
  void* other = nullptr;
  CHECK(cudaMalloc(&other, 1000));
  cudaGraph_t same;
  CHECK(cudaStreamEndCapture(stream, &same));
  REQUIRE(same == graph);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaMemcpyAsync(m.host, m.a, kBytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < kCount; i++) expect::equal("into a graph", i, m.host[i], 75);
  CHECK(cudaFree(other));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

// Begins a capture, makes a call that it forbids, and ends it.
template <typename Call>
void forbidden(const char* what, Buffers& m, cudaStream_t stream, cudaError_t expected, Call call) {
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  multiply_add<<<4, 128, 0, stream>>>(m.a, 1, 1);
  CHECK_LAUNCH();
  expect::require_status(call(), expected, what, __FILE__, __LINE__);
  REQUIRE(status_of(stream) == cudaStreamCaptureStatusInvalidated);
  REQUIRE_STATUS(cudaMemsetAsync(m.a, 0, 4, stream), cudaErrorStreamCaptureInvalidated);
  cudaGraph_t graph = reinterpret_cast<cudaGraph_t>(1);
  REQUIRE_STATUS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  REQUIRE(graph == nullptr && status_of(stream) == cudaStreamCaptureStatusNone);
  cudaGetLastError();
}

void refused(Buffers& m, cudaStream_t blocking, cudaStream_t other) {
  const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported;
  forbidden("synchronize", m, blocking, unsupported, [&] { return cudaStreamSynchronize(blocking); });
  forbidden("query", m, blocking, unsupported, [&] { return cudaStreamQuery(blocking); });
  forbidden("device", m, blocking, unsupported, [] { return cudaDeviceSynchronize(); });
  forbidden("malloc", m, blocking, unsupported, [] {
    void* p = nullptr;
    return cudaMalloc(&p, 100);
  });
  forbidden("default stream", m, blocking, cudaErrorStreamCaptureImplicit,
            [&] { return cudaMemcpy(m.host, m.a, kBytes, cudaMemcpyDeviceToHost); });
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaEventRecord(event, other));
  forbidden("event from outside", m, blocking, cudaErrorStreamCaptureIsolation,
            [&] { return cudaStreamWaitEvent(blocking, event, 0); });

  cudaGraph_t graph;
  REQUIRE_STATUS(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), unsupported);
  REQUIRE(cudaStreamEndCapture(blocking, &graph) != cudaSuccess);
  // A fork that nobody joins, ended first in the wrong stream.
  CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(event, blocking));
  CHECK(cudaStreamWaitEvent(other, event, 0));
  multiply_add<<<4, 128, 0, other>>>(m.a, 1, 1);
  REQUIRE_STATUS(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureUnjoined);
  REQUIRE(status_of(other) == cudaStreamCaptureStatusNone);
  CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(event, blocking));
  CHECK(cudaStreamWaitEvent(other, event, 0));
  REQUIRE_STATUS(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureUnmatched);
  REQUIRE_STATUS(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();

  // A stream that joined may be destroyed before the end; what it did has to be joined all the same.
  for (const bool joined : {true, false}) {
    cudaStream_t third;
    CHECK(cudaStreamCreate(&third));
    CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(event, blocking));
    CHECK(cudaStreamWaitEvent(third, event, 0));
    multiply_add<<<4, 128, 0, third>>>(m.a, 1, 1);
    CHECK(cudaEventRecord(event, third));
    if (joined) CHECK(cudaStreamWaitEvent(blocking, event, 0));
    CHECK(cudaStreamDestroy(third));
    REQUIRE_STATUS(cudaStreamEndCapture(blocking, &graph),
                   joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    if (joined) CHECK(cudaGraphDestroy(graph));
    cudaGetLastError();
  }
  // The one that began has to end it.
  CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
  REQUIRE_STATUS(cudaStreamDestroy(blocking), unsupported);
  REQUIRE_STATUS(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();

  // A thread may say that it knows what it does.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  REQUIRE(mode == cudaStreamCaptureModeGlobal);
  CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
  void* p = nullptr;
  CHECK(cudaMalloc(&p, 100));
  CHECK(cudaStreamEndCapture(blocking, &graph));
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(p));
  CHECK(cudaEventDestroy(event));
}

int main() {
  cudaStream_t first, second;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  Buffers buffers;
  two_streams(buffers, first, second);
  into_a_graph(buffers, second);
  refused(buffers, first, second);
  CHECK(cudaDeviceSynchronize());
  return expect::pass("stream_capture");
}
