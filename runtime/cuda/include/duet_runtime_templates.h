/* The C++ face of the CUDA runtime: typed pointers instead of void**, symbols and kernels by name instead of
 * by address. Each wrapper only casts and calls the C function of the same name. */
#ifndef DUET_RUNTIME_TEMPLATES_H
#define DUET_RUNTIME_TEMPLATES_H

#include "cuda_runtime_api.h"

#define DUET_HOST static inline __host__

/* ---- allocation ---- */
template <class T>
DUET_HOST cudaError_t cudaMalloc(T** devPtr, size_t size) {
  return ::cudaMalloc(reinterpret_cast<void**>(devPtr), size);
}
template <class T>
DUET_HOST cudaError_t cudaMallocHost(T** ptr, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}
DUET_HOST cudaError_t cudaMallocHost(void** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(ptr, size, flags);
}
template <class T>
DUET_HOST cudaError_t cudaHostAlloc(T** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}
template <class T>
DUET_HOST cudaError_t cudaHostGetDevicePointer(T** pDevice, void* pHost, unsigned int flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(pDevice), pHost, flags);
}
template <class T>
DUET_HOST cudaError_t cudaMallocManaged(T** devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void**>(devPtr), size, flags);
}
template <class T>
DUET_HOST cudaError_t cudaMallocPitch(T** devPtr, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch(reinterpret_cast<void**>(devPtr), pitch, width, height);
}
template <class T>
DUET_HOST cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync(reinterpret_cast<void**>(ptr), size, stream);
}
DUET_HOST cudaError_t cudaMallocAsync(void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(ptr, size, memPool, stream);
}
template <class T>
DUET_HOST cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(ptr), size, memPool, stream);
}
template <class T>
DUET_HOST cudaError_t cudaMallocFromPoolAsync(T** ptr, size_t size, cudaMemPool_t memPool,
                                              cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(ptr), size, memPool, stream);
}
template <class T>
DUET_HOST cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* devPtr, size_t length = 0,
                                               unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, static_cast<void*>(devPtr), length, flags);
}

/* ---- device variables by name ---- */
template <class T>
DUET_HOST const void* duetSymbol(const T& symbol) {
  return const_cast<const char*>(&reinterpret_cast<const volatile char&>(symbol));
}
template <class T>
DUET_HOST cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* src, size_t count, size_t offset = 0,
                                         enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(duetSymbol(symbol), src, count, offset, kind);
}
template <class T>
DUET_HOST cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* src, size_t count,
                                              size_t offset = 0,
                                              enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                              cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync(duetSymbol(symbol), src, count, offset, kind, stream);
}
template <class T>
DUET_HOST cudaError_t cudaMemcpyFromSymbol(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                           enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(dst, duetSymbol(symbol), count, offset, kind);
}
template <class T>
DUET_HOST cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                                enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(dst, duetSymbol(symbol), count, offset, kind, stream);
}
template <class T>
DUET_HOST cudaError_t cudaGetSymbolAddress(void** devPtr, const T& symbol) {
  return ::cudaGetSymbolAddress(devPtr, duetSymbol(symbol));
}
template <class T>
DUET_HOST cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return ::cudaGetSymbolSize(size, duetSymbol(symbol));
}

template <class T>
DUET_HOST cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                     const cudaGraphNode_t* dependencies, size_t number,
                                                     const T& symbol, const void* src, size_t count,
                                                     size_t offset, enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, number, duetSymbol(symbol), src, count,
                                          offset, kind);
}
template <class T>
DUET_HOST cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                       const cudaGraphNode_t* dependencies, size_t number,
                                                       void* dst, const T& symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, number, dst, duetSymbol(symbol), count,
                                            offset, kind);
}

/* ---- kernels by name ---- */
template <class T>
DUET_HOST cudaError_t cudaLaunchKernel(T* func, dim3 gridDim, dim3 blockDim, void** args,
                                       size_t sharedMem = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, args, sharedMem, stream);
}
template <class T>
DUET_HOST cudaError_t cudaLaunchCooperativeKernel(T* func, dim3 gridDim, dim3 blockDim, void** args,
                                                  size_t sharedMem = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, args,
                                       sharedMem, stream);
}
/** Launches with arguments by value; each is converted to the kernel's parameter type first. */
template <typename... Params, typename... Args>
DUET_HOST cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Params...),
                                         Args&&... args) {
  return [&](Params... values) {
    void* pointers[sizeof...(Params) + 1] = {
        const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(values)))...};
    return ::cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), pointers);
  }(static_cast<Args&&>(args)...);
}
template <class T>
DUET_HOST cudaError_t cudaFuncSetCacheConfig(T* func, enum cudaFuncCache cacheConfig) {
  return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(func), cacheConfig);
}
template <class T>
DUET_HOST cudaError_t cudaFuncSetSharedMemConfig(T* func, enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(func), config);
}
template <class T>
DUET_HOST cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attr, T* entry) {
  return ::cudaFuncGetAttributes(attr, reinterpret_cast<const void*>(entry));
}
template <class T>
DUET_HOST cudaError_t cudaFuncSetAttribute(T* func, enum cudaFuncAttribute attr, int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(func), attr, value);
}
template <class T>
DUET_HOST cudaError_t cudaFuncGetName(const char** name, T* func) {
  return ::cudaFuncGetName(name, reinterpret_cast<const void*>(func));
}
DUET_HOST cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

