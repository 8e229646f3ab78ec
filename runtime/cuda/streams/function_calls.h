// The calls about functions that both interfaces have.
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

cudaError_t get_function_attributes(Session& session, cudaFuncAttributes* attributes, const void* stub);
cudaError_t set_function_attribute(Session& session, const void* stub, cudaFuncAttribute attribute,
                                   int value);
cudaError_t get_function_name(Session& session, const char** name, const void* stub);
cudaError_t count_active_blocks(Session& session, int* blocks, const void* stub, int block_size,
                                size_t dynamic_shared_bytes);
cudaError_t get_available_shared(Session& session, size_t* bytes, const void* stub, int blocks,
                                 int block_size);

}  // namespace duet::cuda
