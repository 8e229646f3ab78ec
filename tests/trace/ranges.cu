// NVTX marks and ranges around calls, on two threads; the last push has no pop.
#include <nvtx3/nvToolsExt.h>

#include <thread>

__global__ void one(int* data) { ++*data; }

int main() {
  int* data;
  nvtxRangePush("set up");
  if (cudaMalloc(&data, 4) != cudaSuccess) return 77;
  nvtxRangePop();
  nvtxRangePop();  // of nothing
  const nvtxRangeId_t both = nvtxRangeStart("both");
  for (int i = 0; i < 2; ++i) {
    nvtxRangePush("step");
    nvtxRangePushW(L"launch \u00e9");
    one<<<1, 1>>>(data);
    nvtxRangePop();
    nvtxMark("launched");
    cudaDeviceSynchronize();
    nvtxRangePop();
  }
  std::thread([&] {
    nvtxEventAttributes_t attributes = {};
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = "other thread";
    nvtxRangePushEx(&attributes);
    cudaDeviceSynchronize();
    nvtxRangePop();
  }).join();
  nvtxRangeEnd(both);
  nvtxRangePush("tear down");
  cudaFree(data);
  return 0;
}
