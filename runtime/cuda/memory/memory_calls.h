// The calls about memory and pools that both interfaces have.
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

cudaError_t allocate(Session& session, ThreadState& thread, void** pointer, size_t bytes);
cudaError_t allocate_pitched(Session& session, ThreadState& thread, void** pointer, size_t* pitch,
                             size_t width, size_t height);
cudaError_t release(Session& session, ThreadState& thread, void* pointer);
cudaError_t allocate_host(Session& session, ThreadState& thread, void** pointer, size_t bytes,
                          unsigned flags);
cudaError_t release_host(Session& session, ThreadState& thread, void* pointer);
cudaError_t allocate_managed(Session& session, void** pointer, size_t bytes, unsigned flags);
cudaError_t register_host(Session& session, void* pointer, size_t bytes, unsigned flags);
cudaError_t unregister_host(Session& session, ThreadState& thread, void* pointer);
cudaError_t get_device_pointer(Session& session, void** device, void* host, unsigned flags);
cudaError_t get_host_flags(Session& session, unsigned* flags, void* host);
cudaError_t get_memory_info(Session& session, size_t* free, size_t* total);
cudaError_t prefetch(Session& session, const void* pointer, size_t count, const cudaMemLocation& location,
                     unsigned flags, cudaStream_t stream);
cudaError_t check_advice(Session& session, const void* pointer, size_t count, cudaMemoryAdvise advice,
                         const cudaMemLocation& location);
cudaError_t attach_memory(Session& session, cudaStream_t stream, void* pointer, size_t bytes, unsigned flags);
cudaError_t allocate_in_stream(Session& session, ThreadState& thread, void** pointer, size_t bytes,
                               cudaMemPool_t pool, cudaStream_t stream);
cudaError_t release_in_stream(Session& session, void* pointer, cudaStream_t stream);
cudaError_t get_default_pool(cudaMemPool_t* pool, int device);
cudaError_t get_pool(cudaMemPool_t* pool, int device);
cudaError_t set_pool(int device, cudaMemPool_t pool);
cudaError_t get_default_pool_at(cudaMemPool_t* pool, const cudaMemLocation* location,
                                cudaMemAllocationType type);
cudaError_t get_pool_at(cudaMemPool_t* pool, const cudaMemLocation* location, cudaMemAllocationType type);
cudaError_t set_pool_at(const cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t pool);
cudaError_t create_pool(cudaMemPool_t* pool, const cudaMemPoolProps* props);
cudaError_t destroy_pool(Session& session, cudaMemPool_t pool);
cudaError_t set_pool_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
cudaError_t get_pool_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
cudaError_t trim_pool(Session& session, cudaMemPool_t pool, size_t keep);
cudaError_t set_pool_access(cudaMemPool_t pool, const cudaMemAccessDesc* access, size_t count);
cudaError_t get_pool_access(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location);

}  // namespace duet::cuda
