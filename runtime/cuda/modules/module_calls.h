// The calls about libraries and their kernels that both interfaces have.
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

cudaError_t unload_library(Session& session, cudaLibrary_t library);
cudaError_t get_kernel(Session& session, cudaKernel_t* kernel, cudaLibrary_t library, const char* name);
cudaError_t count_kernels(Session& session, unsigned* count, cudaLibrary_t library);
cudaError_t enumerate_kernels(Session& session, cudaKernel_t* kernels, unsigned count, cudaLibrary_t library);
cudaError_t get_variable(Session& session, void** address, size_t* bytes, cudaLibrary_t library,
                         const char* name);
cudaError_t get_managed_variable(Session& session, void** address, size_t* bytes, cudaLibrary_t library,
                                 const char* name);
cudaError_t get_parameter(Session& session, const void* stub, size_t index, size_t* offset, size_t* bytes);

}  // namespace duet::cuda
