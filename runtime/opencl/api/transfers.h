// Bytes between the program, buffers and SVM memory, as the calls that enqueue them need it.
#pragma once

#include "core/copies.h"
#include "opencl/session/work.h"

namespace duet::opencl {

inline constexpr std::size_t kBaseAlignment = 256;       // CL_DEVICE_MEM_BASE_ADDR_ALIGN, in bytes
inline constexpr std::size_t kImagePitchAlignment = 16;  // of an image that is a buffer's memory, in texels

inline constexpr cl_mem_flags kNoHostRead = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
inline constexpr cl_mem_flags kNoHostWrite = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

// A box in an object or in memory of the program: its first byte, rows, slices.
using Box = core::CopySide;

// What every command asks of its queue and of its buffers and images. Errors as the specification has them.
cl_int check_handles(cl_command_queue queue, std::initializer_list<cl_mem> memories);
// The same, and they are buffers.
cl_int check_buffers(cl_command_queue queue, std::initializer_list<cl_mem> buffers);
bool within(const _cl_mem& buffer, std::size_t offset, std::size_t bytes);

// The copy, given to the stream; the thread waits for it only where a pageable side makes it.
cl_int submit_box(Session& session, HostThread& host, driver::StreamId stream, const Box& to, const Box& from,
                  const core::CopyShape& shape);
// Between two boxes; the objects are kept until it has happened.
cl_int enqueue_box(Session& session, HostThread& host, cl_command_queue queue, cl_command_type type,
                   const Waits& waits, bool blocking, const Box& to, const Box& from,
                   const core::CopyShape& shape, std::vector<Ref<_cl_mem>> uses);

// The checks of a map's flags.
cl_int check_map(const _cl_mem& memory, cl_map_flags flags);
// The first byte of the object as the host sees it, from now on. CL_MAP_FAILURE.
cl_int host_view(Session& session, _cl_mem& memory, std::byte*& first);
// The box, for the host until it is unmapped.
cl_int enqueue_map(Session& session, HostThread& host, cl_command_queue queue, cl_command_type type,
                   const Waits& waits, bool blocking, _cl_mem& memory, const _cl_mem::Map& map);

// All of a new object, before the call that makes it returns.
void write_now(Session& session, HostThread& host, const Box& to, const Box& from,
               const core::CopyShape& shape);

// A pattern of up to 128 bytes over a box in memory of the GPU, whose rows are multiples of it.
cl_int submit_pattern(Session& session, HostThread& host, driver::StreamId stream, const Box& to,
                      const core::CopyShape& shape, const std::vector<std::byte>& pattern);

}  // namespace duet::opencl
