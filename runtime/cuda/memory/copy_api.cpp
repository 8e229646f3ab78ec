// Copies and fills. Pinned and managed host memory is read and written by the copy engines while the command
// executes. Pageable memory is staged: a source at the call, so the program may change it at once; a
// destination makes the call wait, as CUDA documents for transfers to pageable memory.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/images/arrays.h"
#include "cuda/memory/copies.h"
#include "cuda/memory/pageable_copy.h"
#include "cuda/session/session.h"
#include "cuda/streams/capture.h"
#include "process/access_fault.h"

using duet::Bytes;
using duet::VirtualAddress;
using duet::cuda::CallKind;
using duet::cuda::copy_linear;
using duet::cuda::FullEmptyUse;
using duet::cuda::Session;
using duet::cuda::StreamUse;
using duet::cuda::ThreadState;
using duet::driver::Command;
using duet::driver::CommandKind;
using duet::memory::Allocation;
using duet::process::HostAccess;

namespace {

using Side = duet::cuda::CopySide;

struct Shape {
  size_t width, rows, slices;
  // Bytes from the first to behind the last.
  Bytes span(const Side& side) const {
    return (slices - 1) * side.slice_pitch + (rows - 1) * side.pitch + width;
  }
};

const Allocation* allocation_of(Session& session, const void* pointer) {
  return session.space().find(duet::virtual_address(pointer));
}
bool on_device(const Allocation* allocation) {
  return allocation != nullptr && allocation->in_device_memory();
}

// Whether the range lies within the allocation that it starts in (pageable memory: nobody knows).
bool in_range(const Allocation* allocation, const Side& side, const Shape& shape) {
  return allocation == nullptr ||
         duet::virtual_address(side.pointer) + shape.span(side) <= allocation->base + allocation->bytes;
}

bool direction_fits(cudaMemcpyKind kind, bool to_device, bool from_device, bool to_mapped, bool from_mapped) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !to_device && !from_device;
    case cudaMemcpyHostToDevice:
      return (to_device || to_mapped) && !from_device;
    case cudaMemcpyDeviceToHost:
      return !to_device && (from_device || from_mapped);
    case cudaMemcpyDeviceToDevice:
      return (to_device || to_mapped) && (from_device || from_mapped);
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

// The checks, then the command without its stream and call. A copy of nothing leaves a command of no bytes.
cudaError_t prepare_copy(Session& session, const Side& to, const Side& from, const Shape& shape,
                         cudaMemcpyKind kind, const FullEmptyUse& full_empty, Command& command) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (shape.width == 0 || shape.rows == 0 || shape.slices == 0) return cudaSuccess;
  if (to.pointer == nullptr || from.pointer == nullptr) return cudaErrorInvalidValue;
  if (shape.rows > 1 && (to.pitch < shape.width || from.pitch < shape.width))
    return cudaErrorInvalidPitchValue;
  const Allocation* target = allocation_of(session, to.pointer);
  const Allocation* source = allocation_of(session, from.pointer);
  // Released, or computed wrongly: host memory never lies there.
  if ((target == nullptr && session.space().in_device_region(duet::virtual_address(to.pointer))) ||
      (source == nullptr && session.space().in_device_region(duet::virtual_address(from.pointer))))
    return cudaErrorInvalidValue;
  if (!direction_fits(kind, on_device(target), on_device(source), target != nullptr, source != nullptr))
    return cudaErrorInvalidValue;
  if (!in_range(target, to, shape) || !in_range(source, from, shape)) return cudaErrorInvalidValue;
  if (full_empty.any()) {
    const bool to_device = on_device(target);
    if (to_device == on_device(source)) return cudaErrorInvalidValue;
    if (!duet::cuda::whole_granules(session, to_device ? target : source,
                                    duet::virtual_address(to_device ? to.pointer : from.pointer),
                                    shape.width))
      return cudaErrorInvalidValue;
  }
  command.kind = CommandKind::Copy;
  auto& job = command.copy;
  job.width_bytes = shape.width;
  job.trigger = full_empty.trigger;
  job.action = full_empty.action;
  job.rows = shape.rows;
  job.slices = shape.slices;
  job.to = {!on_device(target), duet::virtual_address(to.pointer), to.pitch, to.slice_pitch};
  job.from = {!on_device(source), duet::virtual_address(from.pointer), from.pitch, from.slice_pitch};
  return cudaSuccess;
}

