// The errors that CUDA's driver reference promises for its most used functions: a row for each wrong call that one
// device allows. The next correct call works behind each. With --list: docs/reference/api-errors-driver.md.
#include "documented.h"
#include "driver_expect.h"
#include "expect.h"

using Row = documented::Row<CUresult>;
using Promise = documented::Promise<CUresult>;
using Reason = documented::Reason<CUresult>;

constexpr size_t kBytes = 1024;
constexpr size_t kHuge = size_t{1} << 46;

static const char kNoPtx[] = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { foo; }\n";
static const char kNewerPtx[] = ".version 99.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";
static const char kLargePtx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n.visible .global .align 4 .b8 big[70368744177664];\n";
// Stands for code of another device: silicon looks further than at its first word.
static const char kMachineCode[64] = "\177ELF";

// What the rows use. Handles and pointers named `gone` have been released; those named `no_` stay empty.
static int host[kBytes / 4], number;
static char pages[4096], text[64];
static float milliseconds;
static size_t size;
static void *pinned, *place;
static CUdevice device, no_device;
static CUcontext context, gone_context, no_context;
static CUmodule module, no_module;
static CUfunction function, no_function;
static CUdeviceptr memory, gone_memory, managed, no_memory;
static CUstream stream, gone_stream, no_stream;
static CUevent event, recorded, untimed, pending, gone_event, no_event;
static CUstreamAttrValue value;
static CUgraph graph, no_graph;
static CUgraphExec no_exec;
static CUstream other_stream;
static CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, nowhere = {CU_MEM_LOCATION_TYPE_DEVICE, 7};

static void callback(CUstream, CUresult, void*) {}
static void host_function(void*) {}

static void set_up() {
  CU(cuDeviceGet(&device, 0));
  CU(cuCtxCreate(&context, nullptr, 0, device));
  CU(cuModuleLoadData(&module, expect::kScaleModule));
  CU(cuModuleGetFunction(&function, module, "scale"));
  CU(cuMemAlloc(&memory, kBytes));
  CU(cuMemAllocManaged(&managed, kBytes, CU_MEM_ATTACH_GLOBAL));
  CU(cuMemAllocHost(&pinned, kBytes));
  CU(cuMemAlloc(&gone_memory, kBytes));
  CU(cuMemFree(gone_memory));
  CU(cuStreamCreate(&stream, 0));
  CU(cuEventCreate(&event, 0));
  CU(cuEventCreate(&recorded, 0));
  CU(cuEventCreate(&pending, 0));
  CU(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  CU(cuEventRecord(recorded, nullptr));
  CU(cuEventRecord(untimed, nullptr));
  CU(cuGraphCreate(&graph, 0));
  CUcontext other_context;
  CU(cuCtxCreate(&other_context, nullptr, 0, device));
  CU(cuStreamCreate(&other_stream, 0));
  CU(cuCtxPopCurrent(nullptr));
  // Last, so that no new handle has the place of a released one.
  CU(cuStreamCreate(&gone_stream, 0));
  CU(cuEventCreate(&gone_event, 0));
  CU(cuStreamDestroy(gone_stream));
  CU(cuEventDestroy(gone_event));
  CU(cuCtxCreate(&gone_context, nullptr, 0, device));
  CU(cuCtxDestroy(gone_context));
  CU(cuCtxSetCurrent(context));
  CU(cuCtxSynchronize());
}

static CUresult load_file(const char* bytes, size_t count) {
  const char* const path = "documented.ptx";
  FILE* file = fopen(path, "wb");
  REQUIRE(file != nullptr && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
  const CUresult error = cuModuleLoad(&no_module, path);
  remove(path);
  return error;
}
static CUresult launch(CUfunction what, unsigned blocks, unsigned threads, bool by_pointers = true,
                       bool by_block = false, unsigned shared = 0, CUstream in = nullptr) {
  unsigned count = kBytes / 4, add = 0;
  void* parameters[] = {&memory, &memory, &count, &add};
  char block[24] = {};
  size_t bytes = sizeof block;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  return cuLaunchKernel(what, blocks, 1, 1, threads, 1, 1, shared, in, by_pointers ? parameters : nullptr,
                        by_block ? extra : nullptr);
}
static CUresult launch_together(CUfunction what, unsigned blocks, unsigned threads) {
  unsigned count = 0, add = 0;
  void* parameters[] = {&memory, &memory, &count, &add};
  return cuLaunchCooperativeKernel(what, blocks, 1, 1, threads, 1, 1, 0, nullptr, parameters);
}
static void begin_work() {
  CU(cuMemcpyHtoDAsync(memory, pinned, kBytes, stream));
  CU(launch(function, 64, 256, true, false, 0, stream));
  CU(cuEventRecord(pending, stream));
}
static void end_work() { CU(cuCtxSynchronize()); }
static void begin_capture() { CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL)); }
static void end_capture() {
  CUgraph captured = nullptr;
  cuStreamEndCapture(stream, &captured);
  if (captured != nullptr) CU(cuGraphDestroy(captured));
}
static void leave_context() { CU(cuCtxSetCurrent(nullptr)); }
static void return_to_context() { CU(cuCtxSetCurrent(context)); }