/* ---- occupancy ---- */
template <class T>
DUET_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func, int blockSize,
                                                                    size_t dynamicSMemSize) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, reinterpret_cast<const void*>(func),
                                                         blockSize, dynamicSMemSize);
}
template <class T>
DUET_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, T func,
                                                                             int blockSize,
                                                                             size_t dynamicSMemSize,
                                                                             unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      numBlocks, reinterpret_cast<const void*>(func), blockSize, dynamicSMemSize, flags);
}
template <class T>
DUET_HOST cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, T* func,
                                                                int numBlocks, int blockSize) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, reinterpret_cast<const void*>(func),
                                                     numBlocks, blockSize);
}
/** The block size, a multiple of the warp, that keeps most threads resident; the larger one where several do.
 *  `blockSizeLimit` 0 means the kernel's own limit; `*minGridSize` blocks fill the device. */
template <typename SharedBytes, class T>
DUET_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int* minGridSize, int* blockSize, T func, SharedBytes blockSizeToDynamicSMemSize, int blockSizeLimit = 0,
    unsigned int flags = 0) {
  if (!minGridSize || !blockSize || !func) return cudaErrorInvalidValue;
  int device = 0, threads_per_sm = 0, warp = 0, sms = 0, limit = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = ::cudaGetDevice(&device);
  if (!error)
    error = ::cudaDeviceGetAttribute(&threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (!error) error = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (!error) error = ::cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  if (!error) error = ::cudaDeviceGetAttribute(&limit, cudaDevAttrMaxThreadsPerBlock, device);
  if (!error) error = ::cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(func));
  if (error) return error;
  if (attributes.maxThreadsPerBlock < limit) limit = attributes.maxThreadsPerBlock;
  if (blockSizeLimit > 0 && blockSizeLimit < limit) limit = blockSizeLimit;
  int best_resident = 0, best_blocks = 0, best_size = 0;
  for (int aligned = (limit + warp - 1) / warp * warp; aligned > 0; aligned -= warp) {
    const int size = aligned < limit ? aligned : limit;
    int blocks = 0;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, reinterpret_cast<const void*>(func), size, blockSizeToDynamicSMemSize(size), flags);
    if (error) return error;
    if (size * blocks > best_resident) {
      best_resident = size * blocks;
      best_blocks = blocks;
      best_size = size;
    }
    if (best_resident == threads_per_sm) break;
  }
  *minGridSize = best_blocks * sms;
  *blockSize = best_size;
  return cudaSuccess;
}
template <typename SharedBytes, class T>
DUET_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, T func,
                                                                     SharedBytes blockSizeToDynamicSMemSize,
                                                                     int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func,
                                                                 blockSizeToDynamicSMemSize, blockSizeLimit);
}
template <class T>
DUET_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, T func,
                                                                  size_t dynamicSMemSize = 0,
                                                                  int blockSizeLimit = 0,
                                                                  unsigned int flags = 0) {
  struct Constant {
    size_t bytes;
    size_t operator()(int) const { return bytes; }
  };
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      minGridSize, blockSize, func, Constant{dynamicSMemSize}, blockSizeLimit, flags);
}
template <class T>
DUET_HOST cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T func,
                                                         size_t dynamicSMemSize = 0, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSMemSize,
                                                     blockSizeLimit, cudaOccupancyDefault);
}

/* ---- spellings of older CUDA versions that programs still carry ---- */
static inline __host__ cudaMemLocation duetLocation(int device) {
  cudaMemLocation location = {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                              device == cudaCpuDeviceId ? 0 : device};
  return location;
}
/** CUDA 8 to 12: the place is a device number, or cudaCpuDeviceId. */
DUET_HOST cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, int dstDevice,
                                           cudaStream_t stream = 0) {
  return ::cudaMemPrefetchAsync(devPtr, count, duetLocation(dstDevice), 0u, stream);
}
/** CUDA 8 to 12: the place is a device number, or cudaCpuDeviceId. */
DUET_HOST cudaError_t cudaMemAdvise(const void* devPtr, size_t count, enum cudaMemoryAdvise advice,
                                    int device) {
  return ::cudaMemAdvise(devPtr, count, advice, duetLocation(device));
}
/** CUDA 10 to 11: errors came back in a node and a text. */
DUET_HOST cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphNode_t* errorNode, char* log, size_t logBytes) {
  if (errorNode) *errorNode = 0;
  if (log && logBytes) *log = 0;
  return ::cudaGraphInstantiate(exec, graph, 0ull);
}
/** CUDA 10 to 11: the result came back in two places. */
DUET_HOST cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* errorNode,
                                          enum cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info;
  const cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
  if (errorNode) *errorNode = info.errorNode;
  if (result) *result = info.result;
  return error;
}
DUET_HOST cudaError_t cudaThreadSynchronize() { return ::cudaDeviceSynchronize(); }
DUET_HOST cudaError_t cudaThreadExit() { return ::cudaDeviceReset(); }

#undef DUET_HOST
#endif