// A node has no place for full/empty bits.
cudaError_t capture_copy(const StreamUse& use, const Side& to, const Side& from, const Shape& shape,
                         cudaMemcpyKind kind, const FullEmptyUse& full_empty) {
  if (full_empty.any()) return duet::cuda::refuse_capture(use, cudaErrorStreamCaptureUnsupported);
  const auto pitched = [&](const Side& side) {
    const size_t pitch = std::max<size_t>(side.pitch, 1);
    return cudaPitchedPtr{const_cast<void*>(side.pointer), side.pitch, shape.width, side.slice_pitch / pitch};
  };
  cudaMemcpy3DParms parms{};
  parms.dstPtr = pitched(to);
  parms.srcPtr = pitched(from);
  parms.extent = {shape.width, shape.rows, shape.slices};
  parms.kind = kind;
  return duet::cuda::capture(use, duet::cuda::CopyWork{parms});
}

cudaError_t copy(Session& session, ThreadState& thread, const Side& to, const Side& from, const Shape& shape,
                 cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous,
                 const FullEmptyUse& full_empty = {}) {
  StreamUse use;
  if (const cudaError_t error = duet::cuda::enter(session, thread, stream, asynchronous, use);
      error != cudaSuccess)
    return error;
  Command command;
  if (const cudaError_t error = prepare_copy(session, to, from, shape, kind, full_empty, command);
      error != cudaSuccess)
    return error;
  auto& job = command.copy;
  if (job.bytes() == 0) return cudaSuccess;
  if (use.capture != nullptr) return capture_copy(use, to, from, shape, kind, full_empty);
  command.cost = &session.cost(asynchronous ? CallKind::MemcpyAsync : CallKind::MemcpySync);
  command.stream = use.id;
  const bool pageable_target = allocation_of(session, to.pointer) == nullptr;
  const bool pageable_source = allocation_of(session, from.pointer) == nullptr;
  std::optional<HostAccess> access;
  duet::process::ProgramSide* const side = session.program().side();
  const auto touch = [&](const Side& what, bool writes) {
    if (side != nullptr)
      side->check(session.space().calling(), what.pointer, shape.span(what), writes);
    else
      access.emplace(session.space().calling(), what.pointer, shape.span(what), writes);
  };
  if (pageable_source) touch(from, false);
  if (pageable_target && (side != nullptr || !pageable_source)) touch(to, true);
  if (duet::cuda::is_staged(session, job, pageable_source, pageable_target)) {
    if (pageable_source)
      duet::cuda::copy_to_device(session, thread, std::move(command), from);
    else
      duet::cuda::copy_to_host(session, thread, std::move(command));
    return cudaSuccess;
  }
  if (pageable_source) {
    auto staged = std::make_shared<std::vector<std::byte>>(job.bytes());
    std::byte* next = staged->data();
    for (size_t z = 0; z < shape.slices; ++z)
      for (size_t y = 0; y < shape.rows; ++y, next += shape.width)
        session.program().read_memory(
            session.space().calling(),
            static_cast<const std::byte*>(from.pointer) + z * from.slice_pitch + y * from.pitch, next,
            shape.width);
    job.staged = std::move(staged);
  }
  const bool device_to_device = !job.to.host && !job.from.host;
  const auto id = thread.host->submit(std::move(command));
  if ((!asynchronous && !device_to_device) || pageable_target)
    thread.host->wait(session.cost(asynchronous ? CallKind::MemcpyAsync : CallKind::MemcpySync),
                      [&] { return session.driver().complete(id); });
  return cudaSuccess;
}

}  // namespace

cudaError_t duet::cuda::symbol_range(Session& session, const void* symbol, size_t offset, size_t count,
                                     VirtualAddress& address) {
  Bytes bytes = 0;
  address = session.symbol_address(symbol, bytes);
  if (!address) return cudaErrorInvalidSymbol;
  if (offset > bytes || count > bytes - offset) return cudaErrorInvalidValue;
  address += offset;
  return cudaSuccess;
}

cudaError_t duet::cuda::copy_linear(Session& session, ThreadState& thread, void* to, const void* from,
                                    size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous,
                                    const FullEmptyUse& full_empty) {
  return copy(session, thread, {to, bytes, bytes}, {from, bytes, bytes}, {bytes, 1, 1}, kind, stream,
              asynchronous, full_empty);
}

cudaError_t duet::cuda::copy_box(Session& session, ThreadState& thread, const CopySide& to,
                                 const CopySide& from, size_t width, size_t rows, size_t slices,
                                 cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
  return copy(session, thread, to, from, {width, rows, slices}, kind, stream, asynchronous);
}

