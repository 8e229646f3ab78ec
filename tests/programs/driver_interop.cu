// Both interfaces in one program see one device: contexts, memory, streams, events, kernels and graphs of one
// are the other's; errors of the driver interface are not the runtime's last error; stream 0 as a thread's
// own.
#include "driver_expect.h"
#include "expect.h"

constexpr unsigned kCount = 1000;

__global__ void add_one(unsigned* data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) data[i]++;
}

extern "C" cudaError_t cudaMemsetAsync_ptsz(void*, int, size_t, cudaStream_t);
extern "C" CUresult cuStreamQuery_ptsz(CUstream);

int main() {
  unsigned* data;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&data), kCount * 4));
  // The runtime has made the primary context current.
  CUcontext current, primary;
  CU(cuCtxGetCurrent(&current));
  CU(cuDevicePrimaryCtxRetain(&primary, 0));
  REQUIRE(current != nullptr && current == primary);

  const CUdeviceptr address = reinterpret_cast<CUdeviceptr>(data);
  CU(cuMemsetD32(address, 40, kCount));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  add_one<<<8, 128, 0, stream>>>(data);
  CHECK_LAUNCH();
  CU(cuStreamSynchronize(stream));

  // A kernel of the program by its handle, and one of a module by the runtime's launch.
  cudaFunction_t function;
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(add_one)));
  void* parameters[] = {&data};
  CUevent event;
  CU(cuEventCreate(&event, 0));
  CU(cuLaunchKernel(reinterpret_cast<CUfunction>(function), 8, 1, 1, 128, 1, 1, 0, stream, parameters,
                    nullptr));
  CU(cuEventRecord(event, stream));
  CHECK(cudaEventSynchronize(event));
  CUmodule module;
  CUfunction scale;
  CU(cuModuleLoadData(&module, expect::kScaleModule));
  CU(cuModuleGetFunction(&scale, module, "scale"));
  unsigned count = kCount, add = 100;
  void* scale_parameters[] = {&data, &data, &count, &add};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(scale), dim3(8), dim3(128), scale_parameters, 0,
                         stream));
  std::vector<unsigned> host(kCount);
  CHECK(cudaMemcpy(host.data(), data, kCount * 4, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < kCount; i++) expect::equal("value", i, host[i], 42u * 3 + 100);

  // The driver interface's errors are its own.
  CU_STATUS(cuMemFree(12345), CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cudaGetLastError() == cudaSuccess);
  REQUIRE(cudaFree(reinterpret_cast<void*>(12345)) == cudaErrorInvalidValue);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);

  // A context that is made current is current for the runtime, too.
  CUcontext own;
  CU(cuCtxCreate(&own, nullptr, 0, 0));
  cudaStream_t of_own;
  CHECK(cudaStreamCreate(&of_own));
  CU(cuStreamGetCtx(of_own, &current));
  REQUIRE(current == own);
  CU(cuCtxDestroy(own));
  CHECK(cudaGetLastError());
  CU(cuCtxSetCurrent(primary));

  // _ptsz: stream 0 is the thread's, which does not wait for a non-blocking stream's work.
  cudaStream_t busy;
  CHECK(cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking));
  for (int i = 0; i < 20; i++) add_one<<<8, 128, 0, busy>>>(data);
  CHECK(cudaMemsetAsync_ptsz(data, 0, 4, nullptr));
  CU_STATUS(cuStreamQuery_ptsz(nullptr), CUDA_ERROR_NOT_READY);
  CU(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  CU(cuStreamQuery_ptsz(nullptr));
  CHECK(cudaDeviceSynchronize());

  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuCtxSynchronize", &entry, 12000, cudaEnableDefault, &found));
  REQUIRE(found == cudaDriverEntryPointSuccess);
  CU(reinterpret_cast<CUresult (*)()>(entry)());
  return expect::pass("driver_interop");
}
