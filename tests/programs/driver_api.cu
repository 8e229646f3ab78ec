// The driver interface: contexts and what they own, modules from PTX text, launches with both forms of
// parameters, copies and fills of every shape, streams, events, occupancy, the linker, entry points by name,
// and the errors of calls that come too early or with nothing.
#include "driver_expect.h"
#include "expect.h"

constexpr unsigned kCount = 1000;
constexpr size_t kBytes = kCount * 4;

static CUdeviceptr values(unsigned first) {
  unsigned host[kCount];
  for (unsigned i = 0; i < kCount; i++) host[i] = first + i;
  CUdeviceptr device;
  CU(cuMemAlloc(&device, kBytes));
  CU(cuMemcpyHtoD(device, host, kBytes));
  return device;
}

static void require_all(CUdeviceptr device, unsigned first, unsigned step) {
  unsigned host[kCount];
  CU(cuMemcpyDtoH(host, device, kBytes));
  for (unsigned i = 0; i < kCount; i++) expect::equal("value", i, host[i], first + step * i);
}

static void launch(CUfunction function, CUdeviceptr to, CUdeviceptr from, unsigned add, CUstream stream) {
  unsigned count = kCount;
  void* parameters[] = {&to, &from, &count, &add};
  CU(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, stream, parameters, nullptr));
}

