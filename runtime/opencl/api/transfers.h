// Bytes between the program, buffers and SVM memory, as the calls that enqueue them need it.
#pragma once

#include "core/copies.h"
#include "opencl/session/work.h"

namespace duet::opencl {

inline constexpr std::size_t kBaseAlignment = 256;  // CL_DEVICE_MEM_BASE_ADDR_ALIGN, in bytes

// A box in a buffer or in memory of the program: its first byte, rows, slices.
struct Box {
  const void* first;
  std::size_t pitch = 0, slice_pitch = 0;
};

// The copy, given to the stream; the thread waits for it only where a pageable side makes it.
cl_int submit_box(Session& session, HostThread& host, driver::StreamId stream, const Box& to, const Box& from,
                  const core::CopyShape& shape);

// All of a new buffer, before the call that makes it returns.
void write_now(Session& session, HostThread& host, _cl_mem& buffer, const void* from);

// A pattern of up to 128 bytes, over memory of the GPU.
cl_int submit_pattern(Session& session, HostThread& host, driver::StreamId stream, VirtualAddress to,
                      std::vector<std::byte> pattern, std::size_t bytes);

}  // namespace duet::opencl
