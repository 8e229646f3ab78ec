// Functions of the program in streams: their order with kernels and copies, what they see and leave, what
// they may not do; by cudaLaunchHostFunc, cudaStreamAddCallback, in captured graphs and as nodes.
#include <string>
#include <vector>

#include "check.h"

namespace {

__global__ void add(int* values, int n, int what) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += what;
}

constexpr int kCount = 1000;

struct Step {
  int* values;
  const char* name;
  int add;
  std::vector<std::string>* log;
};

void tell(void* data) {
  const Step& step = *static_cast<Step*>(data);
  long sum = 0;
  for (int i = 0; i < kCount; ++i) {
    sum += step.values[i];
    step.values[i] += step.add;
  }
  step.log->push_back(std::string(step.name) + " sees " + std::to_string(sum));
}

void call_cuda(void* data) {
  void* pointer = nullptr;
  *static_cast<int*>(data) = cudaMalloc(&pointer, 16);
}

void callback(cudaStream_t stream, cudaError_t status, void* data) {
  Step& step = *static_cast<Step*>(data);
  tell(&step);
  step.log->push_back(stream != nullptr && status == cudaSuccess ? "its stream, no error"
                                                                 : "wrong arguments");
}

}  // namespace

int main() {
  std::vector<std::string> log;
  int* values = nullptr;
  CHECK(cudaHostAlloc(reinterpret_cast<void**>(&values), kCount * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < kCount; ++i) values[i] = i;
  cudaStream_t stream, other;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  Step first{values, "first", 10, &log}, second{values, "second", 100, &log}, third{values, "third", 0, &log};
  add<<<4, 256, 0, stream>>>(values, kCount, 1);
  CHECK(cudaLaunchHostFunc(stream, tell, &first));
  add<<<4, 256, 0, stream>>>(values, kCount, 1);
  CHECK(cudaStreamAddCallback(stream, callback, &second, 0));
  CHECK(cudaLaunchHostFunc(stream, tell, &third));
  int refused = -1;
  CHECK(cudaLaunchHostFunc(other, call_cuda, &refused));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamSynchronize(other));
  for (const std::string& line : log) std::puts(line.c_str());
  std::printf("a call in there: %s\n", cudaGetErrorName(static_cast<cudaError_t>(refused)));
  log.clear();

  // An event behind a function is recorded when the function has ended.
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaLaunchHostFunc(stream, tell, &first));
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(other, event));
  add<<<4, 256, 0, other>>>(values, kCount, 5);
  CHECK(cudaLaunchHostFunc(other, tell, &third));
  CHECK(cudaDeviceSynchronize());
  for (const std::string& line : log) std::puts(line.c_str());
  log.clear();

  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<4, 256, 0, stream>>>(values, kCount, 2);
  CHECK(cudaLaunchHostFunc(stream, tell, &third));
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t nodes[4], made;
  size_t count = 4;
  CHECK(cudaGraphGetNodes(graph, nodes, &count));
  cudaHostNodeParams parameters{tell, &second};
  CHECK(cudaGraphAddHostNode(&made, graph, nodes, count, &parameters));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (const std::string& line : log) std::puts(line.c_str());
  std::printf("%zu nodes were captured; hash %llx\n", count, hash_of(values, kCount * sizeof(int)));
  return 0;
}