static void too_early() {
  int count;
  CU_STATUS(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  CU_STATUS(cuInit(1), CUDA_ERROR_INVALID_VALUE);
  CU(cuInit(0));
  CU(cuDeviceGetCount(&count));
  REQUIRE(count == 1);
  CUdeviceptr device;
  CU_STATUS(cuMemAlloc(&device, 4), CUDA_ERROR_INVALID_CONTEXT);
}

static CUdevice devices() {
  CUdevice device;
  CU_STATUS(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  CU(cuDeviceGet(&device, 0));
  char name[5];
  CU(cuDeviceGetName(name, sizeof name, device));
  REQUIRE(strlen(name) == 4);
  int warp, major, minor, attribute, version;
  CU(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
  CU(cuDeviceComputeCapability(&major, &minor, device));
  CU(cuDeviceGetAttribute(&attribute, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  REQUIRE(warp == 32 && major == attribute);
  CU_STATUS(cuDeviceGetAttribute(&attribute, static_cast<CUdevice_attribute>(9999), device),
            CUDA_ERROR_INVALID_VALUE);
  CU(cuDriverGetVersion(&version));
  REQUIRE(version == CUDA_VERSION);
  CUdevprop properties;
  CU(cuDeviceGetProperties(&properties, device));
  REQUIRE(properties.SIMDWidth == warp && properties.maxThreadsPerBlock > 0);
  return device;
}

static void modules_and_launches() {
  CUmodule module;
  CU_STATUS(cuModuleLoad(&module, "/nonexistent.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  char log[256] = "untouched";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* option_values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CU(cuModuleLoadDataEx(&module, expect::kScaleModule, 2, options, option_values));
  REQUIRE(log[0] == 0 && option_values[1] == nullptr);
  CUfunction scale, none;
  CU(cuModuleGetFunction(&scale, module, "scale"));
  CU_STATUS(cuModuleGetFunction(&none, module, "nothing"), CUDA_ERROR_NOT_FOUND);
  unsigned functions;
  CU(cuModuleGetFunctionCount(&functions, module));
  REQUIRE(functions == 1);
  int threads;
  CU(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
  REQUIRE(threads >= 512);
  // As an assembler with -maxrregcount.
  int registers, few;
  CU(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, scale));
  CUmodule limited;
  CUfunction limited_scale;
  CUjit_option most = CU_JIT_MAX_REGISTERS;
  void* most_value = reinterpret_cast<void*>(static_cast<size_t>(registers - 1));
  CU(cuModuleLoadDataEx(&limited, expect::kScaleModule, 1, &most, &most_value));
  CU(cuModuleGetFunction(&limited_scale, limited, "scale"));
  CU(cuFuncGetAttribute(&few, CU_FUNC_ATTRIBUTE_NUM_REGS, limited_scale));
  REQUIRE(few == registers - 1);
  CU(cuModuleUnload(limited));
  size_t offset, bytes;
  CU(cuFuncGetParamInfo(scale, 3, &offset, &bytes));
  REQUIRE(offset == 20 && bytes == 4);
  CU_STATUS(cuFuncGetParamInfo(scale, 4, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);

  CUdeviceptr from = values(10), to = values(0);
  launch(scale, to, from, 5, nullptr);
  require_all(to, 35, 3);

  CUdeviceptr factor;
  CU(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
  REQUIRE(bytes == 4);
  CU_STATUS(cuModuleGetGlobal(&factor, &bytes, module, "scale"), CUDA_ERROR_NOT_FOUND);
  const unsigned seven = 7;
  CU(cuMemcpyHtoD(factor, &seven, 4));
  struct {
    CUdeviceptr to, from;
    unsigned count, add;
  } block = {to, from, kCount, 1};
  size_t block_bytes = sizeof block;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &block_bytes,
                   CU_LAUNCH_PARAM_END};
  CU(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
  require_all(to, 71, 7);

  CU_STATUS(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  void* parameters[] = {&block.to, &block.from, &block.count, &block.add};
  CU_STATUS(cuLaunchKernel(scale, 0, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  CU_STATUS(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  CUlaunchConfig config{};
  config.gridDimX = 8;
  config.blockDimX = 128;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  block.add = 2;
  CU(cuLaunchKernelEx(&config, scale, parameters, nullptr));
  require_all(to, 72, 7);

  int blocks, least_grid, best;
  CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 128, 0));
  CU(cuOccupancyMaxPotentialBlockSize(&least_grid, &best, scale, nullptr, 0, 100));
  REQUIRE(blocks >= 1 && best >= 32 && best <= 100 && least_grid >= 1);

  // The function is gone with its module.
  CU(cuModuleUnload(module));
  CU_STATUS(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  CU_STATUS(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  CU(cuMemFree(from));
  CU(cuMemFree(to));
}

static void linker() {
  static char declares[] =
      ".version 7.0\n.target sm_50\n.address_size 64\n.extern .func (.param .b32 r) twice(.param .b32 x);\n"
      ".visible .entry both(.param .u64 to)\n{ .reg .b32 %r<3>; .reg .b64 %d; .param .b32 a; .param .b32 b;\n"
      "  ld.param.u64 %d, [to]; ld.global.u32 %r1, [%d]; st.param.b32 [a], %r1;\n"
      "  call (b), twice, (a); ld.param.b32 %r2, [b]; st.global.u32 [%d], %r2; ret; }\n";
  static char defines[] =
      ".version 7.0\n.target sm_50\n.address_size 64\n.visible .func (.param .b32 r) twice(.param .b32 x)\n"
      "{ .reg .b32 %r; ld.param.b32 %r, [x]; add.u32 %r, %r, %r; st.param.b32 [r], %r; ret; }\n";
  CUlinkState link;
  void* image;
  size_t bytes;
  CU(cuLinkCreate(0, nullptr, nullptr, &link));
  CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, declares, sizeof declares, "declares", 0, nullptr, nullptr));
  CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, defines, sizeof defines, "defines", 0, nullptr, nullptr));
  CU(cuLinkComplete(link, &image, &bytes));
  CUlibrary library;
  CU(cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CU(cuLinkDestroy(link));
  CUkernel kernel;
  CU(cuLibraryGetKernel(&kernel, library, "both"));
  CUdeviceptr value;
  unsigned host = 21;
  CU(cuMemAlloc(&value, 4));
  CU(cuMemcpyHtoD(value, &host, 4));
  void* parameters[] = {&value};
  CU(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  CU(cuMemcpyDtoH(&host, value, 4));
  REQUIRE(host == 42);
  CU(cuMemFree(value));
  CU(cuLibraryUnload(library));
}

static void copies_and_fills() {
  CUdeviceptr plane;
  size_t pitch;
  CU(cuMemAllocPitch(&plane, &pitch, 40, 6, 4));
  CU(cuMemsetD2D8(plane, pitch, 0x11, 40, 6));
  CU(cuMemsetD2D32(plane + 4, pitch, 0xaabbccdd, 2, 3));
  CU(cuMemsetD16(plane + pitch * 5, 0x1234, 20));
  unsigned char host[6][40];
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = plane;
  copy.srcPitch = pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = host;
  copy.dstPitch = 40;
  copy.WidthInBytes = 40;
  copy.Height = 6;
  CU(cuMemcpy2D(&copy));
  REQUIRE(host[0][3] == 0x11 && host[0][4] == 0xdd && host[2][11] == 0xaa && host[2][12] == 0x11);
  REQUIRE(host[3][4] == 0x11 && host[5][0] == 0x34 && host[5][39] == 0x12);
  // A corner of the plane to another place of it.
  copy.srcXInBytes = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = plane;
  copy.dstPitch = pitch;
  copy.dstXInBytes = 20;
  copy.dstY = 3;
  copy.WidthInBytes = 8;
  copy.Height = 2;
  CU(cuMemcpy2D(&copy));
  CU(cuMemcpyDtoH(host[0], plane + pitch * 4, 40));
  REQUIRE(host[0][19] == 0x11 && host[0][20] == 0xdd && host[0][27] == 0xaa && host[0][28] == 0x11);

  // An array: in, through a box, out.
  CUDA_ARRAY3D_DESCRIPTOR descriptor{}, told;
  descriptor.Width = 5;
  descriptor.Height = 4;
  descriptor.Depth = 3;
  descriptor.Format = CU_AD_FORMAT_UNSIGNED_INT16;
  descriptor.NumChannels = 2;
  CUarray array;
  CU(cuArray3DCreate(&array, &descriptor));
  CU(cuArray3DGetDescriptor(&told, array));
  REQUIRE(told.Depth == 3 && told.Format == CU_AD_FORMAT_UNSIGNED_INT16 && told.NumChannels == 2);
  unsigned box[3][4][5], back[2][2][3];
  for (unsigned i = 0; i < 60; i++) box[0][0][i] = i;
  CUDA_MEMCPY3D whole{};
  whole.srcMemoryType = CU_MEMORYTYPE_HOST;
  whole.srcHost = box;
  whole.srcPitch = 20;
  whole.srcHeight = 4;
  whole.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  whole.dstArray = array;
  whole.WidthInBytes = 20;
  whole.Height = 4;
  whole.Depth = 3;
  CU(cuMemcpy3D(&whole));
  CUDA_MEMCPY3D part{};
  part.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  part.srcArray = array;
  part.srcXInBytes = 4;
  part.srcY = 2;
  part.srcZ = 1;
  part.dstMemoryType = CU_MEMORYTYPE_HOST;
  part.dstHost = back;
  part.dstPitch = 12;
  part.dstHeight = 2;
  part.WidthInBytes = 12;
  part.Height = 2;
  part.Depth = 2;
  CU(cuMemcpy3D(&part));
  for (unsigned z = 0; z < 2; z++)
    for (unsigned y = 0; y < 2; y++)
      for (unsigned x = 0; x < 3; x++) REQUIRE(back[z][y][x] == (z + 1) * 20 + (y + 2) * 5 + x + 1);
  CU(cuArrayDestroy(array));

  CUdeviceptr base;
  size_t bytes;
  CU(cuMemGetAddressRange(&base, &bytes, plane + 5));
  REQUIRE(base == plane && bytes == pitch * 6);
  CU_STATUS(cuMemcpyHtoD(plane, host, pitch * 100), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemFree(plane));
  CU_STATUS(cuMemFree(plane), CUDA_ERROR_INVALID_VALUE);
}

static void host_memory() {
  unsigned* host;
  CU(cuMemHostAlloc(reinterpret_cast<void**>(&host), kBytes, CU_MEMHOSTALLOC_DEVICEMAP));
  CUdeviceptr mapped;
  CU(cuMemHostGetDevicePointer(&mapped, host, 0));
  CU(cuMemsetD32(mapped, 9, kCount));
  CU(cuCtxSynchronize());
  REQUIRE(host[kCount - 1] == 9);
  CUmemorytype type;
  CU(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, mapped));
  REQUIRE(type == CU_MEMORYTYPE_HOST);
  CU_STATUS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 64), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemFreeHost(host));
}

// Of a pointer to anything: what does not apply to it is null or zero.
static void pointers() {
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,       CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,    CU_POINTER_ATTRIBUTE_MAPPING_SIZE,
                                 CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  unsigned type;
  int managed, device;
  CUmemoryPool pool, current;
  size_t bytes;
  CUdeviceptr base;
  void* values[] = {&type, &managed, &pool, &bytes, &base, &device};
  CUdeviceptr plain, pooled;
  CU(cuMemAlloc(&plain, 1000));
  CU(cuMemAllocAsync(&pooled, 1000, nullptr));
  CU(cuDeviceGetMemPool(&current, 0));
  CU(cuPointerGetAttributes(6, names, values, plain + 10));
  REQUIRE(type == CU_MEMORYTYPE_DEVICE && managed == 0 && pool == nullptr && device == 0);
  REQUIRE(bytes >= 1000 && base == plain);
  CU(cuPointerGetAttributes(6, names, values, pooled + 10));
  REQUIRE(type == CU_MEMORYTYPE_DEVICE && pool == current && base == pooled);
  CU(cuPointerGetAttributes(6, names, values, reinterpret_cast<CUdeviceptr>(&type)));
  REQUIRE(type == 0 && managed == 0 && pool == nullptr && bytes == 0 && base == 0 &&
          device == CU_DEVICE_INVALID);
  names[1] = CU_POINTER_ATTRIBUTE_P2P_TOKENS;
  CU_STATUS(cuPointerGetAttributes(6, names, values, plain), CUDA_ERROR_INVALID_VALUE);
  names[1] = static_cast<CUpointer_attribute>(99);
  CU_STATUS(cuPointerGetAttributes(6, names, values, plain), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemFreeAsync(pooled, nullptr));
  CU(cuMemFree(plain));
}

static void count_calls(CUstream, CUresult status, void* data) {
  if (status == CUDA_SUCCESS) ++*static_cast<int*>(data);
}

static void streams_and_events() {
  CUmodule module;
  CUfunction scale;
  CU(cuModuleLoadData(&module, expect::kScaleModule));
  CU(cuModuleGetFunction(&scale, module, "scale"));
  CUdeviceptr from = values(1), to = values(0);
  CUstream stream, other;
  CUevent start, end;
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CU(cuStreamCreateWithPriority(&other, CU_STREAM_DEFAULT, 0));
  CU(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CU(cuEventCreate(&end, CU_EVENT_DEFAULT));
  CU(cuEventRecord(start, stream));
  launch(scale, to, from, 0, stream);
  CU(cuEventRecord(end, stream));
  CU_STATUS(cuEventQuery(end), CUDA_ERROR_NOT_READY);
  CU(cuStreamWaitEvent(other, end, 0));
  launch(scale, to, to, 1, other);
  int calls = 0;
  CU(cuStreamAddCallback(other, count_calls, &calls, 0));
  CU(cuStreamSynchronize(other));
  REQUIRE(calls == 1);
  require_all(to, 10, 9);
  float milliseconds;
  CU(cuEventElapsedTime(&milliseconds, start, end));
  REQUIRE(milliseconds > 0);
  CUcontext context, current;
  CU(cuStreamGetCtx(stream, &context));
  CU(cuCtxGetCurrent(&current));
  REQUIRE(context == current);

  CUgraph graph;
  CUgraphExec exec;
  CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  launch(scale, to, from, 2, stream);
  CU(cuStreamEndCapture(stream, &graph));
  CUgraphNode node, copy_node;
  size_t nodes = 1;
  CU(cuGraphGetNodes(graph, &node, &nodes));
  CUDA_KERNEL_NODE_PARAMS params;
  CU(cuGraphKernelNodeGetParams(node, &params));
  REQUIRE(params.func == scale && params.gridDimX == 8);
  CUDA_MEMCPY3D copy{};
  static unsigned out[kCount];
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = to;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = out;
  copy.WidthInBytes = kBytes;
  copy.Height = copy.Depth = 1;
  CU(cuGraphAddMemcpyNode(&copy_node, graph, &node, 1, &copy, current));
  CU(cuGraphInstantiate(&exec, graph, 0));
  CU(cuGraphLaunch(exec, stream));
  CU(cuStreamSynchronize(stream));
  for (unsigned i = 0; i < kCount; i++) expect::equal("graph", i, out[i], 5 + 3 * i);
  CU(cuGraphExecDestroy(exec));
  CU(cuGraphDestroy(graph));
  CU(cuEventDestroy(start));
  CU_STATUS(cuEventRecord(start, stream), CUDA_ERROR_INVALID_HANDLE);
  CU(cuStreamDestroy(stream));
}

// A stream has its context with it, and so has an event; the default stream needs a current one.
static void streams_without_a_current_context(CUdevice device) {
  CUstream stream;
  CUevent event;
  CUmemoryPool pool;
  CUcontext popped;
  CUdeviceptr address = 0;
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CU(cuEventCreate(&event, 0));
  CU(cuDeviceGetDefaultMemPool(&pool, device));
  CU(cuCtxPopCurrent(&popped));
  CU(cuMemAllocFromPoolAsync(&address, 256, pool, stream));
  CU(cuEventRecord(event, stream));
  CU(cuEventSynchronize(event));
  CU(cuMemFreeAsync(address, stream));
  CU(cuStreamSynchronize(stream));
  CU(cuStreamQuery(stream));
  CU_STATUS(cuMemAllocFromPoolAsync(&address, 256, pool, nullptr), CUDA_ERROR_INVALID_CONTEXT);
  CU_STATUS(cuStreamSynchronize(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  CU(cuEventDestroy(event));
  CU(cuStreamDestroy(stream));
  CU(cuCtxPushCurrent(popped));
}

static void contexts(CUdevice device, CUcontext first) {
  streams_without_a_current_context(device);
  CUcontext second, popped, current;
  CUdeviceptr of_first = values(0), of_second;
  CU(cuCtxCreate(&second, nullptr, 0, device));
  CU(cuCtxGetCurrent(&current));
  REQUIRE(current == second);
  CU(cuMemAlloc(&of_second, 4));
  CU(cuPointerGetAttribute(&current, CU_POINTER_ATTRIBUTE_CONTEXT, of_second));
  REQUIRE(current == second);
  CUmodule module;
  CU(cuModuleLoadData(&module, expect::kScaleModule));
  CUevent event;
  CU(cuEventCreate(&event, 0));
  CU(cuCtxPopCurrent(&popped));
  REQUIRE(popped == second);
  CU(cuCtxGetCurrent(&current));
  REQUIRE(current == first);
  CU(cuCtxDestroy(second));
  CU_STATUS(cuCtxPushCurrent(second), CUDA_ERROR_INVALID_CONTEXT);
  CU_STATUS(cuMemFree(of_second), CUDA_ERROR_INVALID_VALUE);
  CU_STATUS(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  CU_STATUS(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  require_all(of_first, 0, 1);

  CUcontext primary;
  unsigned flags;
  int active;
  CU(cuDevicePrimaryCtxGetState(device, &flags, &active));
  REQUIRE(!active);
  CU(cuDevicePrimaryCtxRetain(&primary, device));
  REQUIRE(primary != first);
  CU(cuDevicePrimaryCtxGetState(device, &flags, &active));
  REQUIRE(active);
  CU(cuDevicePrimaryCtxRelease(device));
  CU_STATUS(cuDevicePrimaryCtxRelease(device), CUDA_ERROR_INVALID_CONTEXT);
}

static void by_name() {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status;
  CU(cuGetProcAddress("cuCtxGetDevice", &function, 13000, 0, &status));
  void* const since_13 = function;
  CU(cuGetProcAddress("cuCtxGetDevice", &function, 12000, 0, &status));
  REQUIRE(function != since_13 && status == CU_GET_PROC_ADDRESS_SUCCESS);
  CUdevice device = -1;
  CU(reinterpret_cast<CUresult (*)(CUdevice*)>(function)(&device));
  REQUIRE(device == 0);
  CU(cuGetProcAddress("cuCtxGetId", &function, 2000, 0, &status));
  REQUIRE(function == nullptr && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  CU(cuGetProcAddress("cuNothing", &function, 13000, 0, &status));
  REQUIRE(function == nullptr && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  const char* text;
  CU(cuGetErrorName(CUDA_ERROR_NOT_READY, &text));
  REQUIRE(strcmp(text, "CUDA_ERROR_NOT_READY") == 0);
  CU_STATUS(cuGetErrorString(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
}

int main() {
  too_early();
  const CUdevice device = devices();
  CUcontext context;
  CU(cuCtxCreate(&context, nullptr, CU_CTX_SCHED_AUTO, device));
  modules_and_launches();
  linker();
  copies_and_fills();
  host_memory();
  pointers();
  streams_and_events();
  contexts(device, context);
  by_name();
  CU(cuCtxDestroy(context));
  CUdeviceptr pointer;
  CU_STATUS(cuMemAlloc(&pointer, 4), CUDA_ERROR_INVALID_CONTEXT);
  return expect::pass("driver_api");
}
