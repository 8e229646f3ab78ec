// Calls that fail. Arguments: what is done, and how the program takes it ("ask", "strings"; otherwise it looks at nothing).
#include <cuda.h>
#include <stdio.h>
#include <string.h>

__global__ void touch(int* data) { data[0] = 1; }
__global__ void far_away(int* data) { data[1 << 28] = 1; }

static int launches(const char* how) {
  int* data;
  if (cudaMalloc(&data, 4096) != cudaSuccess) return 77;
  for (int i = 0; i < 3; ++i) touch<<<1, 2048>>>(data);
  touch<<<1, 32>>>(data);
  cudaMemcpy(data, NULL, 16, static_cast<cudaMemcpyKind>(9));
  cudaEventQuery(NULL);
  if (!strcmp(how, "ask")) cudaGetLastError();  // tells of the query alone
  if (!strcmp(how, "strings"))
    for (int error = 1; error < 1000; ++error) (void)cudaGetErrorString(static_cast<cudaError_t>(error));
  return 0;
}

// Queries of what is not ready are no failures.
static int waits() {
  int* data;
  cudaEvent_t event;
  if (cudaMalloc(&data, 4096) != cudaSuccess || cudaEventCreate(&event) != cudaSuccess) return 77;
  touch<<<1, 32>>>(data);
  cudaEventRecord(event);
  int queries = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady) ++queries;
  return queries > 0 ? 0 : 1;
}

static int fault() {
  int* data;
  if (cudaMalloc(&data, 4096) != cudaSuccess) return 77;
  far_away<<<1, 1>>>(data);
  cudaDeviceSynchronize();
  touch<<<1, 32>>>(data);
  cudaFree(data);
  return 0;
}

static int driver_interface() {
  CUdevice device;
  CUcontext context;
  CUdeviceptr data;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS ||
      cuCtxSetCurrent(context) != CUDA_SUCCESS)
    return 77;
  cuMemAlloc(&data, 0);
  cuMemAlloc(&data, 0);
  return 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "waits")) return waits();
  if (!strcmp(what, "fault")) return fault();
  if (!strcmp(what, "driver")) return driver_interface();
  return launches(argc > 2 ? argv[2] : "");
}