namespace {

cudaError_t copy_2d(Session& session, ThreadState& thread, void* to, size_t to_pitch, const void* from,
                    size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                    bool asynchronous) {
  return copy(session, thread, {to, to_pitch, to_pitch * height}, {from, from_pitch, from_pitch * height},
              {width, height, 1}, kind, stream, asynchronous);
}

Side side_of(const cudaPitchedPtr& pointer, const cudaPos& at) {
  const size_t slice = pointer.pitch * pointer.ysize;
  return {static_cast<const std::byte*>(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x,
          pointer.pitch, slice};
}

cudaError_t read_3d(const cudaMemcpy3DParms& p, Side& to, Side& from, Shape& shape) {
  const bool to_array = p.dstArray != nullptr, from_array = p.srcArray != nullptr;
  if ((to_array && p.dstPtr.ptr != nullptr) || (from_array && p.srcPtr.ptr != nullptr))
    return cudaErrorInvalidValue;
  // The extent counts an array's texels, or bytes where there is none.
  shape = {p.extent.width, p.extent.height, p.extent.depth};
  if (to_array || from_array) shape.width *= duet::cuda::texel_bytes(to_array ? p.dstArray : p.srcArray);
  const auto side = [&](cudaArray_t array, const cudaPitchedPtr& pointer, const cudaPos& at, Side& result) {
    if (array != nullptr)
      return duet::cuda::array_side(array, at.x * duet::cuda::texel_bytes(array), at.y, at.z, shape.width,
                                    shape.rows, shape.slices, result);
    result = side_of(pointer, at);
    return cudaSuccess;
  };
  const cudaError_t error = side(p.dstArray, p.dstPtr, p.dstPos, to);
  return error == cudaSuccess ? side(p.srcArray, p.srcPtr, p.srcPos, from) : error;
}

cudaError_t copy_3d(Session& session, ThreadState& thread, const cudaMemcpy3DParms* p, cudaStream_t stream,
                    bool asynchronous) {
  if (p == nullptr) return cudaErrorInvalidValue;
  Side to{}, from{};
  Shape shape{};
  if (const cudaError_t error = read_3d(*p, to, from, shape); error != cudaSuccess) return error;
  return copy(session, thread, to, from, shape, p->kind, stream, asynchronous);
}

cudaError_t to_symbol(Session& session, ThreadState& thread, const void* symbol, const void* from,
                      size_t count, size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                      bool asynchronous) {
  VirtualAddress address;
  if (const cudaError_t error = duet::cuda::symbol_range(session, symbol, offset, count, address);
      error != cudaSuccess)
    return error;
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  return copy_linear(session, thread, duet::pointer_of(address), from, count, kind, stream, asynchronous);
}

cudaError_t from_symbol(Session& session, ThreadState& thread, void* to, const void* symbol, size_t count,
                        size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
  VirtualAddress address;
  if (const cudaError_t error = duet::cuda::symbol_range(session, symbol, offset, count, address);
      error != cudaSuccess)
    return error;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  return copy_linear(session, thread, to, duet::pointer_of(address), count, kind, stream, asynchronous);
}

cudaError_t fill(Session& session, ThreadState& thread, void* to, size_t pitch, int value, size_t width,
                 size_t rows, cudaStream_t stream, bool asynchronous) {
  StreamUse use;
  if (const cudaError_t error = duet::cuda::enter(session, thread, stream, asynchronous, use);
      error != cudaSuccess)
    return error;
  if (width == 0 || rows == 0) return cudaSuccess;
  return duet::cuda::submit_fill(session, thread, use,
                                 {to, pitch, static_cast<unsigned>(value) & 0xff, 1, width, rows});
}

cudaError_t fill_3d(Session& session, ThreadState& thread, cudaPitchedPtr to, int value, cudaExtent extent,
                    cudaStream_t stream, bool asynchronous) {
  // Slices lie pitch * ysize apart; with ysize equal to the extent's height they are simply more rows.
  if (to.ysize == extent.height)
    return fill(session, thread, to.ptr, to.pitch, value, extent.width, extent.height * extent.depth, stream,
                asynchronous);
  for (size_t z = 0; z < extent.depth; ++z) {
    const cudaError_t error = fill(session, thread, static_cast<std::byte*>(to.ptr) + z * to.pitch * to.ysize,
                                   to.pitch, value, extent.width, extent.height, stream, asynchronous);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t duet::cuda::copy_command(Session& session, const cudaMemcpy3DParms& p, Command& command) {
  Side to{}, from{};
  Shape shape{};
  if (const cudaError_t error = read_3d(p, to, from, shape); error != cudaSuccess) return error;
  command.cost = &session.cost(CallKind::MemcpyAsync);
  const cudaError_t error = prepare_copy(session, to, from, shape, p.kind, {}, command);
  if (command.copy.bytes() == 0) command.cost = nullptr;  // a copy of nothing
  return error;
}

cudaError_t duet::cuda::fill_command(Session& session, const cudaMemsetParams& p, Command& command) {
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4) return cudaErrorInvalidValue;
  if (p.elementSize < 4 && p.value >> (8 * p.elementSize) != 0) return cudaErrorInvalidValue;
  const size_t width = p.width * p.elementSize;
  if (width == 0 || p.height == 0) return cudaErrorInvalidValue;
  const Allocation* target = allocation_of(session, p.dst);
  if (target == nullptr || duet::virtual_address(p.dst) % p.elementSize != 0 ||
      !in_range(target, {p.dst, p.pitch, 0}, {width, p.height, 1}))
    return cudaErrorInvalidValue;
  if (p.height > 1 && p.pitch < width) return cudaErrorInvalidPitchValue;
  command.kind = CommandKind::Fill;
  command.cost = &session.cost(CallKind::Memset);
  command.fill = {duet::virtual_address(p.dst), p.pitch, width, p.height, p.value, p.elementSize};
  return cudaSuccess;
}

cudaError_t duet::cuda::submit_fill(Session& session, ThreadState& thread, const StreamUse& use,
                                    const cudaMemsetParams& parms) {
  Command command;
  if (const cudaError_t error = fill_command(session, parms, command); error != cudaSuccess) return error;
  if (use.capture != nullptr) return capture(use, FillWork{parms});
  command.stream = use.id;
  thread.host->submit(std::move(command));
  return cudaSuccess;
}

DUET_API_SYNC(cudaMemcpy, MemcpySync, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind)) {
  return copy_linear(session, thread, to, from, bytes, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpyAsync, MemcpyAsync,
         (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)) {
  return copy_linear(session, thread, to, from, bytes, kind, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpyPeer, MemcpySync,
              (void* to, int to_device, const void* from, int from_device, size_t bytes)) {
  if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
  return copy_linear(session, thread, to, from, bytes, cudaMemcpyDefault, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpyPeerAsync, MemcpyAsync,
         (void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream)) {
  if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
  return copy_linear(session, thread, to, from, bytes, cudaMemcpyDefault, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpy2D, MemcpySync,
              (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
               cudaMemcpyKind kind)) {
  return copy_2d(session, thread, to, to_pitch, from, from_pitch, width, height, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpy2DAsync, MemcpyAsync,
         (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
          cudaMemcpyKind kind, cudaStream_t stream)) {
  return copy_2d(session, thread, to, to_pitch, from, from_pitch, width, height, kind, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpy3D, MemcpySync, (const cudaMemcpy3DParms* p)) {
  return copy_3d(session, thread, p, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpy3DAsync, MemcpyAsync, (const cudaMemcpy3DParms* p, cudaStream_t stream)) {
  return copy_3d(session, thread, p, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpyToSymbol, MemcpySync,
              (const void* symbol, const void* from, size_t count, size_t offset, cudaMemcpyKind kind)) {
  return to_symbol(session, thread, symbol, from, count, offset, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpyToSymbolAsync, MemcpyAsync,
         (const void* symbol, const void* from, size_t count, size_t offset, cudaMemcpyKind kind,
          cudaStream_t stream)) {
  return to_symbol(session, thread, symbol, from, count, offset, kind, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpyFromSymbol, MemcpySync,
              (void* to, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind)) {
  return from_symbol(session, thread, to, symbol, count, offset, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpyFromSymbolAsync, MemcpyAsync,
         (void* to, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind,
          cudaStream_t stream)) {
  return from_symbol(session, thread, to, symbol, count, offset, kind, stream, true);
}
DUET_END

DUET_API(cudaMemset, Memset, (void* to, int value, size_t count)) {
  return fill(session, thread, to, count, value, count, 1, nullptr, false);
}
DUET_END
DUET_API(cudaMemsetAsync, Memset, (void* to, int value, size_t count, cudaStream_t stream)) {
  return fill(session, thread, to, count, value, count, 1, stream, true);
}
DUET_END
DUET_API(cudaMemset2D, Memset, (void* to, size_t pitch, int value, size_t width, size_t height)) {
  return fill(session, thread, to, pitch, value, width, height, nullptr, false);
}
DUET_END
DUET_API(cudaMemset2DAsync, Memset,
         (void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)) {
  return fill(session, thread, to, pitch, value, width, height, stream, true);
}
DUET_END
DUET_API(cudaMemset3D, Memset, (cudaPitchedPtr to, int value, cudaExtent extent)) {
  return fill_3d(session, thread, to, value, extent, nullptr, false);
}
DUET_END
DUET_API(cudaMemset3DAsync, Memset, (cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream)) {
  return fill_3d(session, thread, to, value, extent, stream, true);
}
DUET_END
