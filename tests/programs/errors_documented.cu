// The errors that CUDA's runtime reference promises for its most used functions: a row for each wrong call that one
// device allows. After each call cudaPeekAtLastError and cudaGetLastError tell of the error, the latter clears it, and
// the next correct call works. With --list: docs/reference/api-errors.md.
#include <future>
#include <thread>

#include "documented.h"
#include "expect.h"

using Row = documented::Row<cudaError_t>;

constexpr size_t kBytes = 1024;
constexpr size_t kHuge = size_t{1} << 46;

__device__ int variable[4];
__global__ void touch(int* out) { out[0] = 1; }
__global__ void tell(int silent) {
  if (!silent) printf("told\n");
}
__global__ void slow(int* out) {
  volatile int rounds = 20000;
  while (rounds > 0) rounds = rounds - 1;
  out[0] = 2;
}
// 80 values at a time: an SM has not the registers of a block of 1,024 threads.
__global__ void wide(float* out, const float* in, int n) {
  float v[80];
#pragma unroll
  for (int i = 0; i < 80; i++) v[i] = in[i];
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int i = 0; i < 80; i++) v[i] = v[(i + 1) % 80] * v[i];
  for (int i = 0; i < 80; i++) out[threadIdx.x] += v[i];
}

// What the rows use. Handles and pointers named `gone` have been released.
static int host[kBytes / 4], other[kBytes / 4];
alignas(4096) static char pages[3 * 4096];
static int *device, *gone, *pinned, *gone_pinned, *managed, *host_pointer = host;
static void* place;
static size_t size;
static cudaStream_t stream, second, gone_stream, no_stream;
static cudaEvent_t event, untimed, recorded, pending, fresh, gone_event, no_event;
static cudaArray_t array, narrow, ints_array, no_array;
static cudaGraph_t graph, cycle, of_memory, captured, gone_graph, no_graph;
static cudaGraphExec_t exec, gone_exec, no_exec;
static cudaGraphNode_t root, node;
static cudaChannelFormatDesc floats, ints, bytes, three;
static cudaDeviceProp properties;
static cudaFuncAttributes attributes;
static cudaLaunchAttributeValue value;
static cudaStreamCaptureStatus status;
static const char* name;
static unsigned flags;
static char bus[20];
static cudaStreamCaptureMode wrong_mode = cudaStreamCaptureMode(9);
static cudaMemPool_t pool, gone_pool;
static cudaTextureObject_t texture, gone_texture;
static int number;
static float milliseconds;
static cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, nowhere = {cudaMemLocationTypeDevice, 7},
                       no_place = {cudaMemLocationType(9), 0}, numa = {cudaMemLocationTypeHostNumaCurrent, 0};
static void* arguments[] = {&device, &device, &number};  // as many as any kernel takes

static void host_function(void*) {}
static void callback(cudaStream_t, cudaError_t, void*) {}

static void set_up() {
  CHECK(cudaGetDeviceProperties(&properties, 0));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&device), kBytes));
  CHECK(cudaMallocHost(reinterpret_cast<void**>(&pinned), kBytes));
  CHECK(cudaMallocManaged(reinterpret_cast<void**>(&managed), kBytes));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&gone), kBytes));
  CHECK(cudaFree(gone));
  CHECK(cudaMallocHost(reinterpret_cast<void**>(&gone_pinned), kBytes));
  CHECK(cudaFreeHost(gone_pinned));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&second));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaEventCreate(&recorded));
  CHECK(cudaEventCreate(&pending));
  CHECK(cudaEventCreate(&fresh));
  CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CHECK(cudaEventRecord(recorded));
  CHECK(cudaEventRecord(untimed));
  floats = cudaCreateChannelDesc<float>();
  ints = cudaCreateChannelDesc<int>();
  bytes = cudaCreateChannelDesc<unsigned char>();
  three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
  CHECK(cudaMallocArray(&array, &floats, 64, 8));
  CHECK(cudaMallocArray(&narrow, &bytes, 64, 8));
  CHECK(cudaMallocArray(&ints_array, &ints, 64, 8));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddEmptyNode(&root, graph, nullptr, 0));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphCreate(&cycle, 0));
  cudaGraphNode_t pair[2];
  for (cudaGraphNode_t& one : pair) CHECK(cudaGraphAddEmptyNode(&one, cycle, nullptr, 0));
  CHECK(cudaGraphAddDependencies(cycle, pair, pair + 1, nullptr, 1));
  CHECK(cudaGraphAddDependencies(cycle, pair + 1, pair, nullptr, 1));
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location = here;
  memory.bytesize = 64;
  CHECK(cudaGraphCreate(&of_memory, 0));
  CHECK(cudaGraphAddMemAllocNode(&node, of_memory, nullptr, 0, &memory));
  cudaGraphExec_t with_memory;
  CHECK(cudaGraphInstantiate(&with_memory, of_memory, 0));
  CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
  tell<<<1, 1>>>(1);
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  // Last, so that no new handle has the place of a released one.
  CHECK(cudaStreamCreate(&gone_stream));
  CHECK(cudaEventCreate(&gone_event));
  CHECK(cudaGraphCreate(&gone_graph, 0));
  CHECK(cudaGraphInstantiate(&gone_exec, gone_graph, 0));
  CHECK(cudaStreamDestroy(gone_stream));
  CHECK(cudaEventDestroy(gone_event));
  CHECK(cudaGraphExecDestroy(gone_exec));
  CHECK(cudaGraphDestroy(gone_graph));
  CHECK(cudaDeviceSynchronize());
}

static void begin_work() {
  slow<<<1, 32, 0, stream>>>(device);
  CHECK(cudaEventRecord(pending, stream));
}
static void end_work() { CHECK(cudaDeviceSynchronize()); }
static void begin_capture() { CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)); }
// Whatever the capture has become.
static void end_capture() {
  cudaGraph_t captured = nullptr;
  cudaStreamEndCapture(stream, &captured);
  if (captured != nullptr) CHECK(cudaGraphDestroy(captured));
  cudaGetLastError();
}
static void begin_spoilt() {
  begin_capture();
  cudaStreamSynchronize(stream);
  cudaGetLastError();
}
static void begin_unjoined() {
  begin_capture();
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(second, event, 0));
  touch<<<1, 1, 0, second>>>(device);
}
static void begin_registered() { CHECK(cudaHostRegister(pages, sizeof pages, 0)); }
static void end_registered() { CHECK(cudaHostUnregister(pages)); }

static cudaError_t launch(const void* kernel, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t in = nullptr) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, in);
}
template <typename Kernel>
static const void* kernel_of(Kernel* one) {
  return reinterpret_cast<const void*>(one);
}
static const void* kernel() { return kernel_of(touch); }

static cudaError_t launch_ex(const void* function, dim3 grid, dim3 block, size_t shared = 0, int attribute = 0,
                             cudaLaunchAttributeValue value = {}) {
  cudaLaunchAttribute attributes[1] = {};
  attributes[0].id = cudaLaunchAttributeID(attribute);
  attributes[0].val = value;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.attrs = attributes;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, function, arguments);
}
static cudaLaunchAttributeValue window_of_ratio(float ratio, cudaAccessProperty miss = cudaAccessPropertyNormal) {
  cudaLaunchAttributeValue value = {};
  value.accessPolicyWindow = {device, kBytes, ratio, cudaAccessPropertyPersisting, miss};
  return value;
}
static cudaError_t set_attribute(cudaStream_t in, int attribute, cudaLaunchAttributeValue value) {
  return cudaStreamSetAttribute(in, cudaStreamAttrID(attribute), &value);
}
static cudaError_t set_waiting(int policy) {
  cudaLaunchAttributeValue value = {};
  value.syncPolicy = cudaSynchronizationPolicy(policy);
  return set_attribute(stream, cudaStreamAttributeSynchronizationPolicy, value);
}

static cudaMemcpy3DParms parms(void* to, size_t to_pitch, void* from, size_t from_pitch, int kind) {
  cudaMemcpy3DParms p = {};
  p.dstPtr = {to, to_pitch, 16, 4};
  p.srcPtr = {from, from_pitch, 16, 4};
  p.extent = {16, 4, 1};
  p.kind = cudaMemcpyKind(kind);
  return p;
}
static cudaError_t copy_3d(cudaMemcpy3DParms p, bool asynchronous = false) {
  return asynchronous ? cudaMemcpy3DAsync(&p, stream) : cudaMemcpy3D(&p);
}
static cudaMemcpy3DParms many_rows() {
  cudaMemcpy3DParms p = parms(device, 16, host, 16, cudaMemcpyDefault);
  p.extent.height = size_t{1} << 60;
  return p;
}
static cudaMemcpy3DParms both_sources() {
  cudaMemcpy3DParms p = parms(device, 16, host, 16, cudaMemcpyDefault);
  p.srcArray = array;
  return p;
}
static cudaMemcpy3DParms of_arrays() {
  cudaMemcpy3DParms p = {};
  p.dstArray = array;
  p.srcArray = narrow;
  p.extent = {16, 4, 1};
  p.kind = cudaMemcpyDeviceToDevice;
  return p;
}

