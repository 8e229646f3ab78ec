// Copies and fills with CUDA's arguments, for several files of the API.
#pragma once

#include "core/copies.h"
#include "cuda/session/session.h"

namespace duet::cuda {

using core::CopyShape;
using core::CopySide;
using core::FullEmptyUse;
struct StreamUse;

cudaError_t copy(Session& session, ThreadState& thread, const CopySide& to, const CopySide& from,
                 const CopyShape& shape, cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous,
                 const FullEmptyUse& full_empty = {});
cudaError_t copy_linear(Session& session, ThreadState& thread, void* to, const void* from, size_t bytes,
                        cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous,
                        const FullEmptyUse& full_empty = {});

// The checks of a copy as a node of a graph makes it, then all of the command but its stream. Pageable memory
// is read and written while the command executes: nobody waits for a node.
cudaError_t copy_command(Session& session, const cudaMemcpy3DParms& parms, driver::Command& command);
cudaError_t fill_command(Session& session, const cudaMemsetParams& parms, driver::Command& command);

// To an entered stream (capture.h), or into its graph.
cudaError_t submit_fill(Session& session, ThreadState& thread, const StreamUse& use,
                        const cudaMemsetParams& parms);

// A device variable's address plus `offset`; its range checked.
cudaError_t symbol_range(Session& session, const void* symbol, std::size_t offset, std::size_t count,
                         VirtualAddress& address);

}  // namespace duet::cuda
