// Copies as several files of the API make them.
#pragma once

#include "cuda/session/session.h"
#include "memory/request.h"

namespace duet::cuda {

struct StreamUse;

// The actions of a copy's accesses to tracked memory on full/empty bits; by default they leave them alone.
struct FullEmptyUse {
  memory::Trigger trigger = memory::Trigger::None;
  memory::Action action = memory::Action::None;
  bool any() const { return trigger != memory::Trigger::None || action != memory::Action::None; }
};

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

// A box of bytes: rows `pitch` apart, slices `slice_pitch` apart.
struct CopySide {
  const void* pointer;
  size_t pitch, slice_pitch;
};
cudaError_t copy_box(Session& session, ThreadState& thread, const CopySide& to, const CopySide& from,
                     size_t width, size_t rows, size_t slices, cudaMemcpyKind kind, cudaStream_t stream,
                     bool asynchronous);

// Whether [address, address + bytes) is tracked, lies in `allocation` and consists of whole granules.
bool whole_granules(Session& session, const memory::Allocation* allocation, VirtualAddress address,
                    Bytes bytes);

}  // namespace duet::cuda