static cudaError_t make_texture(cudaResourceDesc resource, cudaTextureDesc description = {}) {
  return cudaCreateTextureObject(&texture, &resource, &description, nullptr);
}
static cudaResourceDesc linear(void* at, cudaChannelFormatDesc channels) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = at;
  resource.res.linear.desc = channels;
  resource.res.linear.sizeInBytes = 256;
  return resource;
}
static cudaResourceDesc of_array(cudaArray_t texels) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = texels;
  return resource;
}
static cudaResourceDesc plane(size_t pitch) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {device, ints, 8, 2, pitch};
  return resource;
}
static cudaTextureDesc filtered() {
  cudaTextureDesc description = {};
  description.filterMode = cudaFilterModeLinear;
  return description;
}
static cudaTextureDesc normalized() {
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeNormalizedFloat;
  return description;
}
static void make_gone_texture() {
  CHECK(make_texture(linear(device, floats)));
  gone_texture = texture;
  CHECK(cudaDestroyTextureObject(texture));
}
static void make_gone_pool() {
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = here;
  CHECK(cudaMemPoolCreate(&gone_pool, &props));
  CHECK(cudaMemPoolDestroy(gone_pool));
}
static cudaError_t make_pool(cudaMemPoolProps props) { return cudaMemPoolCreate(&gone_pool, &props); }
static cudaError_t add_fill(unsigned element, unsigned what) {
  cudaMemsetParams params = {};
  params.dst = device;
  params.elementSize = element;
  params.value = what;
  params.width = 4;
  params.height = 1;
  return cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &params);
}
static cudaError_t add_kernel(const void* function, dim3 grid) {
  cudaKernelNodeParams params = {};
  params.func = const_cast<void*>(function);
  params.gridDim = grid;
  params.blockDim = dim3(1);
  params.kernelParams = arguments;
  return cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
}
// A thread begins a capture, and ends it when this one has tried to.
static std::thread* capturing;
static std::promise<void> begun, tried;
static void begin_elsewhere() {
  capturing = new std::thread([] {
    begin_capture();
    begun.set_value();
    tried.get_future().wait();
    end_capture();
  });
  begun.get_future().wait();
}
static void end_elsewhere() {
  tried.set_value();
  capturing->join();
}
// Macros of a row: a call of the function; the same between begin_X and end_X; by a function of this file.
#define E(function, wrong, error, ...) \
  Row { #function, wrong, error, [] { return function(__VA_ARGS__); } }
#define DURING(work, function, wrong, error, ...) \
  Row { #function, wrong, error, [] { return function(__VA_ARGS__); }, begin_##work, end_##work }
#define BY(function, wrong, error, call) \
  Row { #function, wrong, error, [] { return call; } }
#define BY_AFTER(function, wrong, error, before, call, after) \
  Row { #function, wrong, error, [] { return call; }, before, after }

static const std::vector<Row> kRows = {
    // ---- device memory ----
    E(cudaMalloc, "no place for the pointer", cudaErrorInvalidValue, (void**)nullptr, 4),
    E(cudaMalloc, "more than the device has", cudaErrorMemoryAllocation, &place, kHuge),
    DURING(capture, cudaMalloc, "a stream captures", cudaErrorStreamCaptureUnsupported, &place, 4),
    E(cudaFree, "pageable memory", cudaErrorInvalidValue, host),
    E(cudaFree, "released before", cudaErrorInvalidValue, gone),
    E(cudaFree, "the middle of an allocation", cudaErrorInvalidValue, device + 1),
    E(cudaFree, "of cudaMallocHost", cudaErrorInvalidValue, pinned),
    E(cudaMallocPitch, "no place for the pointer", cudaErrorInvalidValue, (void**)nullptr, &size, 4, 4),
    E(cudaMallocPitch, "no place for the pitch", cudaErrorInvalidValue, &place, nullptr, 4, 4),
    E(cudaMallocPitch, "more than the device has", cudaErrorMemoryAllocation, &place, &size, 1 << 20,
      1 << 26),
    BY(cudaMalloc3D, "no place for the pointer", cudaErrorInvalidValue, cudaMalloc3D(nullptr, {4, 4, 4})),
    BY(cudaMalloc3D, "more than the device has", cudaErrorMemoryAllocation,
       [] {
         cudaPitchedPtr p;
         return cudaMalloc3D(&p, {1 << 20, 1 << 20, 64});
       }()),
    E(cudaMallocArray, "no place for the array", cudaErrorInvalidValue, nullptr, &floats, 4, 4, 0),
    E(cudaMallocArray, "no format", cudaErrorInvalidValue, &no_array, nullptr, 4, 4, 0),
    E(cudaMallocArray, "no texels", cudaErrorInvalidValue, &no_array, &floats, 0, 0, 0),
    E(cudaMallocArray, "wider than the device allows", cudaErrorInvalidValue, &no_array, &floats,
      size_t(properties.maxTexture2D[0]) + 1, 4, 0),
    E(cudaMallocArray, "layers, which it has not", cudaErrorInvalidValue, &no_array, &floats, 4, 4,
      cudaArrayLayered),
    E(cudaMallocArray, "unknown flags", cudaErrorInvalidValue, &no_array, &floats, 4, 4, 0x4000),
    E(cudaMallocArray, "gathers from one row", cudaErrorInvalidValue, &no_array, &floats, 4, 0,
      cudaArrayTextureGather),
    E(cudaMallocArray, "three channels", cudaErrorInvalidChannelDescriptor, &no_array, &three, 4, 4, 0),
    BY(cudaMallocArray, "more than the device has", cudaErrorMemoryAllocation,
       [] {
         const cudaChannelFormatDesc wide_texels = cudaCreateChannelDesc<float4>();
         return cudaMallocArray(&no_array, &wide_texels, properties.maxTexture2D[0],
                                properties.maxTexture2D[1], 0);
       }()),
    BY(cudaMalloc3DArray, "no place for the array", cudaErrorInvalidValue,
       cudaMalloc3DArray(nullptr, &floats, {4, 4, 4}, 0)),
    BY(cudaMalloc3DArray, "more than the device has", cudaErrorMemoryAllocation,
       [] {
         const cudaChannelFormatDesc wide_texels = cudaCreateChannelDesc<float4>();
         return cudaMalloc3DArray(&no_array, &wide_texels,
                                  make_cudaExtent(properties.maxTexture3D[0], properties.maxTexture3D[1],
                                                  properties.maxTexture3D[2]),
                                  0);
       }()),
    BY(cudaMalloc3DArray, "a depth without a height", cudaErrorInvalidValue,
       cudaMalloc3DArray(&no_array, &floats, {4, 0, 4}, 0)),
    BY(cudaMalloc3DArray, "no layers", cudaErrorInvalidValue,
       cudaMalloc3DArray(&no_array, &floats, {4, 4, 0}, cudaArrayLayered)),
    E(cudaMallocManaged, "no place for the pointer", cudaErrorInvalidValue, (void**)nullptr, 4,
      cudaMemAttachGlobal),
    E(cudaMallocManaged, "no bytes", cudaErrorInvalidValue, &place, 0, cudaMemAttachGlobal),
    E(cudaMallocManaged, "attached to one stream", cudaErrorInvalidValue, &place, 4, cudaMemAttachSingle),
    E(cudaMallocManaged, "attached to nothing", cudaErrorInvalidValue, &place, 4, 0),
    E(cudaMallocManaged, "more than there is", cudaErrorMemoryAllocation, &place, kHuge << 10,
      cudaMemAttachGlobal),
    E(cudaMallocAsync, "no place for the pointer", cudaErrorInvalidValue, (void**)nullptr, 4, stream),
    E(cudaMallocAsync, "more than the device has", cudaErrorMemoryAllocation, &place, kHuge, stream),
    E(cudaMallocAsync, "a destroyed stream", cudaErrorInvalidResourceHandle, &place, 4, gone_stream),
    E(cudaFreeAsync, "pageable memory", cudaErrorInvalidValue, host, stream),
    E(cudaFreeAsync, "released before", cudaErrorInvalidValue, gone, stream),
    E(cudaFreeAsync, "a destroyed stream", cudaErrorInvalidResourceHandle, device, gone_stream),
    E(cudaMallocFromPoolAsync, "no place for the pointer", cudaErrorInvalidValue, (void**)nullptr, 4, pool,
      stream),
    E(cudaMallocFromPoolAsync, "no pool", cudaErrorInvalidValue, &place, 4, nullptr, stream),
    E(cudaMallocFromPoolAsync, "more than the device has", cudaErrorMemoryAllocation, &place, kHuge, pool,
      stream),
    E(cudaDeviceSetMemPool, "no such device", cudaErrorInvalidDevice, 1, pool),
    E(cudaDeviceSetMemPool, "no pool", cudaErrorInvalidValue, 0, nullptr),
    E(cudaDeviceGetDefaultMemPool, "no such device", cudaErrorInvalidDevice, &gone_pool, 1),
    E(cudaDeviceGetDefaultMemPool, "no place for the pool", cudaErrorInvalidValue, nullptr, 0),
    BY(cudaMemPoolCreate, "an allocation type that is none", cudaErrorInvalidValue, make_pool({})),
    BY_AFTER(cudaMemPoolDestroy, "destroyed before", cudaErrorInvalidValue, make_gone_pool,
             cudaMemPoolDestroy(gone_pool), nullptr),
    E(cudaMemPoolSetAttribute, "an unknown attribute", cudaErrorInvalidValue, pool, cudaMemPoolAttr(99),
      &size),
    E(cudaMemPoolGetAttribute, "an unknown attribute", cudaErrorInvalidValue, pool, cudaMemPoolAttr(99),
      &size),

    // ---- host memory ----
    E(cudaHostAlloc, "no place for the pointer", cudaErrorInvalidValue, (void**)nullptr, 4, 0),
    E(cudaHostAlloc, "unknown flags", cudaErrorInvalidValue, &place, 4, 0x100),
    E(cudaHostAlloc, "more than the host has", cudaErrorMemoryAllocation, &place, kHuge << 10, 0),
    E(cudaHostAlloc, "more than there are addresses", cudaErrorMemoryAllocation, &place, ~size_t{0}, 0),
    E(cudaMallocHost, "no place for the pointer", cudaErrorInvalidValue, (void**)nullptr, 4),
    E(cudaMallocHost, "more than the host has", cudaErrorMemoryAllocation, &place, kHuge << 10),
    E(cudaFreeHost, "pageable memory", cudaErrorInvalidValue, host),
    E(cudaFreeHost, "device memory", cudaErrorInvalidValue, device),
    E(cudaFreeHost, "released before", cudaErrorInvalidValue, gone_pinned),
    DURING(registered, cudaFreeHost, "registered memory", cudaErrorInvalidValue, pages),
    E(cudaHostRegister, "no memory", cudaErrorInvalidValue, nullptr, 4096, 0),
    E(cudaHostRegister, "no bytes", cudaErrorInvalidValue, pages, 0, 0),
    E(cudaHostRegister, "unknown flags", cudaErrorInvalidValue, pages, 4096, 0x100),
    DURING(registered, cudaHostRegister, "registered before", cudaErrorHostMemoryAlreadyRegistered, pages,
           4096, 0),
    DURING(registered, cudaHostRegister, "in part registered before", cudaErrorHostMemoryAlreadyRegistered,
           pages + 2 * 4096, 2 * 4096, 0),
    E(cudaHostRegister, "read only, where the device cannot", cudaErrorNotSupported, pages, 4096,
      cudaHostRegisterReadOnly),
    E(cudaHostUnregister, "pageable memory", cudaErrorHostMemoryNotRegistered, pages),
    E(cudaHostGetDevicePointer, "pageable memory", cudaErrorInvalidValue, &place, host, 0),
    E(cudaHostGetDevicePointer, "flags", cudaErrorInvalidValue, &place, pinned, 1),
    E(cudaHostGetDevicePointer, "no place for the pointer", cudaErrorInvalidValue, (void**)nullptr, pinned,
      0),
    E(cudaHostGetFlags, "pageable memory", cudaErrorInvalidValue, &flags, host),
    E(cudaHostGetFlags, "no place for the flags", cudaErrorInvalidValue, nullptr, pinned),

    // ---- managed memory ----
    E(cudaMemPrefetchAsync, "device memory", cudaErrorInvalidValue, device, 4, here, 0, stream),
    E(cudaMemPrefetchAsync, "past the end", cudaErrorInvalidValue, managed, 1 << 30, here, 0, stream),
    E(cudaMemPrefetchAsync, "past the end of all addresses", cudaErrorInvalidValue, managed, ~size_t{0}, here,
      0, stream),
    E(cudaMemPrefetchAsync, "no such device", cudaErrorInvalidDevice, managed, 4, nowhere, 0, stream),
    E(cudaMemPrefetchAsync, "a kind of place that is none", cudaErrorInvalidValue, managed, 4, no_place, 0,
      stream),
    E(cudaMemPrefetchAsync, "flags", cudaErrorInvalidValue, managed, 4, here, 1, stream),
    E(cudaMemPrefetchAsync, "a destroyed stream", cudaErrorInvalidResourceHandle, managed, 4, here, 0,
      gone_stream),
    E(cudaMemAdvise, "device memory", cudaErrorInvalidValue, device, 4, cudaMemAdviseSetReadMostly, here),
    E(cudaMemAdvise, "past the end", cudaErrorInvalidValue, managed, 1 << 30, cudaMemAdviseSetReadMostly,
      here),
    E(cudaMemAdvise, "unknown advice", cudaErrorInvalidValue, managed, 4, cudaMemoryAdvise(99), here),
    E(cudaMemAdvise, "a preferred device that is none", cudaErrorInvalidDevice, managed, 4,
      cudaMemAdviseSetPreferredLocation, nowhere),
    E(cudaMemAdvise, "accessed by a device that is none", cudaErrorInvalidDevice, managed, 4,
      cudaMemAdviseSetAccessedBy, nowhere),
    E(cudaMemAdvise, "accessed by a node of the host", cudaErrorInvalidValue, managed, 4,
      cudaMemAdviseSetAccessedBy, numa),
    E(cudaStreamAttachMemAsync, "device memory", cudaErrorInvalidValue, stream, device, 0,
      cudaMemAttachSingle),
    E(cudaStreamAttachMemAsync, "unknown flags", cudaErrorInvalidValue, stream, managed, 0, 0x100),
    E(cudaStreamAttachMemAsync, "a part of an allocation", cudaErrorInvalidValue, stream, managed, 16,
      cudaMemAttachSingle),
    E(cudaStreamAttachMemAsync, "the default stream alone", cudaErrorInvalidValue, nullptr, managed, 0,
      cudaMemAttachSingle),
    E(cudaStreamAttachMemAsync, "a destroyed stream", cudaErrorInvalidResourceHandle, gone_stream, managed, 0,
      cudaMemAttachSingle),

    // ---- copies and fills ----
    E(cudaMemcpy, "to nowhere", cudaErrorInvalidValue, nullptr, host, 4, cudaMemcpyHostToDevice),
    E(cudaMemcpy, "from nowhere", cudaErrorInvalidValue, device, nullptr, 4, cudaMemcpyHostToDevice),
    E(cudaMemcpy, "past the end", cudaErrorInvalidValue, device, host, kBytes + 4, cudaMemcpyHostToDevice),
    E(cudaMemcpy, "past the end of all addresses", cudaErrorInvalidValue, device, host, ~size_t{0},
      cudaMemcpyHostToDevice),
    E(cudaMemcpy, "to released memory", cudaErrorInvalidValue, gone, host, 4, cudaMemcpyHostToDevice),
    E(cudaMemcpy, "from the device, to pageable memory twice", cudaErrorInvalidValue, other, host, 4,
      cudaMemcpyDeviceToHost),
    E(cudaMemcpy, "an unknown direction", cudaErrorInvalidMemcpyDirection, device, host, 4,
      cudaMemcpyKind(9)),
    DURING(capture, cudaMemcpy, "a stream captures", cudaErrorStreamCaptureImplicit, device, host, 4,
           cudaMemcpyHostToDevice),
    E(cudaMemcpyAsync, "past the end", cudaErrorInvalidValue, device, pinned, kBytes + 4,
      cudaMemcpyHostToDevice, stream),
    E(cudaMemcpyAsync, "an unknown direction", cudaErrorInvalidMemcpyDirection, device, pinned, 4,
      cudaMemcpyKind(-1), stream),
    E(cudaMemcpyAsync, "a destroyed stream", cudaErrorInvalidResourceHandle, device, pinned, 4,
      cudaMemcpyHostToDevice, gone_stream),
    E(cudaMemcpyPeer, "no such device", cudaErrorInvalidDevice, device, 1, device, 0, 4),
    E(cudaMemcpyPeer, "past the end", cudaErrorInvalidValue, device, 0, device + 1, 0, kBytes),
    E(cudaMemcpy2D, "to nowhere", cudaErrorInvalidValue, nullptr, 16, host, 16, 16, 4,
      cudaMemcpyHostToDevice),
    E(cudaMemcpy2D, "past the end", cudaErrorInvalidValue, device, 512, host, 16, 16, 4,
      cudaMemcpyHostToDevice),
    E(cudaMemcpy2D, "more rows than addresses", cudaErrorInvalidValue, device, 16, host, 16, 16,
      size_t{1} << 60, cudaMemcpyHostToDevice),
    E(cudaMemcpy2D, "rows wider than the target's pitch", cudaErrorInvalidPitchValue, device, 8, host, 16, 16,
      4, cudaMemcpyHostToDevice),
    E(cudaMemcpy2D, "rows wider than the source's pitch", cudaErrorInvalidPitchValue, device, 16, host, 8, 16,
      4, cudaMemcpyHostToDevice),
    E(cudaMemcpy2D, "a pitch above cudaDeviceProp::memPitch", cudaErrorInvalidPitchValue, device,
      properties.memPitch + 1, host, 16, 16, 4, cudaMemcpyHostToDevice),
    E(cudaMemcpy2D, "an unknown direction", cudaErrorInvalidMemcpyDirection, device, 16, host, 16, 16, 4,
      cudaMemcpyKind(9)),
    E(cudaMemcpy2DAsync, "past the end", cudaErrorInvalidValue, device, 512, pinned, 16, 16, 4,
      cudaMemcpyHostToDevice, stream),
    E(cudaMemcpy2DAsync, "rows wider than the pitch", cudaErrorInvalidPitchValue, device, 8, pinned, 16, 16,
      4, cudaMemcpyHostToDevice, stream),
    E(cudaMemcpy2DAsync, "an unknown direction", cudaErrorInvalidMemcpyDirection, device, 16, pinned, 16, 16,
      4, cudaMemcpyKind(9), stream),
    BY(cudaMemcpy3D, "two sources", cudaErrorInvalidValue, copy_3d(both_sources())),
    BY(cudaMemcpy3D, "arrays of other elements", cudaErrorInvalidValue, copy_3d(of_arrays())),
    BY(cudaMemcpy3D, "past the end", cudaErrorInvalidValue,
       copy_3d(parms(device, 512, host, 16, cudaMemcpyDefault))),
    BY(cudaMemcpy3D, "more rows than addresses", cudaErrorInvalidValue, copy_3d(many_rows())),
    BY(cudaMemcpy3D, "rows wider than the pitch", cudaErrorInvalidPitchValue,
       copy_3d(parms(device, 8, host, 16, cudaMemcpyDefault))),
    BY(cudaMemcpy3D, "a pitch above cudaDeviceProp::memPitch", cudaErrorInvalidPitchValue,
       copy_3d(parms(device, properties.memPitch + 1, host, 16, cudaMemcpyDefault))),
    BY(cudaMemcpy3D, "an unknown direction", cudaErrorInvalidMemcpyDirection,
       copy_3d(parms(device, 16, host, 16, 9))),
    BY(cudaMemcpy3DAsync, "two sources", cudaErrorInvalidValue, copy_3d(both_sources(), true)),
    BY(cudaMemcpy3DAsync, "rows wider than the pitch", cudaErrorInvalidPitchValue,
       copy_3d(parms(device, 8, pinned, 16, cudaMemcpyDefault), true)),
    BY(cudaMemcpy3DAsync, "an unknown direction", cudaErrorInvalidMemcpyDirection,
       copy_3d(parms(device, 16, pinned, 16, 9), true)),
    E(cudaMemcpy2DToArray, "past the end", cudaErrorInvalidValue, array, 0, 0, host, 16, 16, 9,
      cudaMemcpyHostToDevice),
    E(cudaMemcpy2DToArray, "rows wider than the pitch", cudaErrorInvalidPitchValue, array, 0, 0, host, 8, 16,
      4, cudaMemcpyHostToDevice),
    E(cudaMemcpy2DToArray, "an unknown direction", cudaErrorInvalidMemcpyDirection, array, 0, 0, host, 16, 16,
      4, cudaMemcpyKind(9)),
    E(cudaMemcpy2DFromArray, "past the end", cudaErrorInvalidValue, host, 16, array, 0, 0, 16, 9,
      cudaMemcpyDeviceToHost),
    E(cudaMemcpy2DFromArray, "rows wider than the pitch", cudaErrorInvalidPitchValue, host, 8, array, 0, 0,
      16, 4, cudaMemcpyDeviceToHost),
    E(cudaMemcpy2DFromArray, "an unknown direction", cudaErrorInvalidMemcpyDirection, host, 16, array, 0, 0,
      16, 4, cudaMemcpyKind(9)),
    E(cudaMemcpyToSymbol, "no symbol", cudaErrorInvalidSymbol, host_pointer, host, 4, 0,
      cudaMemcpyHostToDevice),
    E(cudaMemcpyToSymbol, "past the end", cudaErrorInvalidValue, variable, host, 4, 16,
      cudaMemcpyHostToDevice),
    E(cudaMemcpyToSymbol, "to the host", cudaErrorInvalidMemcpyDirection, variable, host, 4, 0,
      cudaMemcpyDeviceToHost),
    E(cudaMemcpyFromSymbol, "no symbol", cudaErrorInvalidSymbol, host, host_pointer, 4, 0,
      cudaMemcpyDeviceToHost),
    E(cudaMemcpyFromSymbol, "past the end", cudaErrorInvalidValue, host, variable, 20, 0,
      cudaMemcpyDeviceToHost),
    E(cudaMemcpyFromSymbol, "from the host", cudaErrorInvalidMemcpyDirection, host, variable, 4, 0,
      cudaMemcpyHostToDevice),
    E(cudaMemset, "nothing", cudaErrorInvalidValue, nullptr, 0, 4),
    E(cudaMemset, "pageable memory", cudaErrorInvalidValue, host, 0, 4),
    E(cudaMemset, "past the end", cudaErrorInvalidValue, device, 0, kBytes + 1),
    E(cudaMemset, "past the end of all addresses", cudaErrorInvalidValue, device, 0, ~size_t{0}),
    E(cudaMemset, "released memory", cudaErrorInvalidValue, gone, 0, 4),
    E(cudaMemsetAsync, "past the end", cudaErrorInvalidValue, device, 0, kBytes + 1, stream),
    E(cudaMemsetAsync, "a destroyed stream", cudaErrorInvalidResourceHandle, device, 0, 4, gone_stream),
    E(cudaMemset2D, "past the end", cudaErrorInvalidValue, device, 512, 0, 16, 4),
    E(cudaMemset2D, "more rows than addresses", cudaErrorInvalidValue, device, 16, 0, 16, size_t{1} << 60),
    E(cudaMemset2D, "rows wider than the pitch", cudaErrorInvalidValue, device, 8, 0, 16, 4),
    BY(cudaMemset3D, "past the end", cudaErrorInvalidValue,
       cudaMemset3D({device, 16, 16, 4}, 0, {16, 4, 64})),
    BY(cudaMemset3D, "rows wider than the pitch", cudaErrorInvalidValue,
       cudaMemset3D({device, 8, 16, 4}, 0, {16, 4, 1})),

    // ---- what there is to know ----
    E(cudaGetSymbolAddress, "no symbol", cudaErrorInvalidSymbol, &place, static_cast<const void*>(host)),
    E(cudaGetSymbolSize, "no symbol", cudaErrorInvalidSymbol, &size, static_cast<const void*>(host)),
    E(cudaPointerGetAttributes, "no place for the answer", cudaErrorInvalidValue, nullptr, device),
    E(cudaSetDevice, "no such device", cudaErrorInvalidDevice, 1),
    E(cudaSetDevice, "a negative device", cudaErrorInvalidDevice, -1),
    E(cudaGetDevice, "no place for the answer", cudaErrorInvalidValue, nullptr),
    E(cudaGetDeviceProperties, "no such device", cudaErrorInvalidDevice, &properties, 1),
    E(cudaDeviceGetAttribute, "no such device", cudaErrorInvalidDevice, &number, cudaDevAttrWarpSize, 1),
    E(cudaDeviceGetAttribute, "an unknown attribute", cudaErrorInvalidValue, &number, cudaDeviceAttr(9999),
      0),
    E(cudaDeviceGetAttribute, "no place for the answer", cudaErrorInvalidValue, nullptr, cudaDevAttrWarpSize,
      0),
    E(cudaDeviceSetLimit, "an unknown limit", cudaErrorUnsupportedLimit, cudaLimit(99), 1),
    E(cudaDeviceGetLimit, "an unknown limit", cudaErrorUnsupportedLimit, &size, cudaLimit(99)),
    E(cudaDeviceGetLimit, "no place for the answer", cudaErrorInvalidValue, nullptr, cudaLimitStackSize),
    DURING(capture, cudaDeviceSynchronize, "a stream captures", cudaErrorStreamCaptureUnsupported),

    E(cudaDeviceSetLimit, "room for printf, behind a kernel with printf", cudaErrorInvalidValue,
      cudaLimitPrintfFifoSize, 1 << 21),
    E(cudaSetDeviceFlags, "unknown flags", cudaErrorInvalidValue, 0x10000),
    E(cudaDeviceGetPCIBusId, "no such device", cudaErrorInvalidDevice, bus, sizeof bus, 1),
    E(cudaDeviceGetPCIBusId, "too short a place", cudaErrorInvalidValue, bus, 4, 0),
    E(cudaDeviceGetPCIBusId, "no place", cudaErrorInvalidValue, nullptr, 20, 0),
    E(cudaDeviceGetByPCIBusId, "no such device", cudaErrorInvalidDevice, &number, "0000:7f:00.0"),
    E(cudaDeviceGetByPCIBusId, "no place for the answer", cudaErrorInvalidValue, nullptr, "0000:7f:00.0"),
    E(cudaDeviceCanAccessPeer, "no such device", cudaErrorInvalidDevice, &number, 0, 1),

    // ---- streams ----
    E(cudaStreamCreate, "no place for the stream", cudaErrorInvalidValue, nullptr),
    E(cudaStreamCreateWithFlags, "no place for the stream", cudaErrorInvalidValue, nullptr, 0),
    E(cudaStreamCreateWithFlags, "unknown flags", cudaErrorInvalidValue, &no_stream, 0x100),
    E(cudaStreamCreateWithPriority, "no place for the stream", cudaErrorInvalidValue, nullptr, 0, 0),
    E(cudaStreamCreateWithPriority, "unknown flags", cudaErrorInvalidValue, &no_stream, 0x100, 0),
    E(cudaStreamDestroy, "destroyed before", cudaErrorInvalidResourceHandle, gone_stream),
    E(cudaStreamDestroy, "the default stream", cudaErrorInvalidResourceHandle, nullptr),
    E(cudaStreamSynchronize, "a destroyed stream", cudaErrorInvalidResourceHandle, gone_stream),
    DURING(capture, cudaStreamSynchronize, "it captures", cudaErrorStreamCaptureUnsupported, stream),
    DURING(work, cudaStreamQuery, "work is pending", cudaErrorNotReady, stream),
    E(cudaStreamQuery, "a destroyed stream", cudaErrorInvalidResourceHandle, gone_stream),
    DURING(capture, cudaStreamQuery, "it captures", cudaErrorStreamCaptureUnsupported, stream),
    E(cudaStreamWaitEvent, "unknown flags", cudaErrorInvalidValue, stream, event, 0x100),
    E(cudaStreamWaitEvent, "no event", cudaErrorInvalidResourceHandle, stream, nullptr, 0),
    E(cudaStreamWaitEvent, "a destroyed event", cudaErrorInvalidResourceHandle, stream, gone_event, 0),
    E(cudaStreamWaitEvent, "a destroyed stream", cudaErrorInvalidResourceHandle, gone_stream, event, 0),
    E(cudaStreamAddCallback, "no function", cudaErrorInvalidValue, stream, nullptr, nullptr, 0),
    E(cudaStreamAddCallback, "flags", cudaErrorInvalidValue, stream, callback, nullptr, 1),
    E(cudaStreamAddCallback, "a destroyed stream", cudaErrorInvalidResourceHandle, gone_stream, callback,
      nullptr, 0),
    E(cudaLaunchHostFunc, "no function", cudaErrorInvalidValue, stream, nullptr, nullptr),
    E(cudaLaunchHostFunc, "a destroyed stream", cudaErrorInvalidResourceHandle, gone_stream, host_function,
      nullptr),
    E(cudaStreamGetPriority, "a destroyed stream", cudaErrorInvalidResourceHandle, gone_stream, &number),
    E(cudaStreamGetPriority, "no place for the answer", cudaErrorInvalidValue, stream, nullptr),
    E(cudaStreamGetFlags, "a destroyed stream", cudaErrorInvalidResourceHandle, gone_stream, &flags),
    E(cudaStreamGetFlags, "no place for the answer", cudaErrorInvalidValue, stream, nullptr),
    BY(cudaStreamSetAttribute, "an attribute of launches", cudaErrorInvalidValue,
       set_attribute(stream, cudaLaunchAttributeCooperative, {})),
    BY(cudaStreamSetAttribute, "an unknown attribute", cudaErrorInvalidValue, set_attribute(stream, 99, {})),
    BY(cudaStreamSetAttribute, "a window that hits more than always", cudaErrorInvalidValue,
       set_attribute(stream, cudaStreamAttributeAccessPolicyWindow, window_of_ratio(1.5))),
    BY(cudaStreamSetAttribute, "a window with misses that persist", cudaErrorInvalidValue,
       set_attribute(stream, cudaStreamAttributeAccessPolicyWindow,
                     window_of_ratio(1, cudaAccessPropertyPersisting))),
    BY(cudaStreamSetAttribute, "an unknown way to wait", cudaErrorInvalidValue, set_waiting(9)),
    BY(cudaStreamSetAttribute, "a destroyed stream", cudaErrorInvalidResourceHandle,
       set_attribute(gone_stream, cudaStreamAttributePriority, {})),
    E(cudaStreamGetAttribute, "an attribute of launches", cudaErrorInvalidValue, stream,
      cudaLaunchAttributeCooperative, &value),
    E(cudaStreamGetAttribute, "a destroyed stream", cudaErrorInvalidResourceHandle, gone_stream,
      cudaStreamAttributePriority, &value),

    // ---- events ----
    E(cudaEventCreate, "no place for the event", cudaErrorInvalidValue, nullptr),
    E(cudaEventCreateWithFlags, "no place for the event", cudaErrorInvalidValue, nullptr, 0),
    E(cudaEventCreateWithFlags, "unknown flags", cudaErrorInvalidValue, &no_event, 0x100),
    E(cudaEventCreateWithFlags, "of several processes, with times", cudaErrorInvalidValue, &no_event,
      cudaEventInterprocess),
    E(cudaEventDestroy, "destroyed before", cudaErrorInvalidResourceHandle, gone_event),
    E(cudaEventDestroy, "no event", cudaErrorInvalidResourceHandle, nullptr),
    E(cudaEventRecord, "no event", cudaErrorInvalidResourceHandle, nullptr, stream),
    E(cudaEventRecord, "a destroyed event", cudaErrorInvalidResourceHandle, gone_event, stream),
    E(cudaEventRecord, "a destroyed stream", cudaErrorInvalidResourceHandle, event, gone_stream),
    E(cudaEventRecordWithFlags, "unknown flags", cudaErrorInvalidValue, event, stream, 0x100),
    E(cudaEventRecordWithFlags, "a destroyed event", cudaErrorInvalidResourceHandle, gone_event, stream, 0),
    E(cudaEventSynchronize, "no event", cudaErrorInvalidResourceHandle, nullptr),
    E(cudaEventSynchronize, "a destroyed event", cudaErrorInvalidResourceHandle, gone_event),
    DURING(work, cudaEventQuery, "work is pending", cudaErrorNotReady, pending),
    E(cudaEventQuery, "a destroyed event", cudaErrorInvalidResourceHandle, gone_event),
    E(cudaEventElapsedTime, "no place for the answer", cudaErrorInvalidValue, nullptr, recorded, recorded),
    E(cudaEventElapsedTime, "never recorded", cudaErrorInvalidResourceHandle, &milliseconds, recorded, fresh),
    E(cudaEventElapsedTime, "without times", cudaErrorInvalidResourceHandle, &milliseconds, recorded,
      untimed),
    E(cudaEventElapsedTime, "a destroyed event", cudaErrorInvalidResourceHandle, &milliseconds, gone_event,
      recorded),
    DURING(work, cudaEventElapsedTime, "work is pending", cudaErrorNotReady, &milliseconds, recorded,
           pending),

    // ---- kernels ----
    E(cudaFuncGetAttributes, "no kernel", cudaErrorInvalidDeviceFunction, &attributes,
      static_cast<const void*>(host)),
    E(cudaFuncSetAttribute, "no kernel", cudaErrorInvalidDeviceFunction, static_cast<const void*>(host),
      cudaFuncAttributeMaxDynamicSharedMemorySize, 0),
    E(cudaFuncSetAttribute, "an unknown attribute", cudaErrorInvalidValue, kernel(), cudaFuncAttribute(99),
      0),
    E(cudaFuncSetAttribute, "more shared memory than a block may have", cudaErrorInvalidValue, kernel(),
      cudaFuncAttributeMaxDynamicSharedMemorySize, int(properties.sharedMemPerBlockOptin) + 1),
    E(cudaFuncSetAttribute, "fewer than no bytes", cudaErrorInvalidValue, kernel(),
      cudaFuncAttributeMaxDynamicSharedMemorySize, -1),
    E(cudaFuncSetAttribute, "a share of shared memory above all of it", cudaErrorInvalidValue, kernel(),
      cudaFuncAttributePreferredSharedMemoryCarveout, 101),
    E(cudaFuncGetName, "no kernel", cudaErrorInvalidDeviceFunction, &name, static_cast<const void*>(host)),
    E(cudaFuncGetName, "no place for the name", cudaErrorInvalidValue, nullptr, kernel()),
    E(cudaOccupancyMaxActiveBlocksPerMultiprocessor, "no kernel", cudaErrorInvalidDeviceFunction, &number,
      static_cast<const void*>(host), 32, 0),
    E(cudaOccupancyMaxActiveBlocksPerMultiprocessor, "no place for the answer", cudaErrorInvalidValue,
      nullptr, kernel(), 32, 0),
    E(cudaOccupancyMaxActiveBlocksPerMultiprocessor, "no threads", cudaErrorInvalidValue, &number, kernel(),
      0, 0),
    E(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "no kernel", cudaErrorInvalidDeviceFunction,
      &number, static_cast<const void*>(host), 32, 0, 0),
    E(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "unknown flags", cudaErrorInvalidValue, &number,
      kernel(), 32, 0, 0x100),
    E(cudaOccupancyAvailableDynamicSMemPerBlock, "no kernel", cudaErrorInvalidDeviceFunction, &size,
      static_cast<const void*>(host), 1, 32),
    E(cudaOccupancyAvailableDynamicSMemPerBlock, "no blocks", cudaErrorInvalidValue, &size, kernel(), 0, 32),
    BY(cudaLaunchKernel, "no kernel", cudaErrorInvalidDeviceFunction, launch(host, 1, 1)),
    BY(cudaLaunchKernel, "null", cudaErrorInvalidDeviceFunction, launch(nullptr, 1, 1)),
    BY(cudaLaunchKernel, "no blocks", cudaErrorInvalidConfiguration, launch(kernel(), 0, 32)),
    BY(cudaLaunchKernel, "no threads", cudaErrorInvalidConfiguration, launch(kernel(), 1, dim3(32, 0, 1))),
    BY(cudaLaunchKernel, "more threads than a block may have", cudaErrorInvalidConfiguration,
       launch(kernel(), 1, properties.maxThreadsPerBlock + 1)),
    BY(cudaLaunchKernel, "more threads along z", cudaErrorInvalidConfiguration,
       launch(kernel(), 1, dim3(1, 1, properties.maxThreadsDim[2] + 1))),
    BY(cudaLaunchKernel, "more blocks along y", cudaErrorInvalidConfiguration,
       launch(kernel(), dim3(1, properties.maxGridSize[1] + 1, 1), 1)),
    BY(cudaLaunchKernel, "more shared memory than was asked for", cudaErrorInvalidValue,
       launch(kernel(), 1, 1, properties.sharedMemPerBlock + 16)),
    BY(cudaLaunchKernel, "more registers than an SM has", cudaErrorLaunchOutOfResources,
       launch(kernel_of(wide), 1, properties.maxThreadsPerBlock)),
    BY(cudaLaunchKernel, "a destroyed stream", cudaErrorInvalidResourceHandle,
       launch(kernel(), 1, 1, 0, gone_stream)),
    BY_AFTER(cudaLaunchKernel, "in the default stream while another captures", cudaErrorStreamCaptureImplicit,
             begin_capture, launch(kernel(), 1, 1), end_capture),
    BY(cudaLaunchKernelExC, "no kernel", cudaErrorInvalidDeviceFunction, launch_ex(host, 1, 1)),
    BY(cudaLaunchKernelExC, "no blocks", cudaErrorInvalidConfiguration, launch_ex(kernel(), 0, 1)),
    BY(cudaLaunchKernelExC, "more threads than a block may have", cudaErrorInvalidConfiguration,
       launch_ex(kernel(), 1, properties.maxThreadsPerBlock + 1)),
    BY(cudaLaunchKernelExC, "more registers than an SM has", cudaErrorLaunchOutOfResources,
       launch_ex(kernel_of(wide), 1, properties.maxThreadsPerBlock)),
    BY(cudaLaunchKernelExC, "an unknown attribute", cudaErrorInvalidValue, launch_ex(kernel(), 1, 1, 0, 99)),
    BY(cudaLaunchCooperativeKernel, "no kernel", cudaErrorInvalidDeviceFunction,
       cudaLaunchCooperativeKernel(static_cast<const void*>(host), 1, 1, arguments, 0, nullptr)),
    BY(cudaLaunchCooperativeKernel, "no blocks", cudaErrorInvalidConfiguration,
       cudaLaunchCooperativeKernel(kernel(), 0, 1, arguments, 0, nullptr)),
    BY(cudaLaunchCooperativeKernel, "more registers than an SM has", cudaErrorLaunchOutOfResources,
       cudaLaunchCooperativeKernel(kernel_of(wide), 1, properties.maxThreadsPerBlock, arguments, 0, nullptr)),
    BY(cudaLaunchCooperativeKernel, "more blocks than run at once", cudaErrorCooperativeLaunchTooLarge,
       cudaLaunchCooperativeKernel(kernel(), 60000, 1024, arguments, 0, nullptr)),

    // ---- capture and graphs ----
    E(cudaStreamBeginCapture, "an unknown mode", cudaErrorInvalidValue, stream, cudaStreamCaptureMode(9)),
    E(cudaStreamBeginCapture, "the default stream", cudaErrorStreamCaptureUnsupported, nullptr,
      cudaStreamCaptureModeGlobal),
    DURING(capture, cudaStreamBeginCapture, "it captures", cudaErrorIllegalState, stream,
           cudaStreamCaptureModeGlobal),
    E(cudaStreamEndCapture, "it does not capture", cudaErrorIllegalState, stream, &captured),
    DURING(elsewhere, cudaStreamEndCapture, "another thread's capture", cudaErrorStreamCaptureWrongThread,
           stream, &captured),
    DURING(capture, cudaStreamEndCapture, "no place for the graph", cudaErrorInvalidValue, stream, nullptr),
    BY_AFTER(cudaStreamEndCapture, "the capture has been spoilt", cudaErrorStreamCaptureInvalidated,
             begin_spoilt, cudaStreamEndCapture(stream, &captured), nullptr),
    BY_AFTER(cudaStreamEndCapture, "a stream has not joined", cudaErrorStreamCaptureUnjoined, begin_unjoined,
             cudaStreamEndCapture(stream, &captured), nullptr),
    E(cudaThreadExchangeStreamCaptureMode, "an unknown mode", cudaErrorInvalidValue, &wrong_mode),
    E(cudaStreamIsCapturing, "no place for the answer", cudaErrorInvalidValue, stream, nullptr),
    DURING(capture, cudaStreamIsCapturing, "the default stream while another captures",
           cudaErrorStreamCaptureImplicit, nullptr, &status),
    E(cudaGraphCreate, "no place for the graph", cudaErrorInvalidValue, nullptr, 0),
    E(cudaGraphCreate, "flags", cudaErrorInvalidValue, &no_graph, 1),
    E(cudaGraphDestroy, "destroyed before", cudaErrorInvalidValue, gone_graph),
    BY(cudaGraphAddKernelNode, "no kernel", cudaErrorInvalidDeviceFunction, add_kernel(host, 1)),
    E(cudaGraphAddKernelNode, "no parameters", cudaErrorInvalidValue, &node, graph, nullptr, 0, nullptr),
    BY(cudaGraphAddMemsetNode, "elements of three bytes", cudaErrorInvalidValue, add_fill(3, 4)),
    BY(cudaGraphAddMemsetNode, "a value wider than the elements", cudaErrorInvalidValue, add_fill(1, 0x1234)),
    E(cudaGraphAddMemsetNode, "no parameters", cudaErrorInvalidValue, &node, graph, nullptr, 0, nullptr),
    E(cudaGraphAddEmptyNode, "earlier nodes that are not there", cudaErrorInvalidValue, &node, graph, nullptr,
      2),
    E(cudaGraphAddDependencies, "a node after itself", cudaErrorInvalidValue, graph, &root, &root, nullptr,
      1),
    E(cudaGraphInstantiate, "no place for the result", cudaErrorInvalidValue, nullptr, graph, 0),
    E(cudaGraphInstantiate, "no graph", cudaErrorInvalidValue, &no_exec, nullptr, 0),
    E(cudaGraphInstantiate, "unknown flags", cudaErrorInvalidValue, &no_exec, graph, 0x100),
    E(cudaGraphInstantiate, "a cycle", cudaErrorInvalidValue, &no_exec, cycle, 0),
    E(cudaGraphInstantiate, "memory that another copy has", cudaErrorInvalidValue, &no_exec, of_memory, 0),
    E(cudaGraphLaunch, "destroyed before", cudaErrorInvalidValue, gone_exec, stream),
    E(cudaGraphLaunch, "null", cudaErrorInvalidValue, nullptr, stream),
    E(cudaGraphLaunch, "a destroyed stream", cudaErrorInvalidResourceHandle, exec, gone_stream),
    E(cudaGraphExecDestroy, "destroyed before", cudaErrorInvalidValue, gone_exec),

    // ---- textures ----
    BY(cudaCreateTextureObject, "no place for the object", cudaErrorInvalidValue,
       [] {
         auto resource = linear(device, floats);
         auto d = filtered();
         return cudaCreateTextureObject(nullptr, &resource, &d, nullptr);
       }()),
    BY(cudaCreateTextureObject, "memory that is not aligned", cudaErrorInvalidValue,
       make_texture(linear(reinterpret_cast<char*>(device) + 4, floats))),
    BY(cudaCreateTextureObject, "a pitch that is not aligned", cudaErrorInvalidValue,
       make_texture(plane(36))),
    BY(cudaCreateTextureObject, "integers that are filtered", cudaErrorInvalidFilterSetting,
       make_texture(of_array(ints_array), filtered())),
    BY(cudaCreateTextureObject, "32 bits that are normalized", cudaErrorInvalidNormSetting,
       make_texture(of_array(ints_array), normalized())),
    BY_AFTER(cudaDestroyTextureObject, "destroyed before", cudaErrorInvalidValue, make_gone_texture,
             cudaDestroyTextureObject(gone_texture), nullptr),
};

using Promise = documented::Promise<cudaError_t>;
#define BAD cudaErrorInvalidValue
#define NO_MEMORY cudaErrorMemoryAllocation
#define HANDLE cudaErrorInvalidResourceHandle
#define FAILED cudaErrorLaunchFailure
#define LAUNCH                                                                                           \
  cudaErrorInvalidDeviceFunction, cudaErrorInvalidConfiguration, FAILED, cudaErrorLaunchTimeout,         \
      cudaErrorLaunchOutOfResources, cudaErrorSharedObjectInitFailed
#define CODE                                                                                             \
  cudaErrorInvalidPtx, cudaErrorUnsupportedPtxVersion, cudaErrorNoKernelImageForDevice,                  \
      cudaErrorJitCompilerNotFound, cudaErrorJitCompilationDisabled
static const std::vector<Promise> kPromises = {
    {"cudaMalloc", {BAD, NO_MEMORY}},
    {"cudaFree", {BAD}},
    {"cudaMallocPitch", {BAD, NO_MEMORY}},
    {"cudaMalloc3D", {BAD, NO_MEMORY}},
    {"cudaMallocArray", {BAD, NO_MEMORY}},
    {"cudaMalloc3DArray", {BAD, NO_MEMORY}},
    {"cudaMallocManaged", {NO_MEMORY, cudaErrorNotSupported, BAD}},
    {"cudaMallocAsync", {BAD, cudaErrorNotSupported, NO_MEMORY}},
    {"cudaFreeAsync", {BAD, cudaErrorNotSupported}},
    {"cudaMallocFromPoolAsync", {BAD, cudaErrorNotSupported, NO_MEMORY}},
    {"cudaDeviceSetMemPool", {BAD, cudaErrorInvalidDevice, cudaErrorNotSupported}},
    {"cudaDeviceGetDefaultMemPool", {cudaErrorInvalidDevice, BAD, cudaErrorNotSupported}},
    {"cudaMemPoolCreate", {BAD, cudaErrorNotSupported}},
    {"cudaMemPoolDestroy", {BAD}},
    {"cudaMemPoolSetAttribute", {BAD}},
    {"cudaMemPoolGetAttribute", {BAD}},
    {"cudaHostAlloc", {BAD, NO_MEMORY}},
    {"cudaMallocHost", {BAD, NO_MEMORY}},
    {"cudaFreeHost", {BAD}},
    {"cudaHostRegister", {BAD, NO_MEMORY, cudaErrorHostMemoryAlreadyRegistered, cudaErrorNotSupported}},
    {"cudaHostUnregister", {BAD, cudaErrorHostMemoryNotRegistered}},
    {"cudaHostGetDevicePointer", {BAD, NO_MEMORY}},
    {"cudaHostGetFlags", {BAD}},
    {"cudaMemPrefetchAsync", {BAD, cudaErrorInvalidDevice}},
    {"cudaMemAdvise", {BAD, cudaErrorInvalidDevice}},
    {"cudaStreamAttachMemAsync", {cudaErrorNotReady, BAD, HANDLE}},
    {"cudaMemcpy", {BAD, cudaErrorInvalidMemcpyDirection}},
    {"cudaMemcpyAsync", {BAD, cudaErrorInvalidMemcpyDirection}},
    {"cudaMemcpyPeer", {BAD, cudaErrorInvalidDevice}},
    {"cudaMemcpy2D", {BAD, cudaErrorInvalidPitchValue, cudaErrorInvalidMemcpyDirection}},
    {"cudaMemcpy2DAsync", {BAD, cudaErrorInvalidPitchValue, cudaErrorInvalidMemcpyDirection}},
    {"cudaMemcpy3D", {BAD, cudaErrorInvalidPitchValue, cudaErrorInvalidMemcpyDirection}},
    {"cudaMemcpy3DAsync", {BAD, cudaErrorInvalidPitchValue, cudaErrorInvalidMemcpyDirection}},
    {"cudaMemcpy2DToArray", {BAD, cudaErrorInvalidPitchValue, cudaErrorInvalidMemcpyDirection}},
    {"cudaMemcpy2DFromArray", {BAD, cudaErrorInvalidPitchValue, cudaErrorInvalidMemcpyDirection}},
    {"cudaMemcpyToSymbol",
     {BAD, cudaErrorInvalidSymbol, cudaErrorInvalidMemcpyDirection, cudaErrorNoKernelImageForDevice}},
    {"cudaMemcpyFromSymbol",
     {BAD, cudaErrorInvalidSymbol, cudaErrorInvalidMemcpyDirection, cudaErrorNoKernelImageForDevice}},
    {"cudaMemset", {BAD}},
    {"cudaMemsetAsync", {BAD}},
    {"cudaMemset2D", {BAD}},
    {"cudaMemset3D", {BAD}},
    {"cudaGetSymbolAddress", {cudaErrorInvalidSymbol, cudaErrorNoKernelImageForDevice}},
    {"cudaGetSymbolSize", {cudaErrorInvalidSymbol, cudaErrorNoKernelImageForDevice}},
    {"cudaPointerGetAttributes", {cudaErrorInvalidDevice, BAD}},
    {"cudaSetDevice", {cudaErrorInvalidDevice, cudaErrorDevicesUnavailable}},
    {"cudaGetDevice", {BAD, cudaErrorDevicesUnavailable}},
    {"cudaGetDeviceProperties", {cudaErrorInvalidDevice}},
    {"cudaDeviceGetAttribute", {cudaErrorInvalidDevice, BAD}},
    {"cudaDeviceSetLimit", {cudaErrorUnsupportedLimit, BAD, NO_MEMORY}},
    {"cudaDeviceGetLimit", {cudaErrorUnsupportedLimit, BAD}},
    {"cudaDeviceSynchronize", {}},
    {"cudaSetDeviceFlags", {BAD}},
    {"cudaDeviceGetPCIBusId", {BAD, cudaErrorInvalidDevice}},
    {"cudaDeviceGetByPCIBusId", {BAD, cudaErrorInvalidDevice}},
    {"cudaDeviceCanAccessPeer", {cudaErrorInvalidDevice}},
    {"cudaStreamCreate", {BAD}},
    {"cudaStreamCreateWithFlags", {BAD}},
    {"cudaStreamCreateWithPriority", {BAD}},
    {"cudaStreamDestroy", {BAD, HANDLE}},
    {"cudaStreamSynchronize", {HANDLE}},
    {"cudaStreamQuery", {cudaErrorNotReady, HANDLE}},
    {"cudaStreamWaitEvent", {BAD, HANDLE}},
    {"cudaStreamAddCallback", {HANDLE, BAD, cudaErrorNotSupported}},
    {"cudaLaunchHostFunc", {HANDLE, BAD, cudaErrorNotSupported}},
    {"cudaStreamGetPriority", {BAD, HANDLE}},
    {"cudaStreamGetFlags", {BAD, HANDLE}},
    {"cudaStreamSetAttribute", {BAD, HANDLE}},
    {"cudaStreamGetAttribute", {BAD, HANDLE}},
    {"cudaEventCreate", {BAD, FAILED, NO_MEMORY}},
    {"cudaEventCreateWithFlags", {BAD, FAILED, NO_MEMORY}},
    {"cudaEventDestroy", {BAD, HANDLE, FAILED}},
    {"cudaEventRecord", {BAD, HANDLE, FAILED}},
    {"cudaEventRecordWithFlags", {BAD, HANDLE, FAILED}},
    {"cudaEventSynchronize", {BAD, HANDLE, FAILED}},
    {"cudaEventQuery", {cudaErrorNotReady, BAD, HANDLE, FAILED}},
    {"cudaEventElapsedTime", {cudaErrorNotReady, BAD, HANDLE, FAILED, cudaErrorUnknown}},
    {"cudaFuncGetAttributes", {cudaErrorInvalidDeviceFunction}},
    {"cudaFuncSetAttribute", {cudaErrorInvalidDeviceFunction, BAD}},
    {"cudaFuncGetName", {BAD, cudaErrorInvalidDeviceFunction}},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessor",
     {cudaErrorInvalidDevice, cudaErrorInvalidDeviceFunction, BAD, cudaErrorUnknown}},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
     {cudaErrorInvalidDevice, cudaErrorInvalidDeviceFunction, BAD, cudaErrorUnknown}},
    {"cudaOccupancyAvailableDynamicSMemPerBlock",
     {cudaErrorInvalidDevice, cudaErrorInvalidDeviceFunction, BAD, cudaErrorUnknown}},
    {"cudaLaunchKernel", {LAUNCH, CODE}},
    {"cudaLaunchKernelExC", {LAUNCH, CODE}},
    {"cudaLaunchCooperativeKernel", {LAUNCH, cudaErrorCooperativeLaunchTooLarge}},
    {"cudaStreamBeginCapture", {BAD}},
    {"cudaStreamEndCapture", {BAD, cudaErrorStreamCaptureWrongThread}},
    {"cudaThreadExchangeStreamCaptureMode", {BAD}},
    {"cudaStreamIsCapturing", {BAD, cudaErrorStreamCaptureImplicit}},
    {"cudaGraphCreate", {BAD, NO_MEMORY}},
    {"cudaGraphDestroy", {BAD}},
    {"cudaGraphAddKernelNode", {BAD, cudaErrorInvalidDeviceFunction}},
    {"cudaGraphAddMemsetNode", {BAD, cudaErrorInvalidDevice}},
    {"cudaGraphAddEmptyNode", {BAD}},
    {"cudaGraphAddDependencies", {BAD}},
    {"cudaGraphInstantiate", {BAD}},
    {"cudaGraphLaunch", {BAD}},
    {"cudaGraphExecDestroy", {BAD}},
    {"cudaCreateTextureObject", {BAD}},
    {"cudaDestroyTextureObject", {BAD}},
};

static const std::vector<documented::Reason<cudaError_t>> kReasons = {
    {nullptr, FAILED, "of an earlier kernel; its faults have errors of their own (`errors_illegal_address`)"},
    {nullptr, cudaErrorLaunchTimeout, "no display waits for the device"},
    {nullptr, cudaErrorUnknown, "CUDA names no cause"},
    {nullptr, cudaErrorDevicesUnavailable, "nobody else has the device"},
    {nullptr, cudaErrorSharedObjectInitFailed, "no shared object is loaded"},
    {nullptr, cudaErrorInvalidPtx, "the program's own code is valid; other code: the driver interface"},
    {nullptr, cudaErrorUnsupportedPtxVersion, "the program's own code is valid; other code: the driver interface"},
    {nullptr, cudaErrorNoKernelImageForDevice, "a program without PTX does not start"},
    {nullptr, cudaErrorJitCompilerNotFound, "the compiler of PTX is a part of Duet"},
    {nullptr, cudaErrorJitCompilationDisabled, "the compiler of PTX is a part of Duet"},
    {nullptr, cudaErrorNotSupported, "the device supports it"},
    {nullptr, NO_MEMORY, "it takes host memory alone, a little"},
    {nullptr, cudaErrorInvalidDevice, "the current device is a valid one"},
    {"cudaPointerGetAttributes", cudaErrorInvalidDevice, "the program sees the only device"},
    {"cudaMemPoolCreate", cudaErrorNotSupported, "Duet gives it for pools with handles and on the host"},
    {"cudaHostRegister", NO_MEMORY, "the memory is the program's already"},
    {"cudaHostUnregister", BAD, "CUDA names no argument"},
    {"cudaHostGetDevicePointer", NO_MEMORY, "the mapping takes no memory"},
    {"cudaStreamAttachMemAsync", cudaErrorNotReady, "CUDA names no cause"},
    {"cudaDeviceSetLimit", NO_MEMORY, "the memory is taken at the first launch"},
    {"cudaStreamDestroy", BAD, "CUDA names no argument"},
    {"cudaEventDestroy", BAD, "CUDA names no argument"},
    {"cudaEventRecord", BAD, "CUDA names no argument"},
    {"cudaEventSynchronize", BAD, "CUDA names no argument"},
    {"cudaEventQuery", BAD, "CUDA names no argument"},
};

static std::string name_of(cudaError_t error) { return cudaGetErrorName(error); }

static constexpr char kHead[] =
    R"(# Errors of the runtime interface

The errors that CUDA's runtime reference has for %u functions: %u promises. Duet gives %u of them, in %u calls that
`tests/programs/errors_documented.cu` makes; this page is what the program prints with `--list`. Left out are the errors
that the reference lists for every function (`cudaErrorInitializationError`, `cudaErrorNotPermitted`, ...) and those of
earlier work. "Also": an error that the reference promises elsewhere, in the words about an argument or in the list of
errors. CUDA calls the use of a destroyed handle undefined; Duet's answer is an error. The driver interface:
[api-errors-driver.md](api-errors-driver.md).

)";

static void require_works() {
  static int count = 0;
  const int value = ++count;
  int back = 0;
  CHECK(cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(&back, device, sizeof back, cudaMemcpyDeviceToHost));
  REQUIRE(back == value);
}

int main(int argc, char** argv) {
  const documented::Table<cudaError_t> table{kPromises, kRows, kReasons, name_of};
  set_up();
  unsigned wrong = 0;
  for (const Row& row : kRows) {
    if (row.before != nullptr) row.before();
    const cudaError_t got = row.call();
    const cudaError_t peeked = cudaPeekAtLastError(), last = cudaGetLastError(), cleared = cudaGetLastError();
    if (row.after != nullptr) row.after();
    // Work that is pending is no error to cudaGetLastError (CUDA C++ Programming Guide, "Error Checking").
    const cudaError_t held = got != cudaErrorNotReady ? got : cudaSuccess;
    if (got != row.promised || peeked != held || last != held || cleared != cudaSuccess) {
      ++wrong;
      fprintf(stderr, "%s, %s: %s, last error %s, then %s; promised %s\n", row.function, row.wrong,
              cudaGetErrorName(got), cudaGetErrorName(last), cudaGetErrorName(cleared), cudaGetErrorName(row.promised));
    }
    require_works();
  }
  if (wrong != 0) return 1;
  if (argc == 2 && strcmp(argv[1], "--list") == 0) return table.list(kHead) ? 0 : 1;
  return expect::pass("errors_documented");
}