// Macros of a row: a call of the function; the same between begin_X and end_X, and without a context; by a function of
// this file.
#define E(function, wrong, error, ...) \
  Row { #function, wrong, CUDA_ERROR_##error, [] { return function(__VA_ARGS__); } }
#define DURING(work, function, wrong, error, ...) \
  Row { #function, wrong, CUDA_ERROR_##error, [] { return function(__VA_ARGS__); }, begin_##work, end_##work }
#define ALONE(function, ...)                                                                                        \
  Row {                                                                                                             \
    #function, "no current context", CUDA_ERROR_INVALID_CONTEXT, [] { return function(__VA_ARGS__); }, leave_context, \
        return_to_context                                                                                           \
  }
#define BY(function, wrong, error, call) \
  Row { #function, wrong, CUDA_ERROR_##error, [] { return call; } }

// Before cuInit every function answers alike, whatever its arguments.
#define EARLY(function, ...) \
  Row { #function, "before cuInit", CUDA_ERROR_NOT_INITIALIZED, [] { return function(__VA_ARGS__); } }

static const std::vector<Row> kEarly = {
    EARLY(cuDeviceGet, &device, 0),
    EARLY(cuDeviceGetCount, &number),
    EARLY(cuDeviceGetName, text, sizeof text, 0),
    EARLY(cuDeviceTotalMem, &size, 0),
    EARLY(cuDeviceGetAttribute, &number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0),
    EARLY(cuDevicePrimaryCtxRetain, &no_context, 0),
    EARLY(cuDevicePrimaryCtxRelease, 0),
    EARLY(cuCtxCreate, &no_context, nullptr, 0, 0),
    EARLY(cuCtxDestroy, no_context),
    EARLY(cuCtxSetCurrent, no_context),
    EARLY(cuCtxGetCurrent, &no_context),
    EARLY(cuCtxPushCurrent, no_context),
    EARLY(cuCtxPopCurrent, &no_context),
    EARLY(cuCtxSynchronize),
    EARLY(cuCtxGetDevice, &no_device),
    EARLY(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, 1024),
    EARLY(cuCtxGetLimit, &size, CU_LIMIT_STACK_SIZE),
    EARLY(cuModuleLoad, &no_module, "/nonexistent"),
    EARLY(cuModuleLoadData, &no_module, expect::kScaleModule),
    EARLY(cuModuleLoadDataEx, &no_module, expect::kScaleModule, 0, nullptr, nullptr),
    EARLY(cuModuleGetFunction, &no_function, no_module, "scale"),
    EARLY(cuModuleGetGlobal, &no_memory, &size, no_module, "factor"),
    EARLY(cuModuleUnload, no_module),
    EARLY(cuMemAlloc, &no_memory, 4),
    EARLY(cuMemAllocPitch, &no_memory, &size, 4, 4, 4),
    EARLY(cuMemAllocManaged, &no_memory, 4, CU_MEM_ATTACH_GLOBAL),
    EARLY(cuMemFree, no_memory),
    EARLY(cuMemAllocHost, &place, 4),
    EARLY(cuMemHostAlloc, &place, 4, 0),
    EARLY(cuMemFreeHost, host),
    EARLY(cuMemHostRegister, pages, sizeof pages, 0),
    EARLY(cuMemHostUnregister, pages),
    EARLY(cuMemHostGetDevicePointer, &no_memory, host, 0),
    EARLY(cuMemGetAddressRange, &no_memory, &size, no_memory),
    EARLY(cuPointerGetAttribute, &number, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, no_memory),
    EARLY(cuMemcpyHtoD, no_memory, host, 4),
    EARLY(cuMemcpyDtoH, host, no_memory, 4),
    EARLY(cuMemcpyDtoD, no_memory, no_memory, 4),
    EARLY(cuMemcpyHtoDAsync, no_memory, host, 4, no_stream),
    EARLY(cuMemsetD8, no_memory, 0, 4),
    EARLY(cuMemsetD16, no_memory, 0, 4),
    EARLY(cuMemsetD32, no_memory, 0, 4),
    EARLY(cuMemsetD2D8, no_memory, 16, 0, 8, 4),
    EARLY(cuMemsetD2D16, no_memory, 16, 0, 8, 4),
    EARLY(cuMemsetD2D32, no_memory, 32, 0, 8, 4),
    EARLY(cuMemPrefetchAsync, no_memory, 4, here, 0, no_stream),
    EARLY(cuMemAdvise, no_memory, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, here),
    EARLY(cuGraphCreate, &no_graph, 0),
    EARLY(cuGraphInstantiate, &no_exec, no_graph, 0),
    EARLY(cuGraphLaunch, no_exec, no_stream),
    EARLY(cuGraphDestroy, no_graph),
    EARLY(cuStreamCreate, &no_stream, 0),
    EARLY(cuStreamDestroy, no_stream),
    EARLY(cuStreamSynchronize, no_stream),
    EARLY(cuStreamQuery, no_stream),
    EARLY(cuStreamWaitEvent, no_stream, no_event, 0),
    EARLY(cuStreamAddCallback, no_stream, callback, nullptr, 0),
    EARLY(cuEventCreate, &no_event, 0),
    EARLY(cuEventDestroy, no_event),
    EARLY(cuEventRecord, no_event, no_stream),
    EARLY(cuEventSynchronize, no_event),
    EARLY(cuEventQuery, no_event),
    EARLY(cuEventElapsedTime, &milliseconds, no_event, no_event),
    EARLY(cuFuncGetAttribute, &number, CU_FUNC_ATTRIBUTE_NUM_REGS, no_function),
    EARLY(cuFuncSetAttribute, no_function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0),
    EARLY(cuOccupancyMaxActiveBlocksPerMultiprocessor, &number, no_function, 32, 0),
    EARLY(cuLaunchHostFunc, no_stream, host_function, nullptr),
    Row{"cuLaunchKernel", "before cuInit", CUDA_ERROR_NOT_INITIALIZED, [] { return launch(no_function, 1, 1); }},
    Row{"cuLaunchCooperativeKernel", "before cuInit", CUDA_ERROR_NOT_INITIALIZED,
        [] { return launch_together(no_function, 1, 1); }},
    E(cuInit, "flags", INVALID_VALUE, 1),
};

static const std::vector<Row> kLater = {
    // ---- devices and contexts ----
    E(cuDeviceGet, "no such device", INVALID_DEVICE, &no_device, 1),
    E(cuDeviceGet, "a negative device", INVALID_DEVICE, &no_device, -1),
    E(cuDeviceGet, "no place for the device", INVALID_VALUE, nullptr, 0),
    E(cuDeviceGetCount, "no place for the answer", INVALID_VALUE, nullptr),
    E(cuDeviceGetName, "no place for the name", INVALID_VALUE, nullptr, 10, 0),
    E(cuDeviceGetName, "no such device", INVALID_DEVICE, text, sizeof text, 1),
    E(cuDeviceTotalMem, "no place for the answer", INVALID_VALUE, nullptr, 0),
    E(cuDeviceTotalMem, "no such device", INVALID_DEVICE, &size, 1),
    E(cuDeviceGetAttribute, "an unknown attribute", INVALID_VALUE, &number, CUdevice_attribute(9999), 0),
    E(cuDeviceGetAttribute, "no such device", INVALID_DEVICE, &number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1),
    E(cuDeviceGetAttribute, "no place for the answer", INVALID_VALUE, nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE,
      0),
    E(cuDevicePrimaryCtxRetain, "no such device", INVALID_DEVICE, &no_context, 1),
    E(cuDevicePrimaryCtxRetain, "no place for the context", INVALID_VALUE, nullptr, 0),
    E(cuDevicePrimaryCtxRelease, "nobody has retained it", INVALID_CONTEXT, 0),
    E(cuDevicePrimaryCtxRelease, "no such device", INVALID_DEVICE, 1),
    E(cuCtxCreate, "no such device", INVALID_DEVICE, &no_context, nullptr, 0, 1),
    E(cuCtxCreate, "no place for the context", INVALID_VALUE, nullptr, nullptr, 0, 0),
    E(cuCtxCreate, "unknown flags", INVALID_VALUE, &no_context, nullptr, 0x10000, 0),
    E(cuCtxDestroy, "destroyed before", INVALID_CONTEXT, gone_context),
    E(cuCtxSetCurrent, "destroyed before", INVALID_CONTEXT, gone_context),
    E(cuCtxPushCurrent, "destroyed before", INVALID_CONTEXT, gone_context),
    ALONE(cuCtxPopCurrent, &no_context),
    ALONE(cuCtxSynchronize),
    DURING(capture, cuCtxSynchronize, "a stream captures", STREAM_CAPTURE_UNSUPPORTED),
    ALONE(cuCtxGetDevice, &no_device),
    E(cuCtxGetDevice, "no place for the answer", INVALID_VALUE, nullptr),
    ALONE(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, 1024),
    E(cuCtxSetLimit, "an unknown limit", UNSUPPORTED_LIMIT, CUlimit(99), 1),
    E(cuCtxGetLimit, "an unknown limit", UNSUPPORTED_LIMIT, &size, CUlimit(99)),
    E(cuCtxGetLimit, "no place for the answer", INVALID_VALUE, nullptr, CU_LIMIT_STACK_SIZE),

    // ---- modules ----
    ALONE(cuModuleLoad, &no_module, "/nonexistent"),
    E(cuModuleLoad, "no such file", FILE_NOT_FOUND, &no_module, "/nonexistent"),
    E(cuModuleLoad, "no place for the module", INVALID_VALUE, nullptr, "/nonexistent"),
    BY(cuModuleLoad, "a word that is no instruction", INVALID_PTX, load_file(kNoPtx, sizeof kNoPtx)),
    BY(cuModuleLoad, "PTX of a version to come", UNSUPPORTED_PTX_VERSION,
       load_file(kNewerPtx, sizeof kNewerPtx)),
    BY(cuModuleLoad, "more variables than the device has room for", OUT_OF_MEMORY,
       load_file(kLargePtx, sizeof kLargePtx)),
    BY(cuModuleLoad, "machine code without PTX", NO_BINARY_FOR_GPU,
       load_file(kMachineCode, sizeof kMachineCode)),
    ALONE(cuModuleLoadData, &no_module, expect::kScaleModule),
    E(cuModuleLoadData, "no image", INVALID_VALUE, &no_module, nullptr),
    E(cuModuleLoadData, "no place for the module", INVALID_VALUE, nullptr, expect::kScaleModule),
    E(cuModuleLoadData, "a word that is no instruction", INVALID_PTX, &no_module, kNoPtx),
    E(cuModuleLoadData, "PTX of a version to come", UNSUPPORTED_PTX_VERSION, &no_module, kNewerPtx),
    E(cuModuleLoadData, "machine code without PTX", NO_BINARY_FOR_GPU, &no_module, kMachineCode),
    E(cuModuleLoadData, "more variables than the device has room for", OUT_OF_MEMORY, &no_module, kLargePtx),
    ALONE(cuModuleLoadDataEx, &no_module, expect::kScaleModule, 0, nullptr, nullptr),
    E(cuModuleLoadDataEx, "no image", INVALID_VALUE, &no_module, nullptr, 0, nullptr, nullptr),
    E(cuModuleLoadDataEx, "a word that is no instruction", INVALID_PTX, &no_module, kNoPtx, 0, nullptr,
      nullptr),
    E(cuModuleLoadDataEx, "PTX of a version to come", UNSUPPORTED_PTX_VERSION, &no_module, kNewerPtx, 0,
      nullptr, nullptr),
    E(cuModuleLoadDataEx, "machine code without PTX", NO_BINARY_FOR_GPU, &no_module, kMachineCode, 0, nullptr,
      nullptr),
    E(cuModuleLoadDataEx, "more variables than the device has room for", OUT_OF_MEMORY, &no_module, kLargePtx,
      0, nullptr, nullptr),
    ALONE(cuModuleGetFunction, &no_function, module, "scale"),
    E(cuModuleGetFunction, "no such kernel", NOT_FOUND, &no_function, module, "nothing"),
    E(cuModuleGetFunction, "no place for the function", INVALID_VALUE, nullptr, module, "scale"),
    E(cuModuleGetFunction, "no name", INVALID_VALUE, &no_function, module, nullptr),
    ALONE(cuModuleGetGlobal, &no_memory, &size, module, "factor"),
    E(cuModuleGetGlobal, "no such variable", NOT_FOUND, &no_memory, &size, module, "nothing"),
    E(cuModuleGetGlobal, "no name", INVALID_VALUE, &no_memory, &size, module, nullptr),
    E(cuModuleGetGlobal, "no place for either answer", INVALID_VALUE, nullptr, nullptr, module, "factor"),
    ALONE(cuModuleUnload, module),

    // ---- memory ----
    ALONE(cuMemAlloc, &no_memory, 4),
    E(cuMemAlloc, "no bytes", INVALID_VALUE, &no_memory, 0),
    E(cuMemAlloc, "no place for the pointer", INVALID_VALUE, nullptr, 4),
    E(cuMemAlloc, "more than the device has", OUT_OF_MEMORY, &no_memory, kHuge),
    ALONE(cuMemAllocPitch, &no_memory, &size, 4, 4, 4),
    E(cuMemAllocPitch, "elements of three bytes", INVALID_VALUE, &no_memory, &size, 4, 4, 3),
    E(cuMemAllocPitch, "no rows", INVALID_VALUE, &no_memory, &size, 4, 0, 4),
    E(cuMemAllocPitch, "more than the device has", OUT_OF_MEMORY, &no_memory, &size, 1 << 20, 1 << 26, 4),
    ALONE(cuMemAllocManaged, &no_memory, 4, CU_MEM_ATTACH_GLOBAL),
    E(cuMemAllocManaged, "no bytes", INVALID_VALUE, &no_memory, 0, CU_MEM_ATTACH_GLOBAL),
    E(cuMemAllocManaged, "attached to one stream", INVALID_VALUE, &no_memory, 4, CU_MEM_ATTACH_SINGLE),
    E(cuMemAllocManaged, "more than there is", OUT_OF_MEMORY, &no_memory, kHuge << 10, CU_MEM_ATTACH_GLOBAL),
    ALONE(cuMemFree, memory),
    E(cuMemFree, "released before", INVALID_VALUE, gone_memory),
    E(cuMemFree, "the middle of an allocation", INVALID_VALUE, memory + 4),
    ALONE(cuMemAllocHost, &place, 4),
    E(cuMemAllocHost, "no place for the pointer", INVALID_VALUE, nullptr, 4),
    E(cuMemAllocHost, "more than the host has", OUT_OF_MEMORY, &place, kHuge << 10),
    ALONE(cuMemHostAlloc, &place, 4, 0),
    E(cuMemHostAlloc, "unknown flags", INVALID_VALUE, &place, 4, 0x100),
    E(cuMemHostAlloc, "more than the host has", OUT_OF_MEMORY, &place, kHuge << 10, 0),
    ALONE(cuMemFreeHost, pinned),
    E(cuMemFreeHost, "pageable memory", INVALID_VALUE, host),
    ALONE(cuMemHostRegister, pages, sizeof pages, 0),
    E(cuMemHostRegister, "no bytes", INVALID_VALUE, pages, 0, 0),
    E(cuMemHostRegister, "unknown flags", INVALID_VALUE, pages, sizeof pages, 0x100),
    BY(cuMemHostRegister, "registered before", HOST_MEMORY_ALREADY_REGISTERED,
       [] {
         CU(cuMemHostRegister(pages, sizeof pages, 0));
         const CUresult error = cuMemHostRegister(pages, sizeof pages, 0);
         CU(cuMemHostUnregister(pages));
         return error;
       }()),
    E(cuMemHostRegister, "read only, where the device cannot", NOT_SUPPORTED, pages, sizeof pages,
      CU_MEMHOSTREGISTER_READ_ONLY),
    ALONE(cuMemHostUnregister, pages),
    E(cuMemHostUnregister, "pageable memory", HOST_MEMORY_NOT_REGISTERED, pages),
    ALONE(cuMemHostGetDevicePointer, &no_memory, pinned, 0),
    E(cuMemHostGetDevicePointer, "pageable memory", INVALID_VALUE, &no_memory, host, 0),
    E(cuMemHostGetDevicePointer, "flags", INVALID_VALUE, &no_memory, pinned, 1),
    ALONE(cuMemGetAddressRange, &no_memory, &size, memory),
    E(cuMemGetAddressRange, "released before", NOT_FOUND, &no_memory, &size, gone_memory),
    ALONE(cuPointerGetAttribute, &number, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory),
    E(cuPointerGetAttribute, "released before", INVALID_VALUE, &number, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
      gone_memory),
    E(cuPointerGetAttribute, "an unknown attribute", INVALID_VALUE, &number, CUpointer_attribute(999),
      memory),
    ALONE(cuMemcpyHtoD, memory, host, 4),
    E(cuMemcpyHtoD, "to released memory", INVALID_VALUE, gone_memory, host, 4),
    E(cuMemcpyHtoD, "past the end", INVALID_VALUE, memory, host, kBytes + 4),
    ALONE(cuMemcpyDtoH, host, memory, 4),
    E(cuMemcpyDtoH, "from released memory", INVALID_VALUE, host, gone_memory, 4),
    E(cuMemcpyHtoD, "past the end of all addresses", INVALID_VALUE, memory, host, ~size_t{0}),
    E(cuMemcpyDtoH, "past the end", INVALID_VALUE, host, memory, kBytes + 4),
    ALONE(cuMemcpyDtoD, memory, memory, 4),
    E(cuMemcpyDtoD, "to released memory", INVALID_VALUE, gone_memory, memory, 4),
    E(cuMemcpyDtoD, "past the end", INVALID_VALUE, memory + 512, memory, 516),
    ALONE(cuMemcpyHtoDAsync, memory, pinned, 4, stream),
    E(cuMemcpyHtoDAsync, "past the end", INVALID_VALUE, memory, pinned, kBytes + 4, stream),
    E(cuMemcpyHtoDAsync, "a destroyed stream", INVALID_HANDLE, memory, pinned, 4, gone_stream),
    ALONE(cuMemsetD8, memory, 0, 4),
    E(cuMemsetD8, "past the end", INVALID_VALUE, memory, 0, kBytes + 1),
    ALONE(cuMemsetD16, memory, 0, 4),
    E(cuMemsetD16, "an odd address", INVALID_VALUE, memory + 1, 0, 4),
    ALONE(cuMemsetD32, memory, 0, 4),
    E(cuMemsetD32, "an address between words", INVALID_VALUE, memory + 2, 0, 4),
    E(cuMemsetD32, "released memory", INVALID_VALUE, gone_memory, 0, 4),

    ALONE(cuMemsetD2D8, memory, 16, 0, 8, 4),
    E(cuMemsetD2D8, "rows wider than the pitch", INVALID_VALUE, memory, 4, 0, 8, 4),
    ALONE(cuMemsetD2D16, memory, 16, 0, 8, 4),
    E(cuMemsetD2D16, "an odd pitch", INVALID_VALUE, memory, 17, 0, 8, 4),
    ALONE(cuMemsetD2D32, memory, 32, 0, 8, 4),
    E(cuMemsetD2D32, "a pitch between words", INVALID_VALUE, memory, 34, 0, 8, 4),
    ALONE(cuMemPrefetchAsync, managed, 4, here, 0, stream),
    E(cuMemPrefetchAsync, "no such device", INVALID_DEVICE, managed, 4, nowhere, 0, stream),
    E(cuMemPrefetchAsync, "device memory", INVALID_VALUE, memory, 4, here, 0, stream),
    E(cuMemPrefetchAsync, "flags", INVALID_VALUE, managed, 4, here, 1, stream),
    ALONE(cuMemAdvise, managed, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, here),
    E(cuMemAdvise, "a preferred device that is none", INVALID_DEVICE, managed, 4,
      CU_MEM_ADVISE_SET_PREFERRED_LOCATION, nowhere),
    E(cuMemAdvise, "unknown advice", INVALID_VALUE, managed, 4, CUmem_advise(99), here),

    // ---- streams and events ----
    ALONE(cuStreamCreate, &no_stream, 0),
    E(cuStreamCreate, "no place for the stream", INVALID_VALUE, nullptr, 0),
    E(cuStreamCreate, "unknown flags", INVALID_VALUE, &no_stream, 0x100),
    E(cuStreamDestroy, "destroyed before", INVALID_HANDLE, gone_stream),
    ALONE(cuStreamSynchronize, nullptr),
    E(cuStreamSynchronize, "a destroyed stream", INVALID_HANDLE, gone_stream),
    ALONE(cuStreamQuery, nullptr),
    DURING(work, cuStreamQuery, "work is pending", NOT_READY, stream),
    E(cuStreamQuery, "a destroyed stream", INVALID_HANDLE, gone_stream),
    ALONE(cuStreamWaitEvent, nullptr, event, 0),
    E(cuStreamWaitEvent, "no event", INVALID_HANDLE, stream, nullptr, 0),
    E(cuStreamWaitEvent, "a destroyed stream", INVALID_HANDLE, gone_stream, event, 0),
    ALONE(cuStreamAddCallback, stream, callback, nullptr, 0),
    E(cuStreamAddCallback, "flags", INVALID_VALUE, stream, callback, nullptr, 1),
    E(cuStreamAddCallback, "a destroyed stream", INVALID_HANDLE, gone_stream, callback, nullptr, 0),
    ALONE(cuLaunchHostFunc, stream, host_function, nullptr),
    E(cuLaunchHostFunc, "no function", INVALID_VALUE, stream, nullptr, nullptr),
    E(cuLaunchHostFunc, "a destroyed stream", INVALID_HANDLE, gone_stream, host_function, nullptr),
    E(cuStreamSetAttribute, "an attribute of launches", INVALID_VALUE, stream,
      CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value),
    E(cuStreamSetAttribute, "a destroyed stream", INVALID_HANDLE, gone_stream, CU_STREAM_ATTRIBUTE_PRIORITY,
      &value),
    E(cuStreamCopyAttributes, "streams of two contexts", INVALID_VALUE, stream, other_stream),
    E(cuStreamGetAttribute, "an unknown attribute", INVALID_VALUE, stream, CUstreamAttrID(99), &value),
    E(cuStreamGetAttribute, "a destroyed stream", INVALID_HANDLE, gone_stream, CU_STREAM_ATTRIBUTE_PRIORITY,
      &value),
    ALONE(cuEventCreate, &no_event, 0),
    E(cuEventCreate, "no place for the event", INVALID_VALUE, nullptr, 0),
    E(cuEventCreate, "unknown flags", INVALID_VALUE, &no_event, 0x100),
    E(cuEventCreate, "of several processes, with times", INVALID_VALUE, &no_event, CU_EVENT_INTERPROCESS),
    E(cuEventDestroy, "destroyed before", INVALID_HANDLE, gone_event),
    E(cuEventDestroy, "no event", INVALID_HANDLE, nullptr),
    ALONE(cuEventRecord, event, nullptr),
    E(cuEventRecord, "no event", INVALID_HANDLE, nullptr, stream),
    E(cuEventRecord, "of another context than the stream", INVALID_HANDLE, event, other_stream),
    E(cuEventRecord, "a destroyed stream", INVALID_HANDLE, event, gone_stream),
    E(cuEventSynchronize, "a destroyed event", INVALID_HANDLE, gone_event),
    DURING(work, cuEventQuery, "work is pending", NOT_READY, pending),
    E(cuEventQuery, "a destroyed event", INVALID_HANDLE, gone_event),
    E(cuEventElapsedTime, "never recorded", INVALID_HANDLE, &milliseconds, recorded, event),
    E(cuEventElapsedTime, "without times", INVALID_HANDLE, &milliseconds, recorded, untimed),
    DURING(work, cuEventElapsedTime, "work is pending", NOT_READY, &milliseconds, recorded, pending),

    // ---- graphs ----
    E(cuGraphCreate, "flags", INVALID_VALUE, &no_graph, 1),
    E(cuGraphCreate, "no place for the graph", INVALID_VALUE, nullptr, 0),
    E(cuGraphInstantiate, "no place for the result", INVALID_VALUE, nullptr, graph, 0),
    E(cuGraphInstantiate, "no graph", INVALID_VALUE, &no_exec, nullptr, 0),
    E(cuGraphInstantiate, "unknown flags", INVALID_VALUE, &no_exec, graph, 0x100),
    E(cuGraphLaunch, "null", INVALID_VALUE, nullptr, stream),
    E(cuGraphDestroy, "null", INVALID_VALUE, nullptr),

    // ---- kernels ----
    ALONE(cuFuncGetAttribute, &number, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
    E(cuFuncGetAttribute, "no function", INVALID_HANDLE, &number, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr),
    E(cuFuncGetAttribute, "an unknown attribute", INVALID_VALUE, &number, CUfunction_attribute(99), function),
    E(cuFuncGetAttribute, "no place for the answer", INVALID_VALUE, nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS,
      function),
    ALONE(cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0),
    E(cuFuncSetAttribute, "no function", INVALID_HANDLE, nullptr,
      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0),
    E(cuFuncSetAttribute, "an attribute to be read", INVALID_VALUE, function, CU_FUNC_ATTRIBUTE_NUM_REGS, 1),
    E(cuFuncSetAttribute, "more shared memory than a block may have", INVALID_VALUE, function,
      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 24),
    ALONE(cuOccupancyMaxActiveBlocksPerMultiprocessor, &number, function, 32, 0),
    E(cuOccupancyMaxActiveBlocksPerMultiprocessor, "no place for the answer", INVALID_VALUE, nullptr,
      function, 32, 0),
    E(cuOccupancyMaxActiveBlocksPerMultiprocessor, "no threads", INVALID_VALUE, &number, function, 0, 0),
    Row{"cuLaunchKernel", "no current context", CUDA_ERROR_INVALID_CONTEXT,
        [] { return launch(function, 1, 1); }, leave_context, return_to_context},
    BY(cuLaunchKernel, "no function", INVALID_HANDLE, launch(no_function, 1, 1)),
    BY(cuLaunchKernel, "no blocks", INVALID_VALUE, launch(function, 0, 1)),
    BY(cuLaunchKernel, "no threads", INVALID_VALUE, launch(function, 1, 0)),
    BY(cuLaunchKernel, "more threads than a block may have", INVALID_VALUE, launch(function, 1, 4096)),
    BY(cuLaunchKernel, "parameters in both forms", INVALID_VALUE, launch(function, 1, 1, true, true)),
    BY(cuLaunchKernel, "more shared memory than a block may have", INVALID_VALUE,
       launch(function, 1, 1, true, false, 1 << 24)),
    BY(cuLaunchKernel, "a destroyed stream", INVALID_HANDLE,
       launch(function, 1, 1, true, false, 0, gone_stream)),
    Row{"cuLaunchCooperativeKernel", "no current context", CUDA_ERROR_INVALID_CONTEXT,
        [] { return launch_together(function, 1, 1); }, leave_context, return_to_context},
    BY(cuLaunchCooperativeKernel, "no function", INVALID_HANDLE, launch_together(no_function, 1, 1)),
    BY(cuLaunchCooperativeKernel, "no blocks", INVALID_VALUE, launch_together(function, 0, 1)),
    BY(cuLaunchCooperativeKernel, "more blocks than run at once", COOPERATIVE_LAUNCH_TOO_LARGE,
       launch_together(function, 60000, 256)),
};

#define GENERAL CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT
#define BAD CUDA_ERROR_INVALID_VALUE
#define DEVICE CUDA_ERROR_INVALID_DEVICE
#define HANDLE CUDA_ERROR_INVALID_HANDLE
#define MEMORY CUDA_ERROR_OUT_OF_MEMORY
#define UNKNOWN CUDA_ERROR_UNKNOWN
#define CODE                                                                                        \
  CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, MEMORY, CUDA_ERROR_NO_BINARY_FOR_GPU, \
      CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, CUDA_ERROR_JIT_COMPILER_NOT_FOUND
#define LAUNCH                                                                                            \
  HANDLE, CUDA_ERROR_INVALID_IMAGE, BAD, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,    \
      CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED
static const std::vector<Promise> kPromises = {
    {"cuDeviceGet", {GENERAL, BAD, DEVICE}},
    {"cuDeviceGetCount", {GENERAL, BAD}},
    {"cuDeviceGetName", {GENERAL, BAD, DEVICE}},
    {"cuDeviceTotalMem", {GENERAL, BAD, DEVICE}},
    {"cuDeviceGetAttribute", {GENERAL, BAD, DEVICE}},
    {"cuDevicePrimaryCtxRetain", {GENERAL, DEVICE, BAD, MEMORY, UNKNOWN}},
    {"cuDevicePrimaryCtxRelease", {CUDA_ERROR_NOT_INITIALIZED, DEVICE, CUDA_ERROR_INVALID_CONTEXT}},
    {"cuCtxCreate", {GENERAL, DEVICE, BAD, CUDA_ERROR_NOT_SUPPORTED, MEMORY, UNKNOWN}},
    {"cuCtxDestroy", {GENERAL, BAD}},
    {"cuCtxSetCurrent", {GENERAL}},
    {"cuCtxGetCurrent", {CUDA_ERROR_NOT_INITIALIZED}},
    {"cuCtxPushCurrent", {GENERAL, BAD}},
    {"cuCtxPopCurrent", {GENERAL}},
    {"cuCtxSynchronize", {GENERAL}},
    {"cuCtxGetDevice", {GENERAL, BAD}},
    {"cuCtxSetLimit", {BAD, CUDA_ERROR_UNSUPPORTED_LIMIT, MEMORY, CUDA_ERROR_INVALID_CONTEXT}},
    {"cuCtxGetLimit", {BAD, CUDA_ERROR_UNSUPPORTED_LIMIT}},
    {"cuModuleLoad", {GENERAL, BAD, CODE, CUDA_ERROR_NOT_FOUND, CUDA_ERROR_FILE_NOT_FOUND}},
    {"cuModuleLoadData", {GENERAL, BAD, CODE}},
    {"cuModuleLoadDataEx", {GENERAL, BAD, CODE}},
    {"cuModuleGetFunction", {GENERAL, BAD, CUDA_ERROR_NOT_FOUND}},
    {"cuModuleGetGlobal", {GENERAL, BAD, CUDA_ERROR_NOT_FOUND}},
    {"cuModuleUnload", {GENERAL, BAD, CUDA_ERROR_NOT_PERMITTED}},
    {"cuMemAlloc", {GENERAL, BAD, MEMORY}},
    {"cuMemAllocPitch", {GENERAL, BAD, MEMORY}},
    {"cuMemAllocManaged", {GENERAL, CUDA_ERROR_NOT_SUPPORTED, BAD, MEMORY}},
    {"cuMemFree", {GENERAL, BAD}},
    {"cuMemAllocHost", {GENERAL, BAD, MEMORY}},
    {"cuMemHostAlloc", {GENERAL, BAD, MEMORY}},
    {"cuMemFreeHost", {GENERAL, BAD}},
    {"cuMemHostRegister",
     {GENERAL, BAD, MEMORY, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, CUDA_ERROR_NOT_PERMITTED,
      CUDA_ERROR_NOT_SUPPORTED}},
    {"cuMemHostUnregister", {GENERAL, BAD, MEMORY, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED}},
    {"cuMemHostGetDevicePointer", {GENERAL, BAD}},
    {"cuMemGetAddressRange", {GENERAL, CUDA_ERROR_NOT_FOUND, BAD}},
    {"cuPointerGetAttribute", {GENERAL, BAD, DEVICE}},
    {"cuMemcpyHtoD", {GENERAL, BAD}},
    {"cuMemcpyDtoH", {GENERAL, BAD}},
    {"cuMemcpyDtoD", {GENERAL, BAD}},
    {"cuMemcpyHtoDAsync", {GENERAL, BAD, HANDLE}},
    {"cuMemsetD8", {GENERAL, BAD}},
    {"cuMemsetD16", {GENERAL, BAD}},
    {"cuMemsetD32", {GENERAL, BAD}},
    {"cuMemsetD2D8", {GENERAL, BAD}},
    {"cuMemsetD2D16", {GENERAL, BAD}},
    {"cuMemsetD2D32", {GENERAL, BAD}},
    {"cuMemPrefetchAsync", {BAD, DEVICE}},
    {"cuMemAdvise", {BAD, DEVICE}},
    {"cuStreamCreate", {GENERAL, BAD, MEMORY}},
    {"cuStreamDestroy", {GENERAL, BAD, HANDLE}},
    {"cuStreamSynchronize", {GENERAL, HANDLE}},
    {"cuStreamQuery", {GENERAL, HANDLE, CUDA_ERROR_NOT_READY}},
    {"cuStreamWaitEvent", {GENERAL, HANDLE}},
    {"cuStreamAddCallback", {GENERAL, HANDLE, CUDA_ERROR_NOT_SUPPORTED}},
    {"cuEventCreate", {GENERAL, BAD, MEMORY}},
    {"cuEventDestroy", {GENERAL, HANDLE}},
    {"cuEventRecord", {GENERAL, HANDLE, BAD}},
    {"cuEventSynchronize", {GENERAL, HANDLE}},
    {"cuEventQuery", {CUDA_ERROR_NOT_INITIALIZED, HANDLE, BAD, CUDA_ERROR_NOT_READY}},
    {"cuEventElapsedTime", {GENERAL, HANDLE, CUDA_ERROR_NOT_READY, UNKNOWN}},
    {"cuGraphCreate", {CUDA_ERROR_NOT_INITIALIZED, BAD, MEMORY}},
    {"cuGraphInstantiate", {CUDA_ERROR_NOT_INITIALIZED, BAD}},
    {"cuGraphLaunch", {CUDA_ERROR_NOT_INITIALIZED, BAD}},
    {"cuGraphDestroy", {CUDA_ERROR_NOT_INITIALIZED, BAD}},
    {"cuFuncGetAttribute", {GENERAL, HANDLE, BAD, CUDA_ERROR_FUNCTION_NOT_LOADED}},
    {"cuFuncSetAttribute", {GENERAL, HANDLE, BAD}},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor", {GENERAL, BAD, UNKNOWN}},
    {"cuLaunchHostFunc", {GENERAL, HANDLE, CUDA_ERROR_NOT_SUPPORTED}},
    {"cuLaunchKernel", {GENERAL, LAUNCH, CUDA_ERROR_NOT_FOUND}},
    {"cuLaunchCooperativeKernel", {GENERAL, LAUNCH, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, CUDA_ERROR_NOT_FOUND}},
    {"cuInit", {BAD, DEVICE, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE}},
    {"cuStreamSetAttribute", {BAD, HANDLE}},
    {"cuStreamGetAttribute", {BAD, HANDLE}},
    {"cuStreamCopyAttributes", {BAD}},
};

static const std::vector<Reason> kReasons = {
    {nullptr, CUDA_ERROR_INVALID_CONTEXT, "it needs no context"},
    {nullptr, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "library and driver are one"},
    {nullptr, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, "library and driver are one"},
    {nullptr, DEVICE, "there is a device"},
    {nullptr, UNKNOWN, "CUDA names no cause"},
    {nullptr, MEMORY, "it takes host memory alone, a little"},
    {nullptr, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "no shared object is loaded"},
    {nullptr, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "no shared object is loaded"},
    {nullptr, CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "the compiler of PTX is a part of Duet"},
    {nullptr, CUDA_ERROR_LAUNCH_FAILED, "of an earlier kernel"},
    {nullptr, CUDA_ERROR_LAUNCH_TIMEOUT, "no display waits for the device"},
    {nullptr, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "the row of cudaLaunchKernel holds for it"},
    {nullptr, CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, "of texture references, which CUDA 12 removed"},
    {nullptr, CUDA_ERROR_INVALID_IMAGE, "a module with an invalid image is not loaded"},
    {nullptr, CUDA_ERROR_NOT_SUPPORTED, "the device supports it"},
    {nullptr, BAD, "CUDA names no argument"},
    {nullptr, CUDA_ERROR_NOT_PERMITTED, "Duet has no such restriction"},
    {nullptr, CUDA_ERROR_FUNCTION_NOT_LOADED, "a module is loaded whole"},
    {nullptr, CUDA_ERROR_OPERATING_SYSTEM, "CUDA names no cause"},
    {nullptr, CUDA_ERROR_NOT_FOUND, "CUDA names no cause"},
    {"cuModuleLoad", CUDA_ERROR_NOT_FOUND, "the reference names FILE_NOT_FOUND for the same"},
};

static std::string name_of(CUresult error) {
  const char* name = "?";
  cuGetErrorName(error, &name);
  return name;
}

static constexpr char kHead[] =
    R"(# Errors of the driver interface

The errors that CUDA's driver reference has for %u functions: %u promises. Duet gives %u of them, in %u calls that
`tests/programs/errors_documented_driver.cu` makes, and this page is what that program prints with `--list`. The errors
of every function (`CUDA_ERROR_DEINITIALIZED`, and those of earlier work) are left out. "Also": an error that the
reference promises elsewhere, in the words about an argument or in the list of errors. CUDA calls the use of a destroyed
handle undefined; Duet's answer is an error. The runtime interface: [api-errors.md](api-errors.md).

)";

static unsigned wrong = 0;
static void judge(const Row& row) {
  if (row.before != nullptr) row.before();
  const CUresult got = row.call();
  if (row.after != nullptr) row.after();
  if (got == row.promised) return;
  ++wrong;
  fprintf(stderr, "%s, %s: %s, promised %s\n", row.function, row.wrong, name_of(got).c_str(),
          name_of(row.promised).c_str());
}

static void require_works() {
  static int count = 0;
  const int sent = ++count;
  int back = 0;
  CU(cuMemcpyHtoD(memory, &sent, sizeof sent));
  CU(cuMemcpyDtoH(&back, memory, sizeof back));
  REQUIRE(back == sent);
}

int main(int argc, char** argv) {
  std::vector<Row> rows = kEarly;
  rows.insert(rows.end(), kLater.begin(), kLater.end());
  const documented::Table<CUresult> table{kPromises, rows, kReasons, name_of};
  for (const Row& row : kEarly) judge(row);
  CU(cuInit(0));
  set_up();
  for (const Row& row : kLater) {
    judge(row);
    require_works();
  }
  if (wrong != 0) return 1;
  if (argc == 2 && strcmp(argv[1], "--list") == 0) return table.list(kHead) ? 0 : 1;
  return expect::pass("errors_documented_driver");
}
